import type { VoiceWindow } from '@parley/ports';

/** A stretch of speech begins or ends. */
export interface Utterance {
  readonly kind: 'started' | 'ended';
  readonly atMs: number;
}

export interface EndpointingOptions {
  /** A voice that lasts shorter is a click. */
  readonly voiceMsMin?: number;
  /** So long a silence ends what was being said. */
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
  heed({ startMs, endMs, probability }: VoiceWindow): Utterance | undefined {
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
