import { canHoldSecret, hiddenSecret, secretsOf } from '@parley/contracts';
import type { z } from 'zod';

/** Shorter ones are found in any text, and would tell more by being taken out. */
const lettersMin = 4;
const causesMax = 5;

/**
 * Takes the secrets of what was asked out of an error: a library, or Postgres, may have quoted them. The error itself is changed, so
 * that whoever logs it, whatever it is wrapped in, has no other.
 */
export function hideSecretsIn(error: unknown, schema: z.ZodType, asked: unknown): void {
  if (!canHoldSecret(schema)) return;
  const secrets = secretsOf(schema, asked).filter((text) => text.length >= lettersMin);
  let each = error;
  for (let depth = 0; depth < causesMax && each instanceof Error && secrets.length > 0; depth += 1) {
    hideIn(each, secrets);
    each = each.cause;
  }
}

function hideIn(error: Error, secrets: readonly string[]): void {
  for (const name of new Set(['message', 'stack', ...Object.keys(error)])) {
    const text: unknown = Reflect.get(error, name);
    if (typeof text !== 'string') continue;
    const hidden = secrets.reduce((rest, secret) => rest.replaceAll(secret, hiddenSecret), text);
    if (hidden !== text) Reflect.set(error, name, hidden);
  }
}
