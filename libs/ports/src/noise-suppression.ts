export interface NoiseRequest {
  readonly sampleRate: number;
  /** From 0, which leaves the sound as it is, to 100, which takes away all that is not a voice. */
  readonly strength: number;
  /** Gets the cleaned sound in order, as many samples as were pushed and a few milliseconds late. Its memory is used again afterwards. */
  listener(samples: Int16Array): void;
}

export interface NoiseStream {
  /** 16-bit mono. Never waits and never throws. */
  push(samples: Int16Array): void;
  close(): void;
}

/** Takes the noise out of a caller's sound. Where it fails, the sound comes as it was: a noisy caller is better than a mute one. */
export interface NoiseSuppression {
  /** How much later the cleaned sound is, besides the time that the work takes. */
  readonly delayMs: number;
  readonly sampleRates: readonly number[];
  open(request: NoiseRequest): Promise<NoiseStream>;
  close(): Promise<void>;
}
