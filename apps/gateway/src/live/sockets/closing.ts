import { Fault, type FaultCode, type ServerFrame, socketCloseCodes } from '@parley/contracts';
import { faultBody } from '../../door/faults/fault-body';

/** How a socket ends. */
export interface Closing {
  readonly code: number;
  readonly reason: string;
}

/** The bytes that a close frame has for its reason. */
const reasonBytesMax = 120;

const byFault: Partial<Record<FaultCode, number>> = {
  API_KEY_MISSING: socketCloseCodes.unauthenticated,
  API_KEY_INVALID: socketCloseCodes.unauthenticated,
  SCOPE_MISSING: socketCloseCodes.forbidden,
  CREDITS_EXHAUSTED: socketCloseCodes.forbidden,
  RATE_LIMITED: socketCloseCodes.tooManyConnections,
  INTERNAL: socketCloseCodes.failed,
  SERVICE_UNAVAILABLE: socketCloseCodes.unavailable,
  SPEECH_PROVIDER_UNAVAILABLE: socketCloseCodes.unavailable,
  MODEL_PROVIDER_UNAVAILABLE: socketCloseCodes.unavailable,
  DEADLINE_EXCEEDED: socketCloseCodes.unavailable,
};

/** How a socket ends for which this went wrong. What the client could have known better is a violation of the protocol. */
export function closingFor(fault: Fault, code = byFault[fault.code] ?? socketCloseCodes.badFrames): Closing {
  return { code, reason: shortened(fault.message) };
}

/** A fault as the frame that tells of it. */
export function errorFrame(fault: Fault, requestId: string): ServerFrame {
  return { type: 'error', ...faultBody(fault, requestId) };
}

function shortened(text: string): string {
  let short = text.slice(0, reasonBytesMax);
  while (Buffer.byteLength(short) > reasonBytesMax) short = short.slice(0, -1);
  return short;
}
