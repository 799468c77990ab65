import type { Variables } from '@parley/contracts';
import type { z } from 'zod';

type Values = z.output<typeof Variables>;

/** Fills `{{name}}` in a text that an agent's builder wrote. What nobody gave is left empty; a value is never filled in again. */
export function withVariables(text: string, values: Values): string {
  return text.replace(/\{\{\s*([\w.-]{1,64})\s*\}\}/gu, (_, name: string) => {
    return Object.hasOwn(values, name) ? String(values[name] ?? '') : '';
  });
}
