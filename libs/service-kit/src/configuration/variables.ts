import { z } from 'zod';

/**
 * Every variable arrives as text. Each reader below states in plain words what it expects: that sentence is shown when the start
 * fails, and printed in docs/configuration.md.
 */
function variable<T>(expected: string, read: (text: string) => T | undefined) {
  return z
    .string()
    .transform((text, context): T => {
      const value = read(text.trim());
      if (value !== undefined) return value;
      context.issues.push({ code: 'custom', message: `expected ${expected}`, input: text });
      return z.NEVER;
    })
    .meta({ expected });
}

/** A whole number within bounds. */
export function integer({ min = 0, max = Number.MAX_SAFE_INTEGER }: { min?: number; max?: number } = {}) {
  const bounds = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  return variable(`an integer ${bounds}`, (text) => {
    const value = /^-?\d{1,16}$/.test(text) ? Number(text) : NaN;
    return value >= min && value <= max ? value : undefined;
  });
}

/** A TCP port; 0 lets the machine choose. */
export function port() {
  return integer({ min: 0, max: 65_535 });
}

/** A share between nothing and everything: 0, 0.25, 1. */
export function fraction() {
  return variable('a number from 0 to 1', (text) => {
    const value = /^\d(\.\d{1,9})?$/.test(text) ? Number(text) : NaN;
    return value <= 1 ? value : undefined;
  });
}

const flags: Record<string, boolean> = {
  true: true,
  false: false,
  1: true,
  0: false,
  yes: true,
  no: false,
  on: true,
  off: false,
};

/** A switch: true or false. */
export function flag() {
  return variable('true or false', (text) => flags[text.toLowerCase()]);
}

const unitsInMs: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** A span of time as milliseconds, written with its unit: 250ms, 30s, 5m, 2h. */
export function duration() {
  return variable('a duration such as 250ms, 30s or 5m', (text) => {
    const [, amount, unit] = /^(\d{1,9})(ms|s|m|h)$/.exec(text) ?? [];
    const factor = unit === undefined ? undefined : unitsInMs[unit];
    return amount === undefined || factor === undefined ? undefined : Number(amount) * factor;
  });
}

/** An absolute URL of one of the given schemes, kept as it was written. */
export function url(...schemes: [string, ...string[]]) {
  return variable(`a URL that starts with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`, (text) => {
    const parsed = URL.parse(text);
    return parsed && parsed.host !== '' && schemes.includes(parsed.protocol.slice(0, -1)) ? text : undefined;
  });
}

const listedItems = 100;

/** Words between commas; blanks around them do not count. */
export function commaList() {
  return variable(`at most ${listedItems} words between commas`, (text) => {
    const items = text.split(',').map((item) => item.trim());
    const words = items.filter((item) => item !== '');
    return words.length > listedItems ? undefined : words;
  });
}

/** One of a few words. */
export function choice<const Words extends readonly [string, ...string[]]>(words: Words) {
  return variable(`one of ${words.join(', ')}`, (text): Words[number] | undefined => words.find((word) => word === text));
}

/** Free text that is not blank. */
export function text() {
  return variable('text that is not blank', (value) => (value === '' ? undefined : value));
}
