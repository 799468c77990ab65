import type { VoiceWindow } from '@parley/ports';

export interface SpeechDetectorOptions {
  /** A window above this may begin a voice. */
  readonly startAbove?: number;
  /** A window below this may end one; what lies between carries on what is. */
  readonly stopBelow?: number;
  readonly speechMinMs?: number;
  readonly silenceMinMs?: number;
}

/** A window, and whether what is heard in it may be the agent's own voice coming back. */
export interface GuardedWindow extends VoiceWindow {
  readonly isDoubtful?: boolean;
}

export type SpeechEdge = { readonly kind: 'speech-started' | 'speech-stopped'; readonly atMs: number };

const startAboveInDoubt = 0.8;
const speechMinMsInDoubt = 120;

/** Makes voices with a beginning and an end out of windows that waver. */
export class SpeechDetector {
  private readonly options: Required<SpeechDetectorOptions>;
  private isSpeech = false;
  /** Where the run of windows that may change the state began, and what it holds so far. */
  private runStartMs: number | undefined;

  constructor(options: SpeechDetectorOptions = {}) {
    this.options = { startAbove: 0.5, stopBelow: 0.35, speechMinMs: 50, silenceMinMs: 150, ...options };
  }

  /** What became certain with this window. Times are those at which it happened, which is a little earlier. */
  hear(window: GuardedWindow): SpeechEdge | undefined {
    return this.isSpeech ? this.listenForEnd(window) : this.listenForStart(window);
  }

  private listenForStart({ startMs, endMs, probability, isDoubtful = false }: GuardedWindow): SpeechEdge | undefined {
    const { startAbove, stopBelow, speechMinMs } = this.options;
    if (probability >= (isDoubtful ? startAboveInDoubt : startAbove)) this.runStartMs ??= startMs;
    else if (probability < stopBelow) this.runStartMs = undefined;
    if (this.runStartMs === undefined || endMs - this.runStartMs < (isDoubtful ? speechMinMsInDoubt : speechMinMs))
      return undefined;
    return this.turn('speech-started', this.runStartMs);
  }

  private listenForEnd({ startMs, endMs, probability }: GuardedWindow): SpeechEdge | undefined {
    const { stopBelow, silenceMinMs } = this.options;
    if (probability >= stopBelow) this.runStartMs = undefined;
    else this.runStartMs ??= startMs;
    if (this.runStartMs === undefined || endMs - this.runStartMs < silenceMinMs) return undefined;
    return this.turn('speech-stopped', this.runStartMs);
  }

  private turn(kind: SpeechEdge['kind'], atMs: number): SpeechEdge {
    this.isSpeech = kind === 'speech-started';
    this.runStartMs = undefined;
    return { kind, atMs };
  }
}
