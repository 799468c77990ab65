import { ProviderFailure } from '../provider-failure';
import type { SpeechGrade, SpokenLanguage, TimedWord } from '../text-to-speech/text-to-speech';

/** An engine's capabilities, checked before it is asked. */
export interface SpeechToTextCapabilities {
  readonly provider: string;
  readonly languages: readonly SpokenLanguage[];
  /** Accepted rates, best first. */
  readonly sampleRates: readonly number[];
  /** Transcribes while the speaker is still speaking. */
  readonly live: boolean;
  readonly wordTimings: boolean;
  readonly languageDetection: boolean;
  /** The longest sound that one request accepts. */
  readonly secondsMax: number;
  readonly grade: SpeechGrade;
  /** Why the engine cannot work on this installation, and how to change that. Absent if it works. */
  readonly unavailable?: string;
  /** Why one of its models cannot be used on this installation, and how to change that. Absent if all work that it lists. */
  readonly whyNoModel?: (id: string) => string | undefined;
}

export interface TranscriptionModel {
  readonly id: string;
  readonly name: string;
  readonly languages: readonly SpokenLanguage[];
}

export interface HearingRequest {
  readonly sampleRate: number;
  /** If absent, the engine detects it if it can, and otherwise uses its first language. */
  readonly language?: SpokenLanguage;
  readonly model?: string;
  readonly words?: boolean;
  readonly signal?: AbortSignal;
  /** After this long without an answer an engine is given up, and the next one is asked. Of a live line: once its sound is complete. */
  readonly answerMs?: number;
  /** Called for each engine that fails, even if another takes over. */
  readonly onFailure?: ((failure: ProviderFailure) => void) | undefined;
}

export interface TranscriptionRequest extends HearingRequest {
  /** Called once per attempt, so that a second engine gets the sound from the start. 16-bit mono. */
  audio(): AsyncIterable<Int16Array>;
  /** After this long without an answer the next engine is asked too, and the first answer counts. Absent: never. */
  readonly hedgeMs?: number | undefined;
}

export interface Transcription {
  /** Empty for silence, which is not a failure. */
  readonly text: string;
  readonly language?: SpokenLanguage;
  /** Only if requested and `wordTimings`. */
  readonly words?: readonly TimedWord[];
}

/** The events of live transcription: partial texts, each replaced by the next, then a final part of the text. */
export type HearingEvent =
  | { readonly kind: 'speech-started' }
  | { readonly kind: 'partial'; readonly text: string }
  | { readonly kind: 'final'; readonly text: string; readonly language?: SpokenLanguage; readonly words?: readonly TimedWord[] }
  | { readonly kind: 'speech-ended' };

export interface LiveHearing {
  /** Never blocks: an engine that falls too far behind ends the events with a ProviderFailure. */
  push(samples: Int16Array): void;
  /** No more sound follows; the events end after the last words. */
  finish(): void;
  readonly events: AsyncIterable<HearingEvent>;
  /** Discards everything at once. */
  close(): void;
}

/** Transcribes speech. Fails with a ProviderFailure, or with the signal's reason if the caller left. */
export interface SpeechToText {
  readonly capabilities: SpeechToTextCapabilities;
  models(): Promise<readonly TranscriptionModel[]>;
  transcribe(request: TranscriptionRequest): Promise<Transcription>;
  /** Only if `live`. */
  listen?(request: HearingRequest): Promise<LiveHearing>;
  close(): Promise<void>;
}

/** How long an engine may take over this much sound for somebody who waits for it in silence. */
export function liveAnswerMs(soundMs: number): number {
  return 5000 + soundMs / 2;
}

/** A fake engine: returns the script's next text for sound, and nothing for silence. It can be told to fail. */
export class ScriptedSpeechToText implements SpeechToText {
  readonly capabilities: SpeechToTextCapabilities;
  /** Seconds of sound in every request that was transcribed to its end. */
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

  /** Makes the next request fail; further failures are queued behind it. */
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
    signal?.throwIfAborted();
    const failure = this.failures.shift();
    if (failure) throw failure;
    this.heardSeconds.push(heard / sampleRate);
    return { text: isLoud ? (this.lines.shift() ?? 'hello') : '', language };
  }

  async close(): Promise<void> {}
}

/** How much of a recording has been transcribed. */
interface HeardPart {
  readonly untilMs: number;
}

interface Piece {
  readonly samples: Int16Array;
  readonly startMs: number;
}

/**
 * Transcribes sound of any length with an engine limited to short sounds: cuts it at the quietest moment near the end of each
 * piece, one piece after the other, so that an hour needs no more memory than a minute. Yields after each piece how far it is.
 */
export async function* transcribeInPieces(
  engine: SpeechToText,
  request: TranscriptionRequest,
): AsyncGenerator<HeardPart, Transcription> {
  const texts: string[] = [];
  const words: TimedWord[] = [];
  let heard: Transcription | undefined;
  const secondsMax = Math.min(engine.capabilities.secondsMax, pieceSecondsMax);
  for await (const { samples, startMs } of piecesOf(request.audio(), request.sampleRate, secondsMax)) {
    const answerMs = answerMsMin + (samples.length * 1000) / request.sampleRate;
    heard = await engine.transcribe({ answerMs, ...request, audio: () => once(samples) });
    if (heard.text) texts.push(heard.text);
    words.push(...(heard.words ?? []).map((word) => movedBy(startMs, word)));
    yield { untilMs: startMs + (samples.length * 1000) / request.sampleRate };
  }
  heard ??= await engine.transcribe({ ...request, audio: () => once(new Int16Array(0)) });
  return { ...heard, text: texts.join(' '), ...(heard.words && { words }) };
}

const pieceSecondsMax = 120;
/** How long a recording may take to be transcribed, besides its own length. */
const answerMsMin = 30_000;

/** Joins blocks into pieces of at most this many seconds. */
export async function* piecesOf(audio: AsyncIterable<Int16Array>, sampleRate: number, secondsMax: number): AsyncGenerator<Piece> {
  const room = new Int16Array(Math.floor(secondsMax * sampleRate));
  let filled = 0;
  let passed = 0;
  for await (const block of audio) {
    for (let at = 0; at < block.length;) {
      const part = block.subarray(at, at + room.length - filled);
      room.set(part, filled);
      at += part.length;
      filled += part.length;
      if (filled < room.length) continue;
      const cut = quietestCut(room, sampleRate);
      yield { samples: room.slice(0, cut), startMs: (passed * 1000) / sampleRate };
      room.copyWithin(0, cut);
      filled -= cut;
      passed += cut;
    }
  }
  if (filled > 0) yield { samples: room.slice(0, filled), startMs: (passed * 1000) / sampleRate };
}

/** The middle of the quietest fifth of a second in the last third of a piece, which is rarely within a word. */
function quietestCut(samples: Int16Array, sampleRate: number): number {
  const window = Math.round(sampleRate / 5);
  let cut = samples.length;
  let quietest = Number.POSITIVE_INFINITY;
  for (let start = Math.floor((samples.length * 2) / 3); start + window <= samples.length; start += window / 2) {
    let loudness = 0;
    for (const sample of samples.subarray(start, start + window)) loudness += Math.abs(sample);
    if (loudness >= quietest) continue;
    quietest = loudness;
    cut = Math.floor(start + window / 2);
  }
  return cut;
}

function movedBy(startMs: number, word: TimedWord): TimedWord {
  return { text: word.text, startMs: word.startMs + startMs, endMs: word.endMs + startMs };
}

async function* once(samples: Int16Array): AsyncGenerator<Int16Array> {
  if (samples.length > 0) yield samples;
}
