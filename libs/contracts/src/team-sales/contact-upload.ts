import { z } from 'zod';
import { defineRequest, defineStream } from '../messages';
import { described, FileReference, TextualId, Uuid } from '../vocabulary';

const upload = 'c8e0a2b4-6d8f-4a1c-9e3b-5d7f9b1d3f5a';
const rowErrorsMax = 1000;

const ContactUpload = described(
  'ContactUpload',
  'How far an upload is. `errors` holds the first thousand bad rows; `errorCount` counts them all.',
  z.object({
    UploadKeyID: Uuid,
    UploadID: z.int(),
    SalesUserID: z.int(),
    status: z.enum(['PROCESSING', 'DONE', 'FAILED']),
    rowCount: z.int().min(0),
    createdCount: z.int().min(0),
    updatedCount: z.int().min(0),
    unchangedCount: z.int().min(0),
    assignedCount: z.int().min(0),
    errorCount: z.int().min(0),
    errors: z.array(z.object({ line: z.int(), field: z.string().nullable(), message: z.string() })).max(rowErrorsMax),
    reason: z.string().nullable(),
  }),
  {
    UploadKeyID: upload,
    UploadID: 6,
    SalesUserID: 5,
    status: 'DONE',
    rowCount: 3,
    createdCount: 1,
    updatedCount: 1,
    unchangedCount: 0,
    assignedCount: 2,
    errorCount: 1,
    errors: [{ line: 4, field: 'ContactNumber', message: 'is not a telephone number' }],
    reason: null,
  },
);

/** Answers when the whole file is saved; `UploadKeyID`, if the client chose one, can be asked for meanwhile. */
export const uploadContacts = defineRequest({
  subject: 'team-sales.contact.upload',
  timeoutMs: 120_000,
  request: described(
    'ContactUploadRequest',
    'A CSV of contacts for one representative.',
    z.object({ SalesUserID: TextualId, UploadKeyID: Uuid.optional(), file: FileReference }),
    {
      SalesUserID: '5',
      UploadKeyID: upload,
      file: { fileKey: 'uploads/1/2f6f.csv', fileName: 'leads.csv', size: 2048, contentType: 'text/csv' },
    },
  ),
  reply: ContactUpload,
});

export const readContactUpload = defineRequest({
  subject: 'team-sales.contact.upload-status',
  request: described('ContactUploadChoice', 'One upload.', z.object({ UploadKeyID: Uuid }), { UploadKeyID: upload }),
  reply: ContactUpload,
});

const rowsPerItemMax = 200;

/** For other services: a CSV of people who are to be called, read once and then deleted. Bad rows come with what is wrong with them. */
export const readContactFile = defineStream({
  subject: 'team-sales.contact.read-file',
  request: described(
    'ContactFileReading',
    'The file, and what each of its columns is: `ContactNumber`, `CustomerName` or a variable. Without it they are what they are called.',
    z.object({ mapping: z.record(z.string().max(200), z.string().max(64)).optional(), file: FileReference }),
    {
      mapping: { Mobile: 'ContactNumber', Amount: 'due_amount' },
      file: { fileKey: 'contacts/1/2f6f.csv', fileName: 'due.csv', size: 2048, contentType: 'text/csv' },
    },
  ),
  item: described(
    'ContactFileRows',
    'A run of rows. `row` is the line of the file.',
    z.object({
      rows: z
        .array(
          z.object({
            row: z.int().min(1),
            ContactNumber: z.string(),
            CustomerName: z.string(),
            variables: z.record(z.string(), z.string()),
          }),
        )
        .max(rowsPerItemMax),
      errors: z.array(z.object({ row: z.int().min(1), field: z.string().nullable(), message: z.string() })).max(rowsPerItemMax),
    }),
    {
      rows: [{ row: 2, ContactNumber: '+919820012345', CustomerName: 'Ravi', variables: { due_amount: '1200' } }],
      errors: [{ row: 3, field: 'ContactNumber', message: 'is not a telephone number' }],
    },
  ),
});
