import { LanguageModelVariables } from '@parley/providers/language-model-catalogue';
import { duration, integer } from '@parley/service-kit';
import type { z } from 'zod';

/** The conversation service's variables, in addition to the common ones. */
export const ConversationVariables = LanguageModelVariables.extend({
  CONVERSATION_IDLE: duration({ min: '100ms', max: '720h' })
    .default(30 * 60_000)
    .meta({ description: 'How long a conversation may be silent; then it ends.', example: '30m' }),
  CONVERSATION_BUSY: duration({ min: '100ms', max: '2m' }).default(10_000).meta({
    description: 'How long a turn waits for the previous one in its session; then it is refused with SESSION_BUSY.',
    example: '10s',
  }),
  CONVERSATION_MONTHS: integer({ min: 14, max: 600 }).default(25).meta({
    description:
      'How many months conversations are listed. Their text is kept for the agent’s retention days; if these are longer, the conversations are listed as long.',
    example: '60',
  }),
  KNOWLEDGE_WHOLE_TOKENS: integer({ min: 0, max: 200_000 }).default(6000).meta({
    description: 'How many tokens of a knowledge base go into every prompt. The rest is searched; with 0, all of it is.',
    example: '12000',
  }),
  LLM_FIRST_TOKEN: duration({ min: '100ms', max: '2m' }).default(8000).meta({
    description:
      'How long a language model may take for its first token, of the answer or of visible reasoning, before the next model is asked.',
    example: '4s',
  }),
});

export type ConversationConfig = z.output<typeof ConversationVariables>;
