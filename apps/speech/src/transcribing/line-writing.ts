import type { VoiceWindow } from '@parley/ports';

/** What comes of writing down a line. */
export type Written =
  | { readonly kind: 'partial'; readonly text: string }
  /** Without a position: everything heard until now. */
  | { readonly kind: 'final'; readonly text: string; readonly atSample?: number }
  /** The engine is slower than the speaker, and something said was left out. */
  | { readonly kind: 'behind' }
  | { readonly kind: 'failed'; readonly failure: unknown };

/** Writes down the sound of a line. Nothing here waits but the end. */
export interface LineWriter {
  push(samples: Int16Array): void;
  /** Speech began before the moment at which that became certain. */
  speechStarted(atMs: number): void;
  speechEnded(): void;
  /** Resolves once everything heard has been written. */
  finish(): Promise<void>;
  /** Discards everything at once. */
  close(): void;
}

/** The limits of a transcribed line. */
export interface LinePatience {
  /** Nothing at all came for so long: no sound, no signal. */
  readonly idleMs: number;
  readonly lineMsMax: number;
  /** How long the last words may take once the line ends. */
  readonly lastWordsMs: number;
  /** How long a process that stops waits for the speaker to pause. */
  readonly movingMs: number;
  /** Usage is reported after this much sound. */
  readonly usageSeconds: number;
}

/** The injection token of the limits. */
export const LinePatience = Symbol('line patience');

/** Limits for an ordinary line. */
export const ordinaryPatience: LinePatience = {
  idleMs: 60_000,
  lineMsMax: 4 * 3_600_000,
  lastWordsMs: 10_000,
  movingMs: 3000,
  usageSeconds: 5,
};

/** A stretch of speech begins or ends. */
export interface SpeechBoundary {
  readonly kind: 'started' | 'ended';
  readonly atMs: number;
}

export interface EndpointingOptions {
  /** A voice that lasts shorter is a click. */
  readonly voiceMsMin?: number;
  /** The silence that ends an utterance. */
  readonly silenceMs?: number;
}

const voiceProbability = 0.5;

/** Finds where speech begins and ends on a line from judged windows of its sound. */
export class Endpointing {
  isSpeaking = false;
  /** Sound is judged up to here. */
  judgedMs = 0;
  private voiceSinceMs: number | undefined;
  private silentSinceMs: number | undefined;
  private readonly voiceMsMin: number;
  private readonly silenceMs: number;

  constructor({ voiceMsMin = 60, silenceMs = 600 }: EndpointingOptions = {}) {
    this.voiceMsMin = voiceMsMin;
    this.silenceMs = silenceMs;
  }

  /** What this window makes certain. */
  push({ startMs, endMs, probability }: VoiceWindow): SpeechBoundary | undefined {
    this.judgedMs = endMs;
    const isVoice = probability >= voiceProbability;
    this.voiceSinceMs = isVoice ? (this.voiceSinceMs ?? startMs) : undefined;
    this.silentSinceMs = isVoice ? undefined : (this.silentSinceMs ?? startMs);
    const since = this.isSpeaking ? this.silentSinceMs : this.voiceSinceMs;
    if (since === undefined || endMs - since < (this.isSpeaking ? this.silenceMs : this.voiceMsMin)) return undefined;
    this.isSpeaking = !this.isSpeaking;
    return { kind: this.isSpeaking ? 'started' : 'ended', atMs: Math.round(since) };
  }
}
