// Breaks rules on purpose: tools/lint-steps.mjs fails if one of them is no longer caught.
// expects: no-restricted-properties, no-console, no-restricted-syntax, no-warning-comments
// expects: @typescript-eslint/no-explicit-any, @typescript-eslint/no-non-null-assertion
// expects: @typescript-eslint/consistent-type-assertions, @typescript-eslint/no-floating-promises
// expects: @typescript-eslint/no-restricted-imports
// says: a focused or skipped test
// says: Object(x) is `any` in disguise
// says: await the event itself
// says: say what there is not

import { setTimeout as sleep } from 'node:timers/promises';

/* eslint-disable no-console -- a comment must not be able to silence a rule */
console.log(process.env['HOME']!, 1 as unknown);

export function fireAndForget(work: () => Promise<any>): void {
  work();
}

// TODO: nothing; the word itself is the violation.
test.only('is never run', () => sleep(1));

class Fault extends Error {}
export const missing = new Fault('NOT_FOUND');

export const { unchecked } = Object(fireAndForget);
