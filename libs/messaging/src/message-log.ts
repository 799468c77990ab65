import { Logger } from '@nestjs/common';

/** Where messaging says what must not reach a caller. A pino logger fits as it is. */
export interface MessageLog {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Writes through whatever logger the Nest application has. */
export const nestMessageLog: MessageLog = {
  error: (fields, message) => Logger.error({ ...fields, message }, 'messaging'),
  warn: (fields, message) => Logger.warn({ ...fields, message }, 'messaging'),
};
