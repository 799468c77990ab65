import { STATUS_CODES } from 'node:http';
import { Fault, type ServerFrame } from '@parley/contracts';
import { asSpeechFault } from '../engines/speech-fault';

/** The error frame of a voice line: what the same failure would be over HTTP. */
export function faultFrame(failure: unknown, requestId: string): ServerFrame {
  const known = asSpeechFault(failure);
  const fault = known instanceof Fault ? known : new Fault('INTERNAL', { cause: known });
  const { status: statusCode, code, message } = fault;
  return { type: 'error', statusCode, error: STATUS_CODES[statusCode] ?? '', code, message, details: [...fault.details], requestId };
}
