/** Why bytes that were called audio cannot be heard. */
export type AudioFailureReason = 'unrecognised' | 'unsupported' | 'damaged' | 'truncated' | 'too-long';

/** Bytes that are not the audio they were said to be. The message is meant for whoever sent them. */
export class AudioFailure extends Error {
  override readonly name = 'AudioFailure';

  constructor(
    readonly reason: AudioFailureReason,
    message: string,
  ) {
    super(message);
  }
}
