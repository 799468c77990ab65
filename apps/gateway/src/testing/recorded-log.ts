import { Logger, type LogLevel } from '@parley/service-kit';

interface Line {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: object;
}

/** A log that keeps its lines for a test to read. */
export class RecordedLog extends Logger {
  readonly lines: Line[] = [];

  debug(message: string, fields: object = {}): void {
    this.lines.push({ level: 'debug', message, fields });
  }

  info(message: string, fields: object = {}): void {
    this.lines.push({ level: 'info', message, fields });
  }

  warn(message: string, fields: object = {}): void {
    this.lines.push({ level: 'warn', message, fields });
  }

  error(message: string, fields: object = {}): void {
    this.lines.push({ level: 'error', message, fields });
  }

  with(): Logger {
    return this;
  }
}
