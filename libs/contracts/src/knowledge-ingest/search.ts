import { z } from 'zod';
import { defineRequest } from '../messages';
import { described, filledText, RecordId, SpeechLanguage, Uuid } from '../vocabulary';
import { Holidays, WorkingHours } from './business-profile';

const passagesMax = 50;
/** How many earlier questions are enough to know what the last one refers to. */
export const questionsBeforeMax = 5;

const PassageSource = z.object({
  kind: z.enum(['DOCUMENT', 'FAQ', 'BUSINESS_PROFILE', 'PRODUCT', 'SERVICE']),
  id: z.int(),
  keyID: z.string(),
  title: z.string(),
  page: z.int().nullable(),
  row: z.int().nullable(),
});

const Passage = described(
  'Passage',
  'A piece of knowledge with its score and its source.',
  z.object({
    text: z.string(),
    score: z.number(),
    source: PassageSource,
    excerpt: z.string().default('').meta({
      description: 'The sentences that answer the question; empty if the passage only resembles it.',
    }),
  }),
  {
    text: 'Goods may be returned within 30 days.',
    score: 0.83,
    excerpt: 'Goods may be returned within 30 days.',
    source: { kind: 'DOCUMENT', id: 8, keyID: '0a1c3e5f-7a9b-4c1d-8e3f-5a7b9c1d3e5f', title: 'returns.pdf', page: 2, row: null },
  },
);

const FaqMatch = described(
  'FaqMatch',
  'A stored answer that matches the question so well that no model is asked.',
  z.object({ KBFAQKeyID: Uuid, KBFAQID: z.int(), Question: z.string(), Answer: z.string(), score: z.number() }),
  {
    KBFAQKeyID: '1b2d4f60-8b0c-4d2e-9f4a-6b8c0d2e4f6a',
    KBFAQID: 21,
    Question: 'When do you deliver?',
    Answer: 'Within three working days.',
    score: 0.96,
  },
);

const Retrieved = described(
  'Retrieved',
  'What an answer may be based on. If nothing is good enough there are no passages and no match; the honest answer is then that the agent does not know.',
  z.object({
    faq: FaqMatch.nullable(),
    fact: z.string().nullable(),
    passages: z.array(Passage).max(passagesMax),
    isKnown: z
      .boolean()
      .meta({ description: 'Whether any of it is about the question; READING also returns passages that are not.' }),
    isFactPlain: z.boolean().default(true).meta({
      description: 'Whether the question asks only for the fact, so that it may be answered without a model.',
    }),
    revision: z.int().min(0).default(0).meta({ description: 'Counts changes of the knowledge base.' }),
    leansOnBefore: z.boolean().default(false).meta({ description: 'Whether the question refers to the previous one.' }),
  }),
  { faq: null, fact: null, passages: [], isKnown: false },
);

/** Shows a builder what the agent would retrieve. */
export const searchKnowledge = defineRequest({
  subject: 'knowledge-ingest.knowledge.search',
  request: described(
    'SearchKnowledgeRequest',
    'A question to a knowledge base.',
    z.object({ KBID: RecordId, query: filledText(2000), topK: z.int().min(1).max(passagesMax).default(5) }),
    { KBID: 4, query: 'can I bring it back?', topK: 5 },
  ),
  reply: Retrieved,
});

/** For turns: an FAQ match, a fact from the tables (hours, price, availability) and passages within a token budget. */
export const retrieveKnowledge = defineRequest({
  subject: 'knowledge-ingest.knowledge.retrieve',
  timeoutMs: 3000,
  request: described(
    'RetrieveKnowledgeRequest',
    'What a caller said, and how much fits into the prompt.',
    z.object({
      KBID: RecordId,
      query: filledText(8000),
      before: z.array(filledText(8000)).max(questionsBeforeMax).optional(),
      language: SpeechLanguage.optional(),
      wants: z
        .enum(['ANSWER', 'EXCERPTS', 'READING', 'PRICE'])
        .default('EXCERPTS')
        .meta({
          description:
            'ANSWER: only what needs no model. EXCERPTS: passages as well, to be quoted. READING: more of them, ' +
            'with their neighbours, for a model that ignores those that do not fit. PRICE: what the named item costs, or all items ' +
            'whose names share the words.',
        }),
      topK: z.int().min(1).max(passagesMax).default(8),
      tokensMax: z.int().min(50).max(16_000).default(1500),
    }),
    { KBID: 4, query: 'can I bring it back?', language: 'english' },
  ),
  reply: Retrieved,
});

const textsMax = 32;

/** For other services: texts as vectors, from the engine that knowledge is searched with. */
export const readTextVectors = defineRequest({
  subject: 'knowledge-ingest.text.vectors',
  onlyReads: true,
  timeoutMs: 20_000,
  request: described(
    'TextVectorsRequest',
    'Some texts.',
    z.object({ texts: z.array(z.string().max(2000)).min(1).max(textsMax) }),
    {
      texts: ['When do you deliver?'],
    },
  ),
  reply: described(
    'TextVectors',
    'A vector of unit length for each text, in order. Only vectors of the same `space` can be compared; from a similarity of `paraphrase` two texts ask the same thing.',
    z.object({
      space: z.string(),
      paraphrase: z.number(),
      vectors: z.array(z.array(z.number()).max(4096)).max(textsMax),
    }),
    { space: 'local-512', paraphrase: 0.8, vectors: [[0.6, 0.8]] },
  ),
});

const tokensMax = 200_000;

/** When a business is open, in its own time zone. */
export const BusinessSchedule = z.object({ timezone: z.string(), working_hours: WorkingHours, holidays: Holidays });
export type BusinessSchedule = z.output<typeof BusinessSchedule>;

/**
 * For prompts: the whole content of a knowledge base as one text in a fixed order, so that the same knowledge is the same text in
 * every turn. If a base does not fit, its prompts contain an outline instead, and its turns search.
 */
export const readWholeKnowledge = defineRequest({
  subject: 'knowledge-ingest.knowledge.whole',
  onlyReads: true,
  timeoutMs: 5000,
  request: described(
    'WholeKnowledgeRequest',
    'A knowledge base, and how many tokens its text may have.',
    z.object({ KBID: RecordId, tokensMax: z.int().min(0).max(tokensMax) }),
    { KBID: 4, tokensMax: 6000 },
  ),
  reply: described(
    'WholeKnowledge',
    'The text of a knowledge base. If it does not fit, who the business is and what else can be searched for.',
    z.object({
      revision: z.int().min(0),
      isWhole: z.boolean(),
      text: z.string(),
      tokens: z.int().min(0),
      schedule: BusinessSchedule.nullable(),
    }),
    {
      revision: 12,
      isWhole: true,
      text: '# Business\nName: Demo Bazaar',
      tokens: 8,
      schedule: { timezone: 'Asia/Kolkata', working_hours: [], holidays: [] },
    },
  ),
});
