import { AudioFailure, type AudioFailureReason } from '@parley/audio';
import { Fault, type FaultCode } from '@parley/contracts';
import { ProviderFailure } from '@parley/ports';

const retryAfterSecondsDefault = 5;

const codes: Record<AudioFailureReason, FaultCode> = {
  unrecognised: 'UNSUPPORTED_MEDIA_TYPE',
  unsupported: 'UNSUPPORTED_MEDIA_TYPE',
  damaged: 'VALIDATION_FAILED',
  truncated: 'VALIDATION_FAILED',
  'too-long': 'PAYLOAD_TOO_LARGE',
};

/** What a client may be told of a failure of speech. Anything else stays as it is. */
export function asSpeechFault(failure: unknown): unknown {
  if (failure instanceof AudioFailure) {
    const { reason, message } = failure;
    return new Fault(codes[reason], { message, details: [{ field: 'audioFile', message }], cause: failure });
  }
  if (!(failure instanceof ProviderFailure)) return failure;
  const retryAfterSeconds = Math.ceil((failure.retryAfterMs ?? 0) / 1000) || retryAfterSecondsDefault;
  return new Fault('SPEECH_PROVIDER_UNAVAILABLE', { retryAfterSeconds, cause: failure });
}
