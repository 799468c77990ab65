import { Fault, type Principal } from '@parley/contracts';
import type { Call } from '@parley/messaging';

/** Who asks. Refuses to guess: work that nobody asked for has no caller. */
export function callerOf({ principal }: Call): Principal {
  if (!principal) throw new Fault('INTERNAL', { cause: new Error('no principal in this call') });
  return principal;
}
