import { z } from 'zod';
import { defineRequest } from '../messages';
import { agentKeyExample, described, SpeechLanguage, Uuid } from '../vocabulary';
import { Question, Variables } from './turn-parts';
import { ConversationChannel } from './turns';

/** The parts of a prompt, in the order in which they are sent. */
export const promptParts = ['PERSONA', 'RULES', 'KNOWLEDGE', 'CALENDAR', 'TOOLS', 'HISTORY', 'TURN', 'QUESTION'] as const;

/** A prompt as it is sent to a model. */
export const SentPrompt = described(
  'SentPrompt',
  'A prompt as it is sent to the model: its parts in order, each with its tokens. The parts up to the tools are the same in every ' +
    'turn of every conversation as long as agent, knowledge, day and the variables in the persona are; providers cache such a common ' +
    'beginning.',
  z.object({
    parts: z.array(z.object({ part: z.enum(promptParts), text: z.string(), tokens: z.int().min(0) })),
    totalTokens: z.int().min(0),
    stableTokens: z.int().min(0).meta({ description: 'The tokens of the parts that stay the same, tools included.' }),
    isKnowledgeWhole: z.boolean().meta({ description: 'Whether the prompt contains the whole knowledge base.' }),
    answerWithoutModel: z
      .string()
      .nullable()
      .meta({ description: 'The stored answer or fact that is given instead of asking a model.' }),
  }),
  {
    parts: [{ part: 'PERSONA', text: '# Who you are\nYou are Maya.', tokens: 9 }],
    totalTokens: 9,
    stableTokens: 9,
    isKnowledgeWhole: true,
    answerWithoutModel: null,
  },
);
export type SentPrompt = z.output<typeof SentPrompt>;

/** Shows a builder an agent's prompt, with or without a question. No model is asked and nothing is stored. */
export const previewPrompt = defineRequest({
  subject: 'conversation.prompt.preview',
  timeoutMs: 10_000,
  request: described(
    'PromptPreviewRequest',
    'The agent, and what is said to it. Without a question the prompt ends before one.',
    z.object({
      AgentKeyID: Uuid,
      question: Question.optional(),
      channel: ConversationChannel.default('API'),
      language: SpeechLanguage.optional(),
      variables: Variables.optional(),
    }),
    { AgentKeyID: agentKeyExample, question: 'When do you deliver?' },
  ),
  reply: SentPrompt,
});

/** Phrases that every composed persona contains and no answer does: if a model starts to recite them, the answer is stopped. */
export const personaWords = {
  who: '# Who you are',
  what: '# What to do',
  manner: '# How you speak',
} as const;

/** `{{name}}`, or `{{name|friend}}` with a default. */
const placeholder = /\{\{\s*([\p{L}_][\p{L}\p{M}\p{N}_.-]{0,63})\s*(?:\|([^{}]{0,200}))?\}\}/gu;

/** A value that a conversation may supply. */
export interface PromptVariable {
  readonly name: string;
  readonly default: string | null;
}

/** The placeholders in some texts, each name once, in order of appearance; the first default given is used. */
export function placeholdersOf(...texts: string[]): PromptVariable[] {
  const found = new Map<string, string | null>();
  for (const [, name = '', fallback] of texts.join('\n').matchAll(placeholder)) {
    found.set(name, found.get(name) ?? fallback?.trim() ?? null);
  }
  return [...found].map(([name, value]) => ({ name, default: value }));
}

const lookalikes: Readonly<Record<string, string>> = {
  '<': '‹',
  '>': '›',
  '"': '”',
  '[': '［',
  ']': '］',
  '(': '（',
  ')': '）',
  '#': '＃',
};

/** A sign that reads the same to people, and marks nothing in a prompt. */
export function lookalikeOf(sign: string): string {
  return lookalikes[sign] ?? sign;
}

/**
 * A value as part of a sentence: a single line that starts no heading, list or quotation. Contacts often type their names
 * themselves, and these must not add rules to a prompt.
 */
export function inOneLine(value: string): string {
  return value
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(/^(?:[#>*[ ]|- )+/u, '')
    .replace(/[<>]/gu, lookalikeOf)
    .trimEnd();
}

/**
 * Fills in the placeholders of a text with the given value on one line, else the default, else nothing. Placeholders in values
 * are not filled in, so none can be injected.
 */
export function withPlaceholders(text: string, values: Readonly<Record<string, Filling>>): string {
  return text.replace(placeholder, (_, name: string, fallback?: string) => {
    const value = fillingOf(name, values);
    return inOneLine(String(value ?? fallback?.trim() ?? ''));
  });
}

type Filling = string | number | boolean | null;

const plainWordsMax = 3;

/**
 * What stands for each value in a persona. A word, a name, a number or a date stands there itself; anything that could be a sentence is
 * named instead, and quoted as data before the question: lists of contacts and forms hold what strangers typed.
 */
export function personaFilling(values: Readonly<Record<string, Filling>>, wordsMax = plainWordsMax): Record<string, Filling> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const isNamed = typeof value === 'string' && value.trim() !== '' && !isPlain(value, wordsMax);
      return [name, isNamed ? `(the variable ${name})` : value];
    }),
  );
}

const plainWord = /^[\p{L}\p{M}\p{N}\u200c\u200d.,'’&@_%+#₹$€£/-]{1,40}$/u;

function isPlain(value: string, wordsMax: number): boolean {
  const words = value.trim().split(' ');
  return words.length <= wordsMax && words.every((word) => plainWord.test(word));
}

/** The value for a placeholder of this name, in these letters or, if none has them, in small or capital ones: a file's column is called City. */
export function fillingOf(name: string, values: Readonly<Record<string, Filling>>): Filling | undefined {
  if (Object.hasOwn(values, name)) return values[name];
  const same = Object.keys(values).find((key) => key.toLowerCase() === name.toLowerCase());
  return same === undefined ? undefined : values[same];
}

/** Fills in one placeholder and leaves the others for later. */
export function withPlaceholder(text: string, { name, value }: { name: string; value: string }): string {
  return text.replace(placeholder, (whole, found: string) => (found === name ? value : whole));
}
