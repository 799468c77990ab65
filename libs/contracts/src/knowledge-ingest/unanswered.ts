import { z } from 'zod';
import { defineRequest } from '../messages';
import {
  createdOnExample,
  described,
  filledText,
  listOf,
  OptionalDateBound,
  paging,
  RecordId,
  SpeechLanguage,
  startAfterEnd,
  startsBeforeEnd,
  Timestamp,
} from '../vocabulary';

const examplesMax = 5;

const UnansweredQuestion = described(
  'UnansweredQuestion',
  'Questions about the same thing that the agents of a knowledge base said they do not know the answer to.',
  z.object({
    question: z.string().meta({ description: 'The latest wording.' }),
    count: z.int().min(1),
    examples: z.array(z.string()).max(examplesMax),
    languages: z.array(SpeechLanguage),
    firstAskedOn: Timestamp,
    lastAskedOn: Timestamp,
  }),
  {
    question: 'Do you repair kettles?',
    count: 3,
    examples: ['Do you repair kettles?', 'can my kettle be repaired'],
    languages: ['english'],
    firstAskedOn: createdOnExample,
    lastAskedOn: createdOnExample,
  },
);

/** What customers asked and nobody has written down yet: grouped, counted, with examples. Of the latest 2,000 wordings. */
export const listUnanswered = defineRequest({
  subject: 'knowledge-ingest.unanswered.list',
  timeoutMs: 10_000,
  request: described(
    'UnansweredQuery',
    'A knowledge base, and from when to when; without dates the latest.',
    z
      .object({
        KBID: RecordId,
        startDate: OptionalDateBound,
        endDate: OptionalDateBound,
        ...paging(['count', 'lastAskedOn', 'firstAskedOn']),
      })
      .refine(startsBeforeEnd, startAfterEnd),
    { KBID: 4, startDate: null, endDate: null, sortColumn: 'count', sortOrder: 'DESC', pageNo: 1, pageSize: 20 },
  ),
  reply: listOf('UnansweredPage', UnansweredQuestion),
});

const wordingsMax = 2000;

/** For other services: the wordings themselves, the latest first, each once with its count. */
export const readUnanswered = defineRequest({
  subject: 'conversation.unanswered.read',
  timeoutMs: 8000,
  request: described(
    'UnansweredWordingsRequest',
    'A knowledge base, and from when to when.',
    z.object({ KBID: RecordId, startDate: OptionalDateBound, endDate: OptionalDateBound }),
    { KBID: 4 },
  ),
  reply: described(
    'UnansweredWordings',
    'Questions as they were asked.',
    z.object({
      wordings: z
        .array(
          z.object({
            question: filledText(8000),
            count: z.int().min(1),
            languages: z.array(SpeechLanguage),
            firstAskedOn: Timestamp,
            lastAskedOn: Timestamp,
          }),
        )
        .max(wordingsMax),
    }),
    { wordings: [] },
  ),
});
