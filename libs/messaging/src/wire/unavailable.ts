import { Fault } from '@parley/contracts';

/** The fault of everything that is not there, or not any more. */
export function unavailable(cause: string): Fault {
  return new Fault('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1, cause: new Error(cause) });
}
