import { AsyncLocalStorage } from 'node:async_hooks';
import type { LoggerService } from '@nestjs/common';
import { trace } from '@opentelemetry/api';
import { Fault } from '@parley/contracts';
import { currentCall } from '@parley/messaging';
import { ProviderFailure } from '@parley/ports';
import { LRUCache } from 'lru-cache';
import pino from 'pino';
import pretty from 'pino-pretty';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/**
 * The log of one service. The message is a fixed sentence, so that lines can be counted; everything variable goes into fields.
 * What people said, their numbers and prompts go under `pii`, which is written only if the operator allows it.
 */
export abstract class Logger {
  abstract debug(message: string, fields?: object): void;
  abstract info(message: string, fields?: object): void;
  abstract warn(message: string, fields?: object): void;
  abstract error(message: string, fields?: object): void;
  /** The same log with fields on every line. */
  abstract with(fields: object): Logger;
}

/** The limits of a log line: nesting depth, number of entries, and characters of one text. */
const depthMax = 5;
const entriesMax = 50;
const charactersMax = 4_000;

const secretNames = /^(x-api-key|authorization|proxy-authorization|cookie|set-cookie|password|passwd|secret|token|api_?key)$/i;
const urlPassword = /([a-z][a-z0-9+.-]{0,20}:\/\/[^\s:/@]{0,100}):[^\s@/]{1,200}@/gi;
const issuedKey = /\b(agt|ext_api|wsk)_[0-9A-Za-z]{8,}/g;

/** Text without passwords in URLs and without the secret part of our own keys. */
export function scrubText(text: string): string {
  const cut = text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text;
  return cut.replace(urlPassword, '$1:[redacted]@').replace(issuedKey, '$1_[redacted]');
}

/** The cleaned fields of a log line: no secrets, and `pii` only if the operator enabled it. */
function scrubFields(fields: object, writesPii: boolean): Record<string, unknown> {
  return scrubRecord(fields, writesPii, 0);
}

function scrubRecord(record: object, writesPii: boolean, depth: number): Record<string, unknown> {
  const entries = Object.entries(record).slice(0, entriesMax);
  const kept = entries.filter(([name]) => writesPii || (name !== 'pii' && !name.startsWith('pii.')));
  return Object.fromEntries(
    kept.map(([name, value]) => [name, secretNames.test(name) ? '[redacted]' : scrub(value, writesPii, depth + 1)]),
  );
}

function scrub(value: unknown, writesPii: boolean, depth: number): unknown {
  if (typeof value === 'string') return scrubText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return value;
  if (value instanceof Error) return describeError(value, writesPii, depth);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth > depthMax) return '[deeper]';
  if (Array.isArray(value)) return value.slice(0, entriesMax).map((item) => scrub(item, writesPii, depth + 1));
  return scrubRecord(value, writesPii, depth);
}

/**
 * An error with its chain of causes, including the stack but not the values that drivers add to their errors. A refusal that nothing
 * else caused is told without one: it is an outcome, no defect, and clients can bring it about as often as they like.
 */
function describeError(error: Error, writesPii: boolean, depth: number): Record<string, unknown> {
  const code: unknown = 'code' in error ? error.code : undefined;
  return {
    type: error.name,
    message: scrubText(error.message),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(isRefusal(error) ? {} : { stack: scrubText(error.stack ?? '') }),
    ...(error.cause === undefined || depth > depthMax ? {} : { cause: scrub(error.cause, writesPii, depth + 1) }),
  };
}

function isRefusal(error: Error): boolean {
  if (error.cause !== undefined) return false;
  return error instanceof ProviderFailure || (error instanceof Fault && error.code !== 'INTERNAL');
}

interface LoggingOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Writes text for a terminal instead of JSON for a collector. */
  readonly isReadable: boolean;
  readonly writesPii: boolean;
  /** Standard output, unless a test captures it. */
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

const surroundingLog = new AsyncLocalStorage<Logger>();

/**
 * Sends everything that Nest logs while `work` runs, and from timers and listeners created in it, to this log. Nest has one
 * logger per process, so several services in a process would otherwise log under one name.
 */
export function runWithLog<T>(log: Logger, work: () => T): T {
  return surroundingLog.run(log, work);
}

/** Nest's own lines, written to our log. Those about routes and modules are logged at debug level. */
export class FrameworkLog implements LoggerService {
  constructor(private readonly fallback: Logger) {}

  log(message: unknown, context?: unknown): void {
    this.line('debug', message, [context]);
  }

  debug(message: unknown, context?: unknown): void {
    this.line('debug', message, [context]);
  }

  verbose(message: unknown, context?: unknown): void {
    this.line('debug', message, [context]);
  }

  warn(message: unknown, ...details: unknown[]): void {
    this.line('warn', message, details);
  }

  error(message: unknown, ...details: unknown[]): void {
    this.line('error', message, details);
  }

  fatal(message: unknown, ...details: unknown[]): void {
    this.line('error', message, details);
  }

  private line(level: 'debug' | 'warn' | 'error', message: unknown, details: unknown[]): void {
    const log = surroundingLog.getStore() ?? this.fallback;
    const { words, fields } = asLine(
      message,
      details.filter((detail) => detail !== undefined),
    );
    log[level](words, fields);
  }
}

/**
 * Nest's logger is called in three ways: with a sentence, an error, or fields with a sentence after or among them; the context
 * comes last.
 */
function asLine(message: unknown, details: unknown[]): { words: string; fields: object } {
  if (typeof message === 'string') return { words: message, fields: signed(details) };
  if (typeof message !== 'object' || message === null)
    return { words: 'The framework reported', fields: { message, ...signed(details) } };
  if (message instanceof Error)
    return { words: 'The framework reported an error', fields: { error: message, ...signed(details) } };
  if ('message' in message && typeof message.message === 'string') {
    const { message: words, ...fields } = message;
    return { words, fields: { ...fields, ...signed(details) } };
  }
  const [words, ...rest] = details;
  if (typeof words === 'string' && rest.length > 0) return { words, fields: { ...message, ...signed(rest) } };
  return { words: 'The framework reported', fields: { ...message, ...signed(details) } };
}

function signed(details: unknown[]): object {
  const context = details.at(-1);
  const rest = details.slice(0, -1);
  return { ...(context !== undefined && { context }), ...(rest.length > 0 && { details: rest }) };
}

const sayAgainMs = 60_000;
const troublesMax = 1_000;

/**
 * What providers said, in the log once a minute for each provider and kind: the requests that fail meanwhile have lines of their own, or
 * another provider took over. The same provider may fail with the key of one organization and work with that of another.
 */
export class ProviderTroubles {
  private readonly said = new LRUCache<string, true>({ max: troublesMax, ttl: sayAgainMs });

  /** @param words The sentence of the line. */
  constructor(
    private readonly log: Logger,
    private readonly words: string,
  ) {}

  note({ provider, kind, message }: ProviderFailure, fields: object): void {
    const trouble = JSON.stringify([provider, kind, fields]);
    if (this.said.has(trouble)) return;
    this.said.set(trouble, true);
    this.log.warn(this.words, { ...fields, kind, says: message });
  }
}
