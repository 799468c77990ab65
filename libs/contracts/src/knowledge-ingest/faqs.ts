import { z } from 'zod';
import { defineRequest } from '../messages';
import {
  createdOnExample,
  described,
  examplesOf,
  filledText,
  kbKeyExample,
  listOf,
  OptionalDateBound,
  paging,
  RecordId,
  RecordIdOrZero,
  requiredWhenNew,
  SearchText,
  SpeechLanguage,
  startAfterEnd,
  startsBeforeEnd,
  Timestamp,
  updatedOnExample,
  Uuid,
} from '../vocabulary';

const faqKey = '1b2d4f60-8b0c-4d2e-9f4a-6b8c0d2e4f6a';
const faqsPerBatchMax = 500;
const identity = { KBFAQKeyID: faqKey, KBFAQID: 21 };
const values = { Question: 'When do you deliver?', Answer: 'Within three working days.' };
const KbFaqIdentity = { KBFAQKeyID: Uuid, KBFAQID: z.int() };

const Faq = described(
  'Faq',
  'A question with its fixed answer.',
  z.object({
    ...KbFaqIdentity,
    KBKeyID: Uuid,
    KBID: z.int(),
    Question: z.string(),
    Answer: z.string(),
    WordingsOf: Uuid.nullable().default(null),
    CreatedOn: Timestamp,
    UpdatedOn: Timestamp,
  }),
  {
    ...{ ...identity, KBKeyID: kbKeyExample, KBID: 4, ...values, WordingsOf: null },
    ...{ CreatedOn: createdOnExample, UpdatedOn: updatedOnExample },
  },
);

/** A question and its answer, as sent by an import. */
export const SentFaq = z.object({ Question: filledText(1000), Answer: filledText(8000) });

const FaqToSave = z
  .object({ KBFAQID: RecordIdOrZero, ...SentFaq.partial().shape })
  .superRefine(requiredWhenNew('KBFAQID', ['Question', 'Answer']));

export const saveFaqs = defineRequest({
  subject: 'knowledge-ingest.faq.save',
  timeoutMs: 30_000,
  request: described(
    'SaveFaqsRequest',
    'Questions to add (`KBFAQID` 0), with their answers, or changes to existing ones. Either all are saved, or none. A question to add ' +
      'that the knowledge base already has gets the new answer, under its existing id. All wordings of a question have one answer: saving that of one saves it for all.',
    z.object({
      KBID: RecordId,
      faqs: z.array(FaqToSave).min(1).max(faqsPerBatchMax),
    }),
    { KBID: 4, faqs: [{ KBFAQID: 0, ...values }] },
    { KBID: 4, faqs: [{ KBFAQID: 21, Answer: 'Within two working days.' }] },
  ),
  reply: described(
    'SavedFaqs',
    'The ids of the saved questions, in the order they were sent.',
    z.object({
      KBKeyID: Uuid,
      KBID: z.int(),
      faqs: z.array(z.object({ ...KbFaqIdentity, outcome: z.enum(['CREATED', 'UPDATED', 'UNCHANGED']) })),
    }),
    { KBKeyID: kbKeyExample, KBID: 4, faqs: [{ ...identity, outcome: 'CREATED' }] },
  ),
});

export const listFaqs = defineRequest({
  subject: 'knowledge-ingest.faq.list',
  request: described(
    'FaqListQuery',
    'Which questions of a knowledge base.',
    z.object({ KBID: RecordId, searchName: SearchText, ...paging(['CreatedOn', 'UpdatedOn', 'Question', 'KBFAQID']) }),
    { KBID: 4, searchName: 'deliver', pageNo: 1, pageSize: 20 },
  ),
  reply: listOf('FaqPage', Faq),
});

const FaqChoice = described('FaqChoice', 'One question.', z.object({ KBFAQKeyID: Uuid }), { KBFAQKeyID: faqKey });

export const getFaq = defineRequest({ subject: 'knowledge-ingest.faq.get', request: FaqChoice, reply: Faq });

export const deleteFaq = defineRequest({
  subject: 'knowledge-ingest.faq.delete',
  request: FaqChoice,
  reply: described('DeletedFaq', 'The deleted record.', z.object(KbFaqIdentity), identity),
});

/** For the audit log: the stored questions that a save would change. */
export const readFaqs = defineRequest({
  subject: 'knowledge-ingest.faq.read',
  request: described(
    'ReadFaqsRequest',
    'Questions of a knowledge base by their ids; 0 stands for none.',
    z.object({ KBID: RecordId, faqs: z.array(z.object({ KBFAQID: RecordIdOrZero })).max(faqsPerBatchMax) }),
    { KBID: 4, faqs: [{ KBFAQID: 21 }] },
  ),
  reply: described('StoredFaqs', 'Those that exist.', z.object({ faqs: z.array(Faq) }), {
    faqs: examplesOf(Faq).map((faq) => Faq.parse(faq)),
  }),
});

/** For dashboards, which count stored answers by number: FAQs of the caller's organization, including deleted ones. */
export const findFaqs = defineRequest({
  subject: 'knowledge-ingest.faq.find',
  timeoutMs: 3000,
  request: described('FindFaqsRequest', 'Questions by their ids.', z.object({ KBFAQIDs: z.array(z.int()).max(1000) }), {
    KBFAQIDs: [21, 22],
  }),
  reply: described(
    'FoundFaqs',
    'Both ids of existing and deleted questions.',
    z.object({ faqs: z.array(z.object(KbFaqIdentity)) }),
    {
      faqs: [identity],
    },
  ),
});

const examplesMax = 5;

/** The languages of questions. Hinglish is Hindi in Latin letters, which agents answer as configured. */
const AskedLanguage = z.enum([...SpeechLanguage.options, 'hinglish']);

const UnansweredQuestion = described(
  'UnansweredQuestion',
  'Questions about the same thing to which the agents of a knowledge base said they did not know the answer.',
  z.object({
    question: z.string().meta({
      description:
        'The first 300 letters of the latest wording, without longer numbers, mail addresses, PANs and account numbers; names stay.',
    }),
    count: z.int().min(1),
    examples: z.array(z.string()).max(examplesMax),
    languages: z.array(AskedLanguage),
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

/**
 * Customers' questions without an answer in the knowledge base, grouped and counted, with examples. Based on the latest 2,000
 * wordings.
 */
export const listUnanswered = defineRequest({
  subject: 'knowledge-ingest.unanswered.list',
  timeoutMs: 10_000,
  request: described(
    'UnansweredQuery',
    'A knowledge base, and a range of dates; without dates, the latest questions.',
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

/** For other services: the individual wordings, latest first, each once with its count. */
export const readUnanswered = defineRequest({
  subject: 'conversation.unanswered.read',
  timeoutMs: 8000,
  request: described(
    'UnansweredWordingsRequest',
    'A knowledge base, and a range of dates.',
    z.object({ KBID: RecordId, startDate: OptionalDateBound, endDate: OptionalDateBound }),
    { KBID: 4 },
  ),
  reply: described(
    'UnansweredWordings',
    'Unanswered questions as they were worded.',
    z.object({
      wordings: z
        .array(
          z.object({
            question: filledText(8000),
            count: z.int().min(1),
            languages: z.array(AskedLanguage),
            firstAskedOn: Timestamp,
            lastAskedOn: Timestamp,
          }),
        )
        .max(wordingsMax),
    }),
    { wordings: [] },
  ),
});
