import { trace } from '@opentelemetry/api';
import { currentCall } from '@parley/messaging';
import pino from 'pino';
import pretty from 'pino-pretty';
import { Logger, scrubFields, scrubText } from './logger';

interface LoggingOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Text for a person at a terminal instead of JSON for a collector. */
  readonly isReadable: boolean;
  readonly writesPii: boolean;
  /** Standard output unless a test listens. */
  readonly destination?: NodeJS.WritableStream & { write(line: string): unknown };
}

/** The log of a process. Lines are written before the call returns, so that the last one survives a crash. */
export function createLogger(options: LoggingOptions): Logger {
  const destination = options.destination ?? pino.destination({ fd: 1, sync: true });
  const stream = options.isReadable
    ? pretty({ destination, sync: true, colorize: process.stdout.isTTY, ignore: 'pid,hostname' })
    : destination;
  const lines = pino(
    {
      level: options.level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: fieldsOfCurrentCall,
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => scrubFields(fields, options.writesPii),
      },
    },
    stream,
  );
  return new PinoLogger(lines, options.writesPii);
}

function fieldsOfCurrentCall(): Record<string, string | number> {
  const call = currentCall();
  const traceId = trace.getActiveSpan()?.spanContext().traceId ?? call?.traceparent?.split('-')[1];
  return {
    ...(call && { requestId: call.requestId }),
    ...(call?.principal && { orgId: call.principal.orgId }),
    ...(traceId && { traceId }),
  };
}

class PinoLogger extends Logger {
  constructor(
    private readonly lines: pino.Logger,
    private readonly writesPii: boolean,
  ) {
    super();
  }

  debug(message: string, fields: object = {}): void {
    this.lines.debug(fields, scrubText(message));
  }

  info(message: string, fields: object = {}): void {
    this.lines.info(fields, scrubText(message));
  }

  warn(message: string, fields: object = {}): void {
    this.lines.warn(fields, scrubText(message));
  }

  error(message: string, fields: object = {}): void {
    this.lines.error(fields, scrubText(message));
  }

  with(fields: object): Logger {
    return new PinoLogger(this.lines.child(scrubFields(fields, this.writesPii)), this.writesPii);
  }
}
