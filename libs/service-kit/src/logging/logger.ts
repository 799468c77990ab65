export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/**
 * The log of one service. The message is a fixed sentence, so that lines can be counted; what varies goes into fields.
 * What people said, their numbers and prompts go under `pii`, which is written only where the operator allows it.
 */
export abstract class Logger {
  abstract debug(message: string, fields?: object): void;
  abstract info(message: string, fields?: object): void;
  abstract warn(message: string, fields?: object): void;
  abstract error(message: string, fields?: object): void;
  /** The same log with fields on every line. */
  abstract with(fields: object): Logger;
}
