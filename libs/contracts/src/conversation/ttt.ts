import { z } from 'zod';
import { defineRequest } from '../messages';
import { agentKeyExample, described, sessionExample, Uuid } from '../vocabulary';
import { AnswerSource, Question, TokenUsage, Variables } from './turn-parts';

const answer = {
  answer: 'We deliver within three working days.',
  sessionUUID: sessionExample,
  detectedLanguage: 'english',
  tokenUsage: { promptTokens: 380, completionTokens: 32, totalTokens: 412 },
};

/** The body of a text answer; `statusCode` is put before it at the door. */
export const TextAnswer = described(
  'TextAnswer',
  'The answer of an agent, and the session to go on with.',
  z.object({
    answer: z.string(),
    sessionUUID: Uuid,
    detectedLanguage: z.string(),
    tokenUsage: TokenUsage,
    sources: z.array(AnswerSource).optional(),
  }),
  answer,
);

/** Text to text. `AgentKeyID` is for workspace keys: an agent key speaks for its own agent. */
export const askText = defineRequest({
  subject: 'conversation.text.ask',
  timeoutMs: 60_000,
  request: described(
    'TextQuestion',
    'A question to an agent.',
    z.object({
      question: Question,
      sessionUUID: Uuid.optional(),
      variables: Variables.optional(),
      AgentKeyID: Uuid.optional(),
      includeSources: z.boolean().default(false),
    }),
    { question: 'When do you deliver?', variables: { name: 'Asha' } },
    { question: 'And on Sundays?', sessionUUID: sessionExample, AgentKeyID: agentKeyExample },
  ),
  reply: TextAnswer,
});
