/** How samples are written on a carrier's line: PCM is 16-bit little-endian mono, the others are G.711. */
export type MediaEncoding = 'pcm16' | 'mulaw' | 'alaw';

export interface MediaFormat {
  readonly encoding: MediaEncoding;
  readonly sampleRate: number;
}

/** Bytes of so many milliseconds of audio. */
export function bytesOfMs({ encoding, sampleRate }: MediaFormat, ms: number): number {
  const samples = Math.round((sampleRate * ms) / 1000);
  return encoding === 'pcm16' ? samples * 2 : samples;
}

/** Milliseconds that so many bytes of audio last. */
export function msOfBytes({ encoding, sampleRate }: MediaFormat, bytes: number): number {
  return (bytes * 1000) / (encoding === 'pcm16' ? sampleRate * 2 : sampleRate);
}

/** What a carrier's media can do. The service that bridges a call plans by this, never by the carrier's name. */
export interface MediaCapabilities {
  /** What the line may carry, the best first. The `started` event says which it is; both directions use the same. */
  readonly formats: readonly MediaFormat[];
  /** How much audio a message from the carrier usually holds. */
  readonly frameMs: number;
  /** What one message to the carrier must hold, in bytes. The adapter cuts and gathers; nobody else need know. */
  readonly chunk: { readonly bytesMin: number; readonly bytesMultiple: number; readonly bytesMax: number };
  /**
   * Who says what was heard: the carrier, the adapter's own clock (which knows no more than the caller of this port), or nobody.
   */
  readonly marks: 'carrier' | 'clock';
  /** Who drops what was handed over and not heard: the carrier, or the adapter, which then holds back all but `aheadMsMax`. */
  readonly clears: 'carrier' | 'adapter';
  /** How far ahead of the listener audio leaves the adapter at most. Infinite where the carrier queues all it is given. */
  readonly aheadMsMax: number;
  /** How far ahead audio should be handed over, lest large chunks run dry at the listener's end. */
  readonly leadMs: number;
  readonly digitsIn: boolean;
  /** How keys are pressed on the line: by a message, by their tones in the audio, or only by call control. */
  readonly digitsOut: 'message' | 'tone' | 'control';
  /** Whether hanging up the media ends the call too. Where not, call control must end it. */
  readonly hangUpEndsCall: boolean;
}
