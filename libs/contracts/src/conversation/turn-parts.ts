import { z } from 'zod';
import { described, text } from '../vocabulary';

const variablesMax = 100;
/** The most variables of a campaign contact: a call adds its name, under two names, and the campaign. */
export const contactVariablesMax = variablesMax - 3;

/** Context that a client gives an agent: `{{name}}` in the prompt. */
export const Variables = z
  .record(z.string().max(64), z.union([text(2000), z.number(), z.boolean(), z.null()]))
  .refine((variables) => Object.keys(variables).length <= variablesMax, `must have at most ${variablesMax} entries`);

/** The tokens that a turn used. */
export const TokenUsage = described(
  'TokenUsage',
  'Tokens of the prompt, of the answer, and both.',
  z.object({ promptTokens: z.int().min(0), completionTokens: z.int().min(0), totalTokens: z.int().min(0) }),
  { promptTokens: 380, completionTokens: 32, totalTokens: 412 },
);

/** The source of an answer. */
export const AnswerSource = described(
  'AnswerSource',
  'A piece of knowledge that an answer is based on.',
  z.object({
    kind: z.enum(['DOCUMENT', 'FAQ', 'BUSINESS_PROFILE', 'PRODUCT', 'SERVICE']),
    title: z.string(),
    id: z.int(),
    // Earlier answers stored only the number.
    keyID: z.string().nullable().default(null),
    score: z.number(),
  }),
  { kind: 'FAQ', title: 'When do you deliver?', id: 21, keyID: '1b2d4f60-8b0c-4d2e-9f4a-6b8c0d2e4f6a', score: 0.96 },
);

/** The most that a user may say in one turn: several pages are no longer a question. */
export const Question = z
  .string()
  .trim()
  .min(1)
  .max(8000)
  .refine((said) => !said.includes('\0'), 'must not contain the NUL character');

/** A measured time, in whole milliseconds. */
export const Milliseconds = z.number().min(0).overwrite(Math.round);

/** How the time of a turn was spent, in milliseconds. */
export const LatencyParts = described(
  'LatencyParts',
  'Parts of the time between the end of a question and the start of its answer. A part that did not happen is null.',
  z.object({
    endOfTurnMs: Milliseconds.nullable(),
    transcriptionMs: Milliseconds.nullable(),
    retrievalMs: Milliseconds.nullable(),
    firstTokenMs: Milliseconds.nullable(),
    firstAudioMs: Milliseconds.nullable(),
    pacingMs: Milliseconds.nullable(),
    totalMs: Milliseconds,
  }),
  {
    endOfTurnMs: null,
    transcriptionMs: null,
    retrievalMs: 11,
    firstTokenMs: 240,
    firstAudioMs: null,
    pacingMs: null,
    totalMs: 251,
  },
);

/** The kind of engine that failed. */
export const providerRoles = ['LANGUAGE_MODEL', 'SPEECH_TO_TEXT', 'TEXT_TO_SPEECH'] as const;

/** How a provider failed. */
export const providerErrorKinds = ['TIMEOUT', 'BUSY', 'REFUSED', 'UNAVAILABLE'] as const;
export type ProviderErrorKind = (typeof providerErrorKinds)[number];

/** A provider that failed, whether or not another one took over. */
export const ProviderError = described(
  'ProviderError',
  'An engine that failed: TIMEOUT, no answer in time; BUSY, it had no capacity; REFUSED, it did not accept the request or key; UNAVAILABLE, anything else.',
  z.object({ role: z.enum(providerRoles), provider: z.string().max(100), kind: z.enum(providerErrorKinds) }),
  { role: 'LANGUAGE_MODEL', provider: 'openai/gpt-4.1-mini', kind: 'BUSY' },
);
export type ProviderError = z.output<typeof ProviderError>;

/** More of them in one turn would add nothing. */
export const providerErrorsMax = 10;
