/**
 * What every composed persona says in our own words and no answer does: the service that composes personas writes it, and the one
 * that answers stops where a model begins to recite it.
 */
export const personaWords = {
  who: '# Who you are',
  what: '# What to do',
  manner: '# How you speak',
} as const;

/** `{{name}}`, or `{{name|friend}}` with what stands in when nobody gives a value. */
const placeholder = /\{\{\s*([\p{L}_][\p{L}\p{M}\p{N}_.-]{0,63})\s*(?:\|([^{}]{0,200}))?\}\}/gu;

/** A value that a conversation may bring. */
export interface PromptVariable {
  readonly name: string;
  readonly default: string | null;
}

/** The placeholders of some texts, each name once, in the order of appearance; the first default given counts. */
export function placeholdersOf(...texts: string[]): PromptVariable[] {
  const found = new Map<string, string | null>();
  for (const [, name = '', fallback] of texts.join('\n').matchAll(placeholder)) {
    found.set(name, found.get(name) ?? fallback?.trim() ?? null);
  }
  return [...found].map(([name, value]) => ({ name, default: value }));
}

/**
 * Fills the placeholders of a text: with the value given, else with its default, else with nothing. A value is never
 * filled in again, so that nobody can smuggle a placeholder in.
 */
export function withPlaceholders(text: string, values: Readonly<Record<string, string | number | boolean | null>>): string {
  return text.replace(placeholder, (_, name: string, fallback?: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return String(value ?? fallback?.trim() ?? '');
  });
}

/** Fills one placeholder and leaves the others for later. */
export function withPlaceholder(text: string, { name, value }: { name: string; value: string }): string {
  return text.replace(placeholder, (whole, found: string) => (found === name ? value : whole));
}
