/** `{{name}}`, or `{{name|friend}}` with what stands in when nobody gives a value. */
const placeholder = /\{\{\s*([\p{L}_][\p{L}\p{M}\p{N}_]{0,63})\s*(?:\|([^{}]{0,200}))?\}\}/gu;

/** Filled by this service, so that a renamed agent says its new name. */
const ownName = 'agentName';

/** A value that a conversation may bring. */
export interface PromptVariable {
  readonly name: string;
  readonly default: string | null;
}

/** The placeholders of some texts, each name once, in the order of appearance; the first default given counts. */
export function placeholdersOf(...texts: string[]): PromptVariable[] {
  const found = new Map<string, string | null>();
  for (const [, name = '', fallback] of texts.join('\n').matchAll(placeholder)) {
    if (name !== ownName) found.set(name, found.get(name) ?? fallback?.trim() ?? null);
  }
  return [...found].map(([name, value]) => ({ name, default: value }));
}

/** Puts the agent's own name where a text asks for it; every other placeholder stays for the conversation. */
export function withAgentName(text: string, agentName: string): string {
  return text.replace(placeholder, (whole, name: string) => (name === ownName ? agentName : whole));
}
