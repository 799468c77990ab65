import { z } from 'zod';
import { defineEvent, defineRequest } from '../messages';
import {
  blankOr,
  createdOnExample,
  described,
  FileReference,
  kbKeyExample,
  listOf,
  paging,
  RecordId,
  SearchText,
  TextualId,
  Timestamp,
  updatedOnExample,
  Uuid,
} from '../vocabulary';

const documentKey = '0a1c3e5f-7a9b-4c1d-8e3f-5a7b9c1d3e5f';
const ingestStates = ['QUEUED', 'PROCESSING', 'READY', 'FAILED'] as const;

/** Ten megabytes, the limit in the specification. */
export const documentBytesMax = 10 * 1024 * 1024;

const DocumentStatus = described(
  'KnowledgeDocumentState',
  'The state of a document. A FAILED one says why.',
  z.object({
    KBDocumentKeyID: Uuid,
    KBDocumentID: z.int(),
    KBKeyID: Uuid,
    KBID: z.int(),
    status: z.enum(ingestStates),
    reason: z.string().nullable(),
    progress: z.object({ stage: z.enum(['WAITING', 'PARSING', 'EMBEDDING', 'INDEXING', 'DONE']), done: z.int(), total: z.int() }),
  }),
  {
    KBDocumentKeyID: documentKey,
    KBDocumentID: 8,
    KBKeyID: kbKeyExample,
    KBID: 4,
    status: 'PROCESSING',
    reason: null,
    progress: { stage: 'EMBEDDING', done: 64, total: 210 },
  },
);

const KnowledgeDocument = described(
  'KnowledgeDocument',
  'An uploaded document.',
  DocumentStatus.extend({
    fileName: z.string(),
    contentType: z.string(),
    size: z.int(),
    pageCount: z.int().nullable(),
    chunkCount: z.int(),
    CreatedOn: Timestamp,
    UpdatedOn: Timestamp,
  }),
  {
    KBDocumentKeyID: documentKey,
    KBDocumentID: 8,
    KBKeyID: kbKeyExample,
    KBID: 4,
    status: 'READY',
    reason: null,
    progress: { stage: 'DONE', done: 210, total: 210 },
    fileName: 'returns.pdf',
    contentType: 'application/pdf',
    size: 48_200,
    pageCount: 6,
    chunkCount: 210,
    CreatedOn: createdOnExample,
    UpdatedOn: updatedOnExample,
  },
);

/** Returns at once with status QUEUED. During an update the old text is served until the new one is searchable. */
export const saveDocument = defineRequest({
  subject: 'knowledge-ingest.document.save',
  timeoutMs: 30_000,
  request: described(
    'SaveDocumentRequest',
    'A document for a knowledge base; an empty `KBDocumentKeyID` creates a new one, unless the base has one with the same content: that one is returned, under its own name.',
    z.object({
      KBID: TextualId,
      KBDocumentKeyID: blankOr(Uuid, 'a UUID').default(''),
      document: FileReference.refine((file) => file.size <= documentBytesMax, 'must be at most 10 MB'),
    }),
    {
      KBID: '4',
      KBDocumentKeyID: '',
      document: { fileKey: 'uploads/1/9c.pdf', fileName: 'returns.pdf', size: 48_200, contentType: 'application/pdf' },
    },
    {
      KBID: '4',
      KBDocumentKeyID: documentKey,
      document: { fileKey: 'uploads/1/a7.pdf', fileName: 'returns.pdf', size: 51_700, contentType: 'application/pdf' },
    },
  ),
  reply: DocumentStatus,
});

export const listDocuments = defineRequest({
  subject: 'knowledge-ingest.document.list',
  request: described(
    'DocumentListQuery',
    'Which documents of a knowledge base.',
    z.object({
      KBID: RecordId,
      searchName: SearchText,
      status: z.enum(['ALL', ...ingestStates]).default('ALL'),
      ...paging(['CreatedOn', 'UpdatedOn', 'fileName', 'status', 'size']),
    }),
    { KBID: 4, searchName: '', pageNo: 1, pageSize: 20 },
  ),
  reply: listOf('KnowledgeDocumentPage', KnowledgeDocument),
});

const DocumentChoice = described('KnowledgeDocumentChoice', 'One document.', z.object({ KBDocumentKeyID: Uuid }), {
  KBDocumentKeyID: documentKey,
});

export const getDocument = defineRequest({
  subject: 'knowledge-ingest.document.get',
  request: DocumentChoice,
  reply: KnowledgeDocument,
});
export const getDocumentStatus = defineRequest({
  subject: 'knowledge-ingest.document.status',
  onlyReads: true,
  request: DocumentChoice,
  reply: DocumentStatus,
});
export const deleteDocument = defineRequest({
  subject: 'knowledge-ingest.document.delete',
  request: DocumentChoice,
  reply: DocumentStatus,
});

export const documentStatusChanged = defineEvent({
  subject: 'knowledge-ingest.document.status-changed',
  payload: described(
    'DocumentStatusChanged',
    'A document became READY or FAILED.',
    z.object({ KBDocumentKeyID: Uuid, KBID: z.int(), status: z.enum(ingestStates), reason: z.string().nullable() }),
    { KBDocumentKeyID: documentKey, KBID: 4, status: 'READY', reason: null },
  ),
});

const rowsMax = 1000;
const Row = z.record(z.string(), z.unknown());
const Rows = z.array(Row).max(rowsMax).default([]);

const sections = ['businessInfo', 'hours', 'holidays', 'products', 'services', 'faqs'] as const;

const ImportedRow = described(
  'ImportedRow',
  'The outcome of one row. A refused row says why, and does not prevent the others from being saved.',
  z.object({
    section: z.enum(sections),
    row: z.int().min(1).meta({ description: 'Its position in the section, from 1; in a spreadsheet, its row.' }),
    name: z.string(),
    outcome: z.enum(['CREATED', 'UPDATED', 'UNCHANGED', 'REFUSED']),
    message: z.string().nullable(),
  }),
  { section: 'faqs', row: 3, name: 'When do you deliver?', outcome: 'REFUSED', message: 'Answer is required' },
);

/**
 * A whole business in one call. Rows are matched by name (a question, or the name of an item), so that the same file can be sent
 * again: new ones are added, changed ones updated, and those not listed stay.
 */
export const importBusiness = defineRequest({
  subject: 'knowledge-ingest.business.import',
  timeoutMs: 60_000,
  request: described(
    'ImportBusinessRequest',
    'Everything that a knowledge base should know about a business. `Alternatives` of a question are other wordings with the same answer.',
    // Unknown sections are kept, so that the reply can name them.
    z.looseObject({ KBID: RecordId, businessInfo: Row.optional(), products: Rows, services: Rows, faqs: Rows }),
    {
      KBID: 4,
      businessInfo: {
        business_name: 'Demo Bazaar',
        timezone: 'Asia/Kolkata',
        working_hours: [{ day: 'Monday', open_time: '09:30 AM', close_time: '07:00 PM', is_open: true }],
        holidays: [{ date: '2026-11-08', opens: '', closes: '', note: 'Diwali' }],
      },
      products: [{ product_name: 'Steel kettle', price: 1499, currency: 'INR' }],
      services: [],
      faqs: [{ Question: 'When do you deliver?', Answer: 'Within three days.', Alternatives: ['How long does delivery take?'] }],
    },
  ),
  reply: described(
    'ImportReport',
    'The outcome of each row, and the number of rows with each outcome.',
    z.object({
      KBKeyID: Uuid,
      KBID: z.int(),
      report: z.array(ImportedRow),
      created: z.int().min(0),
      updated: z.int().min(0),
      unchanged: z.int().min(0),
      refused: z.int().min(0),
      ignored: z.array(z.string()).meta({ description: 'Sections, fields, columns and sheets that nothing was read from.' }),
    }),
    { KBKeyID: kbKeyExample, KBID: 4, report: [], created: 3, updated: 0, unchanged: 0, refused: 0, ignored: [] },
  ),
});

/**
 * The same from a spreadsheet: a workbook with sheets for profile, hours, holidays, products, services and FAQs in any order, or
 * a CSV file with one of these.
 */
export const importSpreadsheet = defineRequest({
  subject: 'knowledge-ingest.business.import-spreadsheet',
  timeoutMs: 60_000,
  request: described(
    'ImportSpreadsheetRequest',
    'A workbook (.xlsx) or a CSV file that describes a business. Sheets and columns are recognized by name.',
    z.object({
      KBID: TextualId,
      file: FileReference.refine((file) => file.size <= documentBytesMax, 'must be at most 10 MB'),
    }),
    {
      KBID: '4',
      file: { fileKey: 'uploads/1/9c.xlsx', fileName: 'business.xlsx', size: 18_200, contentType: 'application/xlsx' },
    },
  ),
  reply: importBusiness.reply,
});
