import { z } from 'zod';
import { removalIn } from '../gateway/operator-terms';
import { defineEvent, defineRequest } from '../messages';
import {
  createdOnExample,
  described,
  filledText,
  kbKeyExample,
  listOf,
  paging,
  RecordId,
  requiredWhenNew,
  SearchText,
  Timestamp,
  updatedOnExample,
  Uuid,
} from '../vocabulary';

const modeIds = /^\s*[12]\s*(,\s*[12]\s*)*$/;

const kbFields = {
  KnowledgeBaseName: filledText(120),
  IndustryID: RecordId,
  AgentTypeID: RecordId,
  ConversationalModeIDs: z.string().max(50).regex(modeIds, 'must be mode ids separated by commas: 1 Voice, 2 Chat'),
};

/** The fields of a knowledge base that its builder sets. */
export const KnowledgeBaseFields = z.object(kbFields);
const values = { KnowledgeBaseName: 'Demo Bazaar', IndustryID: 1, AgentTypeID: 1, ConversationalModeIDs: '1,2' };
const identity = { KBKeyID: kbKeyExample, KBID: 4 };

/** A knowledge base, with the numbers of its contents. */
export const KnowledgeBase = described(
  'KnowledgeBase',
  'A knowledge base. Its vectors are stored in `collectionName`.',
  z.object({
    KBKeyID: Uuid,
    KBID: z.int(),
    ...kbFields,
    collectionName: z.string(),
    documentCount: z.int(),
    faqCount: z.int(),
    productCount: z.int(),
    serviceCount: z.int(),
    hasBusinessProfile: z.boolean(),
    chunkCount: z.int(),
    status: z.enum(['EMPTY', 'READY', 'INDEXING', 'CLEARED']),
    warnings: z
      .array(z.string())
      .default([])
      .meta({ description: 'What the builder of the knowledge base should know about how it is searched.' }),
    CreatedOn: Timestamp,
    UpdatedOn: Timestamp,
  }),
  {
    ...identity,
    ...values,
    collectionName: 'kb_embeddings_1_4',
    documentCount: 2,
    faqCount: 14,
    productCount: 30,
    serviceCount: 3,
    hasBusinessProfile: true,
    chunkCount: 210,
    status: 'READY',
    CreatedOn: createdOnExample,
    UpdatedOn: updatedOnExample,
  },
);

export const KbIdentity = described(
  'KnowledgeBaseIdentity',
  'Both ids of a knowledge base.',
  z.object({ KBKeyID: Uuid, KBID: z.int() }),
  identity,
);

export const saveKnowledgeBase = defineRequest({
  subject: 'knowledge-ingest.knowledge-base.save',
  request: described(
    'SaveKnowledgeBaseRequest',
    'A new knowledge base (`KBKeyID` null), which needs every field; or the changes to one.',
    z
      .object({ KBKeyID: Uuid.nullish(), ...KnowledgeBaseFields.partial().shape })
      .superRefine(requiredWhenNew('KBKeyID', KnowledgeBaseFields.keyof().options)),
    { KBKeyID: null, ...values },
    { KBKeyID: kbKeyExample, KnowledgeBaseName: 'Demo Bazaar, Pune' },
  ),
  reply: KbIdentity,
});

export const listKnowledgeBases = defineRequest({
  subject: 'knowledge-ingest.knowledge-base.list',
  request: described(
    'KnowledgeBaseListQuery',
    'Which knowledge bases.',
    z.object({ searchName: SearchText, ...paging(['CreatedOn', 'UpdatedOn', 'KnowledgeBaseName', 'KBID']) }),
    { searchName: '', pageNo: 1, pageSize: 20 },
  ),
  reply: listOf('KnowledgeBasePage', KnowledgeBase),
});

const KbChoice = described('KnowledgeBaseChoice', 'One knowledge base.', z.object({ KBKeyID: Uuid }), { KBKeyID: kbKeyExample });

export const getKnowledgeBase = defineRequest({
  subject: 'knowledge-ingest.knowledge-base.get',
  request: KbChoice,
  reply: KnowledgeBase,
});
export const deleteKnowledgeBase = defineRequest({
  subject: 'knowledge-ingest.knowledge-base.delete',
  request: KbChoice,
  reply: KbIdentity,
});

/** Deletes only vectors, which are rebuilt if `reindex` is set; sources stay. */
export const clearVectors = defineRequest({
  subject: 'knowledge-ingest.knowledge-base.clear-vectors',
  timeoutMs: 30_000,
  request: described(
    'ClearVectorsRequest',
    'A collection of the caller’s own organization, by knowledge base or by name; if both are sent, they must name the same one.',
    z
      .object({
        KBID: RecordId.optional(),
        collectionName: z
          .string()
          .regex(/^kb_embeddings_\d{1,10}_\d{1,10}$/, 'must look like kb_embeddings_{OrgID}_{KBID}')
          .optional(),
        reindex: z.boolean().default(false),
      })
      .refine((body) => Boolean(body.KBID ?? body.collectionName), { path: ['KBID'], error: 'is required, or collectionName' })
      .refine(({ KBID, collectionName }) => !KBID || !collectionName || collectionName.endsWith(`_${KBID}`), {
        path: ['collectionName'],
        error: 'must be the collection of KBID',
      }),
    { KBID: 4, reindex: true },
    { collectionName: 'kb_embeddings_1_4' },
  ),
  reply: described(
    'ClearedVectors',
    'The result of wiping a collection.',
    z.object({ ...KbIdentity.shape, collectionName: z.string(), removedCount: z.int().min(0), isReindexing: z.boolean() }),
    { ...identity, collectionName: 'kb_embeddings_1_4', removedCount: 210, isReindexing: true },
  ),
});

/** Tells readers to drop what they cached of this knowledge base. */
export const knowledgeChanged = defineEvent({
  subject: 'knowledge-ingest.knowledge.changed',
  payload: described(
    'KnowledgeChanged',
    'Something that answers are based on changed.',
    z.object({
      ...KbIdentity.shape,
      source: z.enum(['KNOWLEDGE_BASE', 'DOCUMENT', 'FAQ', 'BUSINESS_PROFILE', 'CATALOG', 'VECTORS']),
    }),
    { ...identity, source: 'FAQ' },
  ),
});

/** For the operator's command only: knowledge bases of an organization that is deleted. */
export const removalInKnowledgeIngest = removalIn('knowledge-ingest');
