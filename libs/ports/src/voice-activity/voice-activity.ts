/** What an engine can do, so that nobody gives it a sound that it cannot judge. */
export interface VoiceActivityCapabilities {
  readonly provider: string;
  readonly sampleRates: readonly number[];
  readonly windowMs: number;
  /** How sure it is to tell a voice from other sound. `loudness` takes every sound for a voice. */
  readonly tells: 'voice' | 'loudness';
  /** Why this engine works in a lesser way on this installation, and what would change that. Absent when all is well. */
  readonly impaired?: string;
}

/** One judged window. Windows of a stream come in order, without gaps between them, unless the stream is far behind. */
export interface VoiceWindow {
  readonly startMs: number;
  readonly endMs: number;
  /** From 0, no voice, to 1. */
  readonly probability: number;
}

export interface VoiceRequest {
  readonly sampleRate: number;
  /** Told of every window, a moment after its last sample was pushed. */
  listener(window: VoiceWindow): void;
}

export interface VoiceStream {
  /** 16-bit mono; times count from its first sample. Never waits and never throws. */
  push(samples: Int16Array): void;
  /** No window is told of after this. */
  close(): void;
}

/** Tells a voice from silence and noise. A failing engine goes on in a lesser way: a call must not become deaf of it. */
export interface VoiceActivity {
  readonly capabilities: VoiceActivityCapabilities;
  /** Resolves once the engine is ready; refuses a rate that it does not list. */
  open(request: VoiceRequest): Promise<VoiceStream>;
  close(): Promise<void>;
}
