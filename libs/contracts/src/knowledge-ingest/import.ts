import { z } from 'zod';
import { defineRequest } from '../messages';
import { described, RecordId } from '../vocabulary';

const rowsMax = 1000;
const Row = z.record(z.string(), z.unknown());
const Rows = z.array(Row).max(rowsMax).default([]);

const sections = ['businessInfo', 'products', 'services', 'faqs'] as const;

const ImportedRow = described(
  'ImportedRow',
  'What became of one row. One that is refused says why and keeps no other from being saved.',
  z.object({
    section: z.enum(sections),
    row: z.int().min(1).meta({ description: 'Its place in the section, from 1.' }),
    name: z.string(),
    outcome: z.enum(['CREATED', 'UPDATED', 'UNCHANGED', 'REFUSED']),
    message: z.string().nullable(),
  }),
  { section: 'faqs', row: 3, name: 'When do you deliver?', outcome: 'REFUSED', message: 'Answer is required' },
);

/**
 * A whole business in one call. Rows are known by what they are called (a question, a sku, a name), so that the same file may be sent
 * again: what is new is added, what differs is changed, what is not named stays.
 */
export const importBusiness = defineRequest({
  subject: 'knowledge-ingest.business.import',
  timeoutMs: 60_000,
  request: described(
    'ImportBusinessRequest',
    'Everything that a knowledge base is to know of a business. `Alternatives` of a question are other wordings with the same answer.',
    z.object({ KBID: RecordId, businessInfo: Row.optional(), products: Rows, services: Rows, faqs: Rows }),
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
    'What became of each row, and how many of each outcome.',
    z.object({
      KBID: z.int(),
      report: z.array(ImportedRow),
      created: z.int().min(0),
      updated: z.int().min(0),
      unchanged: z.int().min(0),
      refused: z.int().min(0),
    }),
    { KBID: 4, report: [], created: 3, updated: 0, unchanged: 0, refused: 0 },
  ),
});
