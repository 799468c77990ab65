import { Fault } from '@parley/contracts';

/** The file as a whole cannot be read: nothing of it is saved, and the client reads why. */
export function badFile(message: string): Fault {
  return new Fault('VALIDATION_FAILED', {
    message: `The file cannot be read: ${message}.`,
    details: [{ field: 'file', message }],
  });
}
