import type { VoiceWindow } from '@parley/ports';

/** The results of transcribing a line. */
export type Written =
  | { readonly kind: 'partial'; readonly text: string }
  /** Without a position: everything heard until now. */
  | { readonly kind: 'final'; readonly text: string; readonly atSample?: number }
  /** The engine is slower than the speaker, and some speech was skipped. */
  | { readonly kind: 'behind' }
  | { readonly kind: 'failed'; readonly failure: unknown };

/** Transcribes the sound of a line. Only `finish` waits. */
export interface LineWriter {
  push(samples: Int16Array): void;
  /** What was pushed is judged up to here. A line that comes in bursts is pushed seconds ahead of that. */
  judged(untilMs: number): void;
  /** Speech began at this time, a little before it was detected. */
  speechStarted(atMs: number): void;
  /** It ended at this time; the silence after it is judged as well. */
  speechEnded(atMs: number): void;
  /** Resolves once everything heard has been transcribed. */
  finish(): Promise<void>;
  /** Discards everything at once. */
  close(): void;
}

/** The limits of a transcribed line. */
export interface LinePatience {
  readonly lineMsMax: number;
  /** How long the transcript of the last words may take after the line ends. */
  readonly lastWordsMs: number;
  /** How long a stopping process waits for the speaker to pause. */
  readonly movingMs: number;
  /** Usage is reported after this much sound. */
  readonly usageSeconds: number;
}

/** The injection token of the limits. */
export const LinePatience = Symbol('line patience');

/** Limits for an ordinary line. */
export const ordinaryPatience: LinePatience = {
  lineMsMax: 4 * 3_600_000,
  lastWordsMs: 18_000,
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
/** The silence that ends an utterance. */
export const endingSilenceMs = 600;

/** Finds the beginning and end of speech on a line from the probabilities of its windows. */
export class Endpointing {
  isSpeaking = false;
  /** How far the sound has been judged. */
  judgedMs = 0;
  private voiceSinceMs: number | undefined;
  private silentSinceMs: number | undefined;
  private readonly voiceMsMin: number;
  private readonly silenceMs: number;

  constructor({ voiceMsMin = 60, silenceMs = endingSilenceMs }: EndpointingOptions = {}) {
    this.voiceMsMin = voiceMsMin;
    this.silenceMs = silenceMs;
  }

  /** The boundary that this window confirms, if any. */
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
