import { ProviderFailure } from '../provider-failure';

/** The languages that the platform speaks and understands, spelled as in the public API. */
export const spokenLanguages = ['english', 'hindi', 'marathi'] as const;
export type SpokenLanguage = (typeof spokenLanguages)[number];

/** A word and its position in the sound. */
export interface TimedWord {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** What an engine is good enough for. */
export type SpeechGrade = 'demo' | 'production';

/** An engine's capabilities, checked before it is asked. */
export interface TextToSpeechCapabilities {
  readonly provider: string;
  readonly languages: readonly SpokenLanguage[];
  /**
   * The scripts that its voices of each language say, by their names in Unicode; `any` if it takes a text however it is written. Of
   * letters in others, it would say nothing, and report success.
   */
  readonly scripts: 'any' | Partial<Record<SpokenLanguage, readonly string[]>>;
  /** The sample rates that it produces natively, its preferred one first. */
  readonly sampleRates: readonly number[];
  /** Accepts text while it is still being written. */
  readonly streamingIn: boolean;
  /** Yields the first sound before the last is produced. */
  readonly streamingOut: boolean;
  readonly wordTimings: boolean;
  /** Follows `pace`; otherwise it always speaks at its own. */
  readonly pace: boolean;
  readonly charactersMax: number;
  /** Time to the first sound of a short sentence: under 100 ms, under a second, or more. */
  readonly latency: 'instant' | 'live' | 'slow';
  /** Languages that this machine synthesizes slower than real time: fine for files, but not for calls. */
  readonly slowIn?: readonly SpokenLanguage[];
  readonly grade: SpeechGrade;
  /** Why the engine cannot work on this installation, and how to change that. Absent if it works. */
  readonly unavailable?: string;
  /** Why the model of one of its voices cannot be used on this installation, and how to change that. Absent if all voices work. */
  readonly whyNoModel?: (voice: string) => string | undefined;
}

export interface Voice {
  readonly id: string;
  readonly name: string;
  readonly languages: readonly SpokenLanguage[];
  readonly gender: 'female' | 'male' | 'neutral';
}

export interface SpeechRequest {
  readonly text: string;
  readonly language: SpokenLanguage;
  /** If absent, the engine's own choice for the language. */
  readonly voice?: string;
  /** 1 is the voice's own pace, 0.7 slow, 1.2 fast. */
  readonly pace?: number;
  /** A preference: engines come as close as they can, and every block states its rate. */
  readonly sampleRate?: number;
  readonly signal?: AbortSignal;
  /**
   * Awaited before an engine is given another piece of the text, with how many of its characters it has been given then. What is
   * given is paid for; once a listener has left, this rejects.
   */
  readonly beforePiece?: ((characters: number) => Promise<void>) | undefined;
  /** Called for each engine that fails, even if another one speaks instead. */
  readonly onFailure?: ((failure: ProviderFailure) => void) | undefined;
  /** Called before the first sound with how many characters are left out, because no voice says their script. They cost nothing. */
  readonly onUnsaid?: ((characters: number) => void) | undefined;
}

interface StreamedSpeechRequest extends Omit<SpeechRequest, 'text'> {
  readonly text: AsyncIterable<string>;
}

/** A piece of speech, 16-bit mono. */
export interface SpeechBlock {
  readonly samples: Int16Array;
  readonly sampleRate: number;
  /** Words that begin in this block, timed from the start of the whole speech. */
  readonly words?: readonly TimedWord[];
}

/** Synthesizes speech. Fails with a ProviderFailure, or with the signal's reason if the caller left. */
export interface TextToSpeech {
  readonly capabilities: TextToSpeechCapabilities;
  voices(): Promise<readonly Voice[]>;
  /** Leaving the loop early stops the engine. Text with nothing to speak yields nothing. */
  speak(request: SpeechRequest): AsyncIterable<SpeechBlock>;
  /** Only if `streamingIn`. */
  speakStream?(request: StreamedSpeechRequest): AsyncIterable<SpeechBlock>;
  close(): Promise<void>;
}

const sampleRate = 16_000;
const samplesPerCharacter = 800;

/** A fake engine: a tone of 50 ms per character, so that tests can tell how much was spoken. It can be told to fail. */
export class ScriptedTextToSpeech implements TextToSpeech {
  readonly capabilities: TextToSpeechCapabilities;
  /** Every request that arrived, for tests that count work. */
  readonly requests: SpeechRequest[] = [];
  /** How many characters it has spoken. */
  spoken = 0;
  private readonly failures: { failure: ProviderFailure; afterBlocks: number }[] = [];

  constructor(capabilities: Partial<TextToSpeechCapabilities> = {}) {
    this.capabilities = {
      provider: 'scripted',
      languages: ['english', 'hindi'],
      scripts: 'any',
      sampleRates: [sampleRate],
      streamingIn: false,
      streamingOut: true,
      wordTimings: false,
      pace: true,
      charactersMax: 5000,
      latency: 'instant',
      grade: 'demo',
      ...capabilities,
    };
  }

  /** Makes the next request fail after a number of blocks; further failures are queued behind it. */
  failNext(failure: ProviderFailure, afterBlocks = 0): void {
    this.failures.push({ failure, afterBlocks });
  }

  async voices(): Promise<readonly Voice[]> {
    return [{ id: 'tone', name: 'Tone', languages: this.capabilities.languages, gender: 'neutral' }];
  }

  async *speak(request: SpeechRequest): AsyncGenerator<SpeechBlock> {
    const planned = this.failures.shift();
    this.requests.push(request);
    this.refuseWhatItCannot(request);
    await request.beforePiece?.([...request.text].length);
    const samples = Math.round(samplesPerCharacter / (request.pace ?? 1));
    let blocks = 0;
    for (const _character of request.text.trim()) {
      request.signal?.throwIfAborted();
      if (planned?.afterBlocks === blocks++) throw planned.failure;
      this.spoken += 1;
      yield { samples: Int16Array.from({ length: samples }, (_, i) => 8000 * Math.sin(i / 4)), sampleRate };
    }
    if (planned) throw planned.failure;
  }

  async close(): Promise<void> {}

  private refuseWhatItCannot({ language, voice = 'tone' }: SpeechRequest): void {
    const { provider, languages } = this.capabilities;
    if (!languages.includes(language)) throw new ProviderFailure(provider, `does not speak ${language}`, { retryable: false });
    if (voice !== 'tone') throw new ProviderFailure(provider, `has no voice ${voice}`, { retryable: false });
  }
}

/** The usage of one request to an engine. */
export interface SpeechUse {
  readonly provider: string;
  /** Unicode code points, by which speech is charged. */
  readonly characters: number;
  readonly spokenMs: number;
  /** Absent if no sound arrived. */
  readonly firstSoundMs: number | undefined;
  readonly outcome: 'spoken' | 'abandoned' | 'failed';
  readonly failure?: ProviderFailure | undefined;
}

/** The same engine, reporting every request once it has ended, however it ended. */
export function meteredSpeech(engine: TextToSpeech, onUse: (use: SpeechUse) => void): TextToSpeech {
  return {
    get capabilities() {
      return engine.capabilities;
    },
    voices: () => engine.voices(),
    speak: (request) => metered(engine, request, onUse),
    close: () => engine.close(),
  };
}

async function* metered(
  engine: TextToSpeech,
  request: SpeechRequest,
  onUse: (use: SpeechUse) => void,
): AsyncGenerator<SpeechBlock> {
  const startedAtMs = performance.now();
  let firstSoundMs: number | undefined;
  let spokenMs = 0;
  let outcome: SpeechUse['outcome'] = 'abandoned';
  let failure: ProviderFailure | undefined;
  try {
    for await (const block of engine.speak(request)) {
      firstSoundMs ??= performance.now() - startedAtMs;
      spokenMs += (block.samples.length * 1000) / block.sampleRate;
      yield block;
    }
    outcome = 'spoken';
  } catch (error) {
    if (error instanceof ProviderFailure) [outcome, failure] = ['failed', error];
    throw error;
  } finally {
    const { provider } = engine.capabilities;
    onUse({ provider, characters: [...request.text].length, spokenMs, firstSoundMs, outcome, failure });
  }
}
