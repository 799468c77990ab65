import { AsyncLocalStorage } from 'node:async_hooks';
import type { LoggerService } from '@nestjs/common';
import type { Logger } from './logger';

const surroundingLog = new AsyncLocalStorage<Logger>();

/**
 * Everything that Nest itself logs while `work` runs, and from timers and listeners set up by it, goes to this log.
 * Nest keeps one logger for the whole process; several services in one process would otherwise sign with one name.
 */
export function runWithLog<T>(log: Logger, work: () => T): T {
  return surroundingLog.run(log, work);
}

/** Nest's own lines through ours. Its chatter about routes and modules is of use to a debugger only. */
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

/** Nest is called in three ways: a sentence, an error, or fields with a sentence after or among them; the context comes last. */
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
