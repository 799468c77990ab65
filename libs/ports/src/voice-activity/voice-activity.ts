/** An engine's capabilities, checked before it is given sound. */
export interface VoiceActivityCapabilities {
  readonly provider: string;
  readonly sampleRates: readonly number[];
  readonly windowMs: number;
  /** What it can distinguish. `voice` tells a voice from other sound; `loudness` takes every sound for a voice. */
  readonly tells: 'voice' | 'loudness';
  /** Why this engine works less well on this installation, and how to change that. Absent if nothing is wrong. */
  readonly impaired?: string;
}

/** One judged window. The windows of a stream come in order, without gaps unless the stream is far behind. */
export interface VoiceWindow {
  readonly startMs: number;
  readonly endMs: number;
  /** From 0 for no voice to 1. */
  readonly probability: number;
}

export interface VoiceRequest {
  readonly sampleRate: number;
  /** Called for every window, shortly after its last sample was pushed. */
  listener(window: VoiceWindow): void;
}

export interface VoiceStream {
  /**
   * 16-bit mono; times are counted from its first sample. Never blocks and never throws. Windows that `mayWait` may be judged a moment
   * later, together with those of other streams.
   */
  push(samples: Int16Array, mayWait?: boolean): void;
  /** No window is reported after this. */
  close(): void;
}

/**
 * Distinguishes voice from silence and noise. If the engine fails it falls back to a simpler method, because a call must not go
 * deaf.
 */
export interface VoiceActivity {
  readonly capabilities: VoiceActivityCapabilities;
  /** Resolves once the engine is ready; rejects for a sample rate that is not listed. */
  open(request: VoiceRequest): Promise<VoiceStream>;
  close(): Promise<void>;
}

const quietestDb = -100;

// Quieter sound is not speech into a telephone.
const voiceDbMin = -50;

const riseDbPerSecond = 3;

// At this level above the background a voice is as likely as not; further decibels make it more likely.
const evenDb = 9;

const slopeDb = 2.5;

const windowMs = 32;

/** Voice activity by loudness alone, without an engine: used where none can be loaded, and as a fake in tests. */
export class LoudnessVoiceActivity implements VoiceActivity {
  readonly capabilities: VoiceActivityCapabilities;

  constructor(impaired?: string) {
    const sampleRates = [8000, 16_000];
    this.capabilities = { provider: 'loudness', sampleRates, windowMs, tells: 'loudness', ...(impaired && { impaired }) };
  }

  async open({ sampleRate, listener }: VoiceRequest): Promise<VoiceStream> {
    if (!this.capabilities.sampleRates.includes(sampleRate)) throw new RangeError(`loudness is not judged at ${sampleRate} Hz`);
    const cutter = new WindowCutter((sampleRate * windowMs) / 1000, sampleRate);
    const voice = new LoudnessVoice();
    let isOpen = true;
    return {
      push: (samples) =>
        cutter.push(samples, (window, startMs) => {
          const probability = voice.judge(window, sampleRate);
          if (isOpen) listener({ startMs, endMs: startMs + windowMs, probability });
        }),
      close: () => {
        isOpen = false;
      },
    };
  }

  async close(): Promise<void> {}
}

/** Judges by loudness relative to the background so far: better than nothing, but fooled by every intermittent noise. */
export class LoudnessVoice {
  private quietDb = voiceDbMin - evenDb;

  /** How likely this window contains a voice. Windows of a stream must be given in order. */
  judge(window: Int16Array, sampleRate: number): number {
    const db = loudnessDb(window);
    const seconds = window.length / sampleRate;
    this.quietDb = db < this.quietDb ? db : Math.min(db, this.quietDb + riseDbPerSecond * seconds);
    if (db < voiceDbMin) return 0;
    return 1 / (1 + Math.exp(-(db - this.quietDb - evenDb) / slopeDb));
  }
}

function loudnessDb(window: Int16Array): number {
  let sum = 0;
  for (const sample of window) sum += sample * sample;
  return Math.max(quietestDb, 10 * Math.log10(sum / Math.max(1, window.length) / 32_768 ** 2));
}

/** Cuts a stream into windows of equal size, and tracks where they begin. */
export class WindowCutter {
  private readonly rest: Int16Array;
  private filled = 0;
  private cut = 0;

  constructor(
    private readonly windowSamples: number,
    private readonly sampleRate: number,
  ) {
    this.rest = new Int16Array(windowSamples);
  }

  /** Calls once for each window that these samples complete. The memory of a window is used again for the next one. */
  push(samples: Int16Array, each: (window: Int16Array, startMs: number) => void): void {
    for (let at = 0; at < samples.length;) {
      const part = samples.subarray(at, at + this.windowSamples - this.filled);
      this.rest.set(part, this.filled);
      this.filled += part.length;
      at += part.length;
      if (this.filled < this.windowSamples) return;
      each(this.rest, (this.cut * 1000) / this.sampleRate);
      this.cut += this.windowSamples;
      this.filled = 0;
    }
  }
}

export interface NoiseRequest {
  readonly sampleRate: number;
  /** From 0, which leaves the sound unchanged, to 100, which removes everything but the voice. */
  readonly strength: number;
  /**
   * Receives the cleaned sound in order, as many samples as were pushed, a few milliseconds late. The memory is reused
   * afterwards.
   */
  listener(samples: Int16Array): void;
}

export interface NoiseStream {
  /** 16-bit mono. Never blocks and never throws. */
  push(samples: Int16Array): void;
  close(): void;
}

/** Removes noise from a caller's sound. If it fails, the sound passes unchanged: a noisy caller is better than a mute one. */
export interface NoiseSuppression {
  /** How far the cleaned sound is delayed, in addition to processing time. */
  readonly delayMs: number;
  readonly sampleRates: readonly number[];
  open(request: NoiseRequest): Promise<NoiseStream>;
  close(): Promise<void>;
}

/** The capabilities of an engine that judges from sound whether a turn has ended. */
export interface TurnEndCapabilities {
  readonly provider: string;
  readonly sampleRates: readonly number[];
  /** How much of the end of a turn is examined; older sound need not be kept. */
  readonly secondsMax: number;
  /** Why it cannot work on this installation, and how to change that. Absent if it can. */
  readonly unavailable?: string;
}

export interface TurnEndRequest {
  /** The turn's speech, 16-bit mono, up to the pause in question. */
  readonly samples: Int16Array;
  readonly sampleRate: number;
}

/** Judges from a turn's sound, its intonation and pace, whether the speaker has finished. */
export interface TurnEnd {
  readonly capabilities: TurnEndCapabilities;
  /**
   * From 0, unfinished, to 1, finished. Undefined if there is no result in time: a waiting caller is not delayed for it. Rejects
   * only for a sample rate that is not listed.
   */
  judge(request: TurnEndRequest): Promise<number | undefined>;
  close(): Promise<void>;
}

/** A fake: answers from a list, and once it is empty, judges a turn that ends loudly as unfinished. */
export class ScriptedTurnEnd implements TurnEnd {
  readonly capabilities: TurnEndCapabilities = { provider: 'scripted', sampleRates: [8000, 16_000], secondsMax: 8 };
  /** How long each judged sound was. */
  readonly heardSeconds: number[] = [];

  constructor(private readonly script: (number | undefined)[] = []) {}

  async judge({ samples, sampleRate }: TurnEndRequest): Promise<number | undefined> {
    if (!this.capabilities.sampleRates.includes(sampleRate)) throw new RangeError(`scripted does not judge ${sampleRate} Hz`);
    this.heardSeconds.push(samples.length / sampleRate);
    if (this.script.length > 0) return this.script.shift();
    return samples.slice(-sampleRate / 10).some((sample) => Math.abs(sample) > 1000) ? 0.1 : 0.9;
  }

  async close(): Promise<void> {}
}
