import type { Logger } from '../logging/logger';
import { exitCodes } from './exit';

/** An error that nobody caught leaves the process in an unknown state: it is logged once, and the supervisor starts anew. */
export function exitOnUncaught(log: Logger): void {
  const crash = (kind: string) => (error: unknown) => {
    log.error('The process ends after an error that nobody caught', { kind, error });
    process.exit(exitCodes.failed);
  };
  process.once('uncaughtException', crash('exception'));
  process.once('unhandledRejection', crash('rejection'));
}
