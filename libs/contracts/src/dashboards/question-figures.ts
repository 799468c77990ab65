import { z } from 'zod';
import { defineRequest } from '../messages';
import {
  agentKeyExample,
  createdOnExample,
  described,
  kbKeyExample,
  startAfterEnd,
  startsBeforeEnd,
  Timestamp,
  Uuid,
} from '../vocabulary';
import { AgentFiguresQuery } from './agent-figures';
import { AgentIds, endsSoonEnough, endsTooLate, figureSpan } from './call-counts';

const Count = z.int().min(0);
const example = 'Do you deliver to Nashik on Sundays?';

/** A body for the endpoint that saves FAQs, in which a person must fill in the answer. */
const FaqDraft = z.object({
  method: z.literal('POST'),
  path: z.literal('/api/v1/external/kb-faq/add-update-faq'),
  body: z.object({
    KBKeyID: Uuid.nullable(),
    KBID: z.int(),
    faqs: z
      .array(z.object({ KBFAQKeyID: Uuid.nullable(), KBFAQID: z.literal(0), Question: z.string(), Answer: z.string() }))
      .max(1),
  }),
});

export const getUnansweredQuestions = defineRequest({
  subject: 'dashboards.question.unanswered',
  timeoutMs: 30_000,
  request: described(
    'UnansweredQuestionsQuery',
    'A span of time, the agents to include, and how many groups to show.',
    z
      .object({ ...figureSpan, agentIds: AgentIds, limit: z.int().min(1).max(100).default(20) })
      .refine(startsBeforeEnd, startAfterEnd)
      .refine(endsSoonEnough, endsTooLate),
    { startDate: '2026-03-01', endDate: '2026-03-31', limit: 10 },
    { startDate: '2026-03-01', endDate: '2026-03-31', agentIds: [12] },
  ),
  reply: described(
    'UnansweredQuestions',
    'Questions of three words or more that neither knowledge nor a tool could answer, grouped by what they ask; most asked first.',
    z.object({
      questions: Count.meta({ description: 'Such questions in the span, grouped or not.' }),
      isSample: z
        .boolean()
        .meta({ description: 'Whether only the most asked wordings were grouped, because there were too many.' }),
      groups: z
        .array(
          z.object({
            question: z.string().meta({ description: 'The wording of the group that was used most.' }),
            count: z.int().min(1).meta({ description: 'How often it was asked, in all wordings.' }),
            conversations: z
              .int()
              .min(1)
              .meta({ description: 'Conversations in which it was asked, up to a thousand of each wording.' }),
            AgentKeyIDs: z.array(Uuid).max(1000).meta({ description: 'The public ids of the agents that were asked.' }),
            AgentIDs: z.array(z.int()).max(1000),
            examples: z.array(z.string()).max(5),
            lastAskedOn: Timestamp,
            addFaq: FaqDraft.nullable().meta({
              description: 'The request to send once the answer is written; null if the agent has no knowledge base.',
            }),
          }),
        )
        .max(100),
    }),
    {
      questions: 7,
      isSample: false,
      groups: [
        {
          question: example,
          count: 7,
          conversations: 6,
          AgentKeyIDs: [agentKeyExample],
          AgentIDs: [12],
          examples: [example, 'is there sunday delivery in nashik'],
          lastAskedOn: createdOnExample,
          addFaq: {
            method: 'POST',
            path: '/api/v1/external/kb-faq/add-update-faq',
            body: { KBKeyID: kbKeyExample, KBID: 4, faqs: [{ KBFAQKeyID: null, KBFAQID: 0, Question: example, Answer: '' }] },
          },
        },
      ],
    },
  ),
});

export const getFaqHits = defineRequest({
  subject: 'dashboards.question.faq-hits',
  request: AgentFiguresQuery,
  reply: described(
    'FaqHits',
    'How often each stored answer was given, most given first; the first thousand.',
    z.object({
      hits: Count.meta({ description: 'Turns answered with a stored answer.' }),
      faqs: z
        .array(
          z.object({
            // Null for an FAQ that its knowledge base no longer has.
            KBFAQKeyID: Uuid.nullable(),
            KBFAQID: z.int(),
            Question: z.string(),
            hits: z.int().min(1).meta({ description: 'Turns answered with this stored answer.' }),
          }),
        )
        .max(1000),
    }),
    {
      hits: 44,
      faqs: [{ KBFAQKeyID: '1b2d4f60-8b0c-4d2e-9f4a-6b8c0d2e4f6a', KBFAQID: 21, Question: 'When do you deliver?', hits: 44 }],
    },
  ),
});
