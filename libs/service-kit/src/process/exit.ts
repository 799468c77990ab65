import { scrubText } from '../logging/scrub';

/** Codes with which a process tells its supervisor why it ended. 78 is EX_CONFIG: restarting would not help. */
export const exitCodes = { done: 0, failed: 1, misconfigured: 78 } as const;

/** One line for the operator where no log exists yet or any more. */
export function lastWords(name: string, words: string): void {
  process.stderr.write(`parley ${name}: ${scrubText(words).replaceAll(/\s*\n\s*/g, ' ')}\n`);
}

/** What to tell of an error in one line; refused connections to several addresses have no message of their own. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code: unknown = 'code' in error ? error.code : undefined;
  return error.message || String(code ?? error.name);
}
