import { Fault } from '@parley/contracts';

/** A withheld record looks like a missing one. */
export function notThere(what: string): Fault {
  return new Fault('NOT_FOUND', { message: `There is no such ${what}.` });
}
