import { Fault } from '@parley/contracts';

/** What is there but withheld looks as if it were not. */
export function notThere(what: string): Fault {
  return new Fault('NOT_FOUND', { message: `There is no such ${what}.` });
}
