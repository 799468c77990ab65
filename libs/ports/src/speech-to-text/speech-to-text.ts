import { ProviderFailure } from '../provider-failure';
import type { SpeechGrade, SpokenLanguage, TimedWord } from '../spoken-language';

/** What an engine can do, so that nobody asks it for what it cannot. */
export interface SpeechToTextCapabilities {
  readonly provider: string;
  readonly languages: readonly SpokenLanguage[];
  /** Rates that it takes; the first is the one it hears best. */
  readonly sampleRates: readonly number[];
  /** Hears while the speaker is still speaking. */
  readonly live: boolean;
  readonly wordTimings: boolean;
  readonly languageDetection: boolean;
  /** The longest sound that one request takes. */
  readonly secondsMax: number;
  readonly grade: SpeechGrade;
  /** Why the engine cannot work on this installation, and what would change that. Absent when it works. */
  readonly unavailable?: string;
}

export interface TranscriptionModel {
  readonly id: string;
  readonly name: string;
  readonly languages: readonly SpokenLanguage[];
}

export interface HearingRequest {
  readonly sampleRate: number;
  /** Absent: the engine finds out, where it can, and takes its first language where it cannot. */
  readonly language?: SpokenLanguage;
  readonly model?: string;
  readonly words?: boolean;
  readonly signal?: AbortSignal;
  /** Told of each engine that fails, also when another one hears instead. */
  readonly onFailure?: ((failure: ProviderFailure) => void) | undefined;
}

export interface TranscriptionRequest extends HearingRequest {
  /** Called once for every try, so that a second engine hears the sound from its start. 16-bit mono. */
  audio(): AsyncIterable<Int16Array>;
}

export interface Transcription {
  /** Empty when nobody spoke: silence is an answer, not a failure. */
  readonly text: string;
  readonly language?: SpokenLanguage;
  /** Only where asked for and `wordTimings`. */
  readonly words?: readonly TimedWord[];
}

/** What live hearing tells: guesses that the next one replaces, then a part of the text that stays. */
export type HearingEvent =
  | { readonly kind: 'speech-started' }
  | { readonly kind: 'partial'; readonly text: string }
  | { readonly kind: 'final'; readonly text: string; readonly language?: SpokenLanguage; readonly words?: readonly TimedWord[] }
  | { readonly kind: 'speech-ended' };

export interface LiveHearing {
  /** Never waits: an engine that falls too far behind ends the events with a ProviderFailure. */
  push(samples: Int16Array): void;
  /** No more sound will come; the events end once the last words are out. */
  finish(): void;
  readonly events: AsyncIterable<HearingEvent>;
  /** Drops everything at once. */
  close(): void;
}

/** Writes down what was said. Fails with a ProviderFailure, or with the signal's reason when the caller went away. */
export interface SpeechToText {
  readonly capabilities: SpeechToTextCapabilities;
  models(): Promise<readonly TranscriptionModel[]>;
  transcribe(request: TranscriptionRequest): Promise<Transcription>;
  /** Only where `live`. */
  listen?(request: HearingRequest): Promise<LiveHearing>;
  close(): Promise<void>;
}

/** A fake engine: hears what the script says next, and nothing in silence. It can be told to fail. */
export class ScriptedSpeechToText implements SpeechToText {
  readonly capabilities: SpeechToTextCapabilities;
  /** Seconds of sound in every request that was heard to its end. */
  readonly heardSeconds: number[] = [];
  private readonly failures: ProviderFailure[] = [];

  constructor(
    private readonly lines: string[] = [],
    capabilities: Partial<SpeechToTextCapabilities> = {},
  ) {
    this.capabilities = {
      provider: 'scripted',
      languages: ['english', 'hindi'],
      sampleRates: [16_000],
      live: false,
      wordTimings: false,
      languageDetection: false,
      secondsMax: 3600,
      grade: 'demo',
      ...capabilities,
    };
  }

  /** The next request fails so; further failures queue up behind it. */
  failNext(failure: ProviderFailure): void {
    this.failures.push(failure);
  }

  async models(): Promise<readonly TranscriptionModel[]> {
    return [{ id: 'script', name: 'Script', languages: this.capabilities.languages }];
  }

  async transcribe({ audio, sampleRate, language = 'english', signal }: TranscriptionRequest): Promise<Transcription> {
    const { provider, languages } = this.capabilities;
    if (!languages.includes(language)) throw new ProviderFailure(provider, `does not hear ${language}`, { retryable: false });
    signal?.throwIfAborted();
    let heard = 0;
    let isLoud = false;
    for await (const samples of audio()) {
      signal?.throwIfAborted();
      heard += samples.length;
      isLoud ||= samples.some((sample) => Math.abs(sample) > 500);
    }
    const failure = this.failures.shift();
    if (failure) throw failure;
    this.heardSeconds.push(heard / sampleRate);
    return { text: isLoud ? (this.lines.shift() ?? 'hello') : '', language };
  }

  async close(): Promise<void> {}
}
