import { z } from 'zod';
import { defineEvent, defineRequest, defineStream } from '../messages';
import {
  blankOr,
  createdOnExample,
  CsvPart,
  described,
  Email,
  FileReference,
  filledText,
  fromAfterTo,
  fromBeforeTo,
  listOf,
  OptionalDateBound,
  paging,
  PhoneNumberInput,
  LargeRecordId,
  RecordId,
  requiredWhenNew,
  SearchText,
  text,
  TextualId,
  Timestamp,
  TimeZoneName,
  updatedOnExample,
  Uuid,
} from '../vocabulary';
import { eitherRepresentativeId, namesRepresentative, representativeKeyExample } from './representatives';

const contactsPerMappingMax = 10_000;
export const contactKeyExample = '7a9b1c3d-5e7f-4a1b-8c3d-5e7f9a1b3c5d';

const MappingRequest = described(
  'ContactMappingRequest',
  'Contacts and the representative they belong to.',
  z.object({ SalesUserKeyID: Uuid, ContactID: z.array(LargeRecordId).min(1).max(contactsPerMappingMax) }),
  { SalesUserKeyID: representativeKeyExample, ContactID: [77, 78] },
);

const MappingResult = described(
  'ContactMappingResult',
  'The outcome for each contact. An id of another organization is UNKNOWN, like one that does not exist.',
  z.object({
    SalesUserKeyID: Uuid,
    SalesUserID: z.int(),
    changedCount: z.int().min(0),
    results: z.array(
      z.object({
        ContactKeyID: Uuid.nullable(),
        ContactID: z.int(),
        outcome: z.enum(['MAPPED', 'UNMAPPED', 'UNCHANGED', 'UNKNOWN']),
      }),
    ),
  }),
  {
    SalesUserKeyID: representativeKeyExample,
    SalesUserID: 5,
    changedCount: 1,
    results: [
      { ContactKeyID: contactKeyExample, ContactID: 77, outcome: 'MAPPED' },
      { ContactKeyID: null, ContactID: 78, outcome: 'UNKNOWN' },
    ],
  },
);

export const mapContacts = defineRequest({ subject: 'team-sales.contact.map', request: MappingRequest, reply: MappingResult });

export const unmapContacts = defineRequest({
  subject: 'team-sales.contact.unmap',
  request: MappingRequest,
  reply: MappingResult,
});

export const contactsAssigned = defineEvent({
  subject: 'team-sales.contact.assigned',
  payload: described(
    'ContactsAssigned',
    'A representative gained contacts, or lost them (negative count).',
    z.object({ SalesUserID: z.int(), SalesUserKeyID: Uuid, count: z.int(), source: z.enum(['FORM', 'MAPPING', 'UPLOAD']) }),
    { SalesUserID: 5, SalesUserKeyID: representativeKeyExample, count: 120, source: 'UPLOAD' },
  ),
});

const contactColumns = ['CreatedOn', 'UpdatedOn', 'CustomerName', 'ContactNumber', 'Email', 'City', 'State', 'Country'] as const;

const callableExample = {
  ContactKeyID: contactKeyExample,
  ContactID: 77,
  CustomerName: 'Ravi Kulkarni',
  ContactNumber: '+919820012345',
  Email: 'ravi@example.com',
  City: 'Pune',
  State: 'Maharashtra',
  Country: 'India',
  TimeZone: 'Asia/Kolkata',
};

/** A customer, with the representatives it is mapped to. */
export const Contact = described(
  'Contact',
  'A customer contact. `ContactNumber` is E.164.',
  z.object({
    ContactKeyID: Uuid,
    ContactID: z.int(),
    CustomerName: z.string(),
    ContactNumber: z.string(),
    Email: z.string(),
    City: z.string(),
    State: z.string(),
    Country: z.string(),
    TimeZone: z.string(),
    SalesUsers: z.array(z.object({ SalesUserKeyID: Uuid, SalesUserID: z.int(), name: z.string() })),
    CreatedOn: Timestamp,
    UpdatedOn: Timestamp,
  }),
  {
    ...callableExample,
    SalesUsers: [{ SalesUserKeyID: representativeKeyExample, SalesUserID: 5, name: 'Asha Patil' }],
    CreatedOn: createdOnExample,
    UpdatedOn: updatedOnExample,
  },
);

const place = text(100).nullish();

export const saveContact = defineRequest({
  subject: 'team-sales.contact.save',
  request: described(
    'SaveContactRequest',
    'A new contact (`ContactKeyID` null), which needs `CustomerName` and `ContactNumber`; or the changes to one.',
    z
      .object({
        ContactKeyID: Uuid.nullish(),
        CustomerName: filledText(200).optional(),
        ContactNumber: PhoneNumberInput.optional(),
        Email: blankOr(Email, 'an e-mail address').nullish(),
        City: place,
        State: place,
        Country: place,
        TimeZone: blankOr(TimeZoneName, 'an IANA time zone').nullish(),
        SalesUserID: RecordId.nullish(),
      })
      .superRefine(requiredWhenNew('ContactKeyID', ['CustomerName', 'ContactNumber'])),
    {
      ContactKeyID: null,
      CustomerName: 'Ravi Kulkarni',
      ContactNumber: '098200 12345',
      Email: 'ravi@example.com',
      City: 'Pune',
      State: 'Maharashtra',
      Country: 'India',
      TimeZone: 'Asia/Kolkata',
      SalesUserID: 5,
    },
    { ContactKeyID: contactKeyExample, City: 'Nashik', Email: null },
  ),
  reply: Contact,
});

const contactFilters = {
  searchName: SearchText,
  SalesUserKeyID: Uuid.nullish(),
  fromDate: OptionalDateBound,
  toDate: OptionalDateBound,
};

export const listContacts = defineRequest({
  subject: 'team-sales.contact.list',
  request: described(
    'ContactListQuery',
    'Which contacts.',
    z.object({ ...contactFilters, ...paging(contactColumns) }).refine(fromBeforeTo, fromAfterTo),
    { searchName: 'kulkarni', pageNo: 1, pageSize: 20 },
  ),
  reply: listOf('ContactPage', Contact),
});

/** One representative's customers, as listed in the specification. */
export const listMappedCustomers = defineRequest({
  subject: 'team-sales.contact.list-mapped',
  request: described(
    'MappedCustomerListQuery',
    'The customers of one representative.',
    z.object({ ...contactFilters, SalesUserKeyID: Uuid, ...paging(contactColumns) }).refine(fromBeforeTo, fromAfterTo),
    { SalesUserKeyID: representativeKeyExample, searchName: '', fromDate: null, toDate: null, pageNo: 1, pageSize: 20 },
  ),
  reply: listOf('MappedCustomerPage', Contact),
});

const ContactChoice = described('ContactChoice', 'One contact.', z.object({ ContactKeyID: Uuid }), {
  ContactKeyID: contactKeyExample,
});

export const getContact = defineRequest({ subject: 'team-sales.contact.get', request: ContactChoice, reply: Contact });

export const deleteContact = defineRequest({
  subject: 'team-sales.contact.delete',
  request: ContactChoice,
  reply: described('DeletedContact', 'The deleted record.', z.object({ ContactKeyID: Uuid, ContactID: z.int() }), {
    ContactKeyID: contactKeyExample,
    ContactID: 77,
  }),
});

/** A contact was deleted: campaigns no longer call it. */
export const contactDeleted = defineEvent({
  subject: 'team-sales.contact.deleted',
  payload: described('ContactDeleted', 'A contact was deleted.', z.object({ ContactKeyID: Uuid, ContactID: z.int() }), {
    ContactKeyID: contactKeyExample,
    ContactID: 77,
  }),
});

export const exportContacts = defineStream({
  subject: 'team-sales.contact.export',
  request: described(
    'ContactExportRequest',
    'Which contacts to export.',
    z.object(contactFilters).refine(fromBeforeTo, fromAfterTo),
    { searchName: '', SalesUserKeyID: representativeKeyExample },
  ),
  item: CsvPart,
});

const callable = {
  ContactKeyID: true,
  ContactID: true,
  CustomerName: true,
  ContactNumber: true,
  Email: true,
  City: true,
  State: true,
  Country: true,
  TimeZone: true,
} as const;
const idsPerReadMax = 10_000;
const contactsPerItemMax = 500;

/** For other services: contacts with what is needed to call them, oldest first. */
export const readContacts = defineStream({
  subject: 'team-sales.contact.read',
  request: described(
    'ContactReading',
    'Contacts by their ids, or all that match.',
    z
      .object({
        ContactIDs: z.array(LargeRecordId).max(idsPerReadMax).optional(),
        ContactKeyIDs: z.array(Uuid).max(idsPerReadMax).optional(),
        ...contactFilters,
        City: place,
        State: place,
        Country: place,
      })
      .refine(fromBeforeTo, fromAfterTo),
    { ContactIDs: [77, 78] },
    { City: 'Pune' },
  ),
  item: described(
    'ReadContacts',
    'A batch of contacts.',
    z.object({ contacts: z.array(Contact.pick(callable)).max(contactsPerItemMax) }),
    {
      contacts: [callableExample],
    },
  ),
});

const upload = 'c8e0a2b4-6d8f-4a1c-9e3b-5d7f9b1d3f5a';
const rowErrorsMax = 1000;

const ContactUpload = described(
  'ContactUpload',
  'The state of an upload. `errors` holds the first thousand bad rows; `errorCount` counts them all.',
  z.object({
    UploadKeyID: Uuid,
    UploadID: z.int(),
    SalesUserKeyID: Uuid,
    SalesUserID: z.int(),
    status: z.enum(['PROCESSING', 'DONE', 'FAILED']),
    rowCount: z.int().min(0),
    createdCount: z.int().min(0),
    updatedCount: z.int().min(0),
    unchangedCount: z.int().min(0),
    assignedCount: z.int().min(0),
    errorCount: z.int().min(0),
    errors: z.array(z.object({ line: z.int(), field: z.string().nullable(), message: z.string() })).max(rowErrorsMax),
    ignoredColumns: z.array(z.string()).max(1_000).default([]),
    reason: z.string().nullable(),
  }),
  {
    UploadKeyID: upload,
    UploadID: 6,
    SalesUserKeyID: representativeKeyExample,
    SalesUserID: 5,
    status: 'DONE',
    rowCount: 3,
    createdCount: 1,
    updatedCount: 1,
    unchangedCount: 0,
    assignedCount: 2,
    errorCount: 1,
    errors: [{ line: 4, field: 'ContactNumber', message: 'is not a telephone number' }],
    ignoredColumns: ['Notes'],
    reason: null,
  },
);

/**
 * Returns when the whole file has been saved; meanwhile the progress can be queried by `UploadKeyID`, if the client chose one.
 */
export const uploadContacts = defineRequest({
  subject: 'team-sales.contact.upload',
  timeoutMs: 120_000,
  request: described(
    'ContactUploadRequest',
    'A CSV of contacts for one representative.',
    z
      .object({
        SalesUserID: TextualId.optional(),
        SalesUserKeyID: Uuid.optional(),
        UploadKeyID: Uuid.optional(),
        file: FileReference,
      })
      .refine(...namesRepresentative)
      .meta(eitherRepresentativeId),
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
  onlyReads: true,
  request: described('ContactUploadChoice', 'One upload.', z.object({ UploadKeyID: Uuid }), { UploadKeyID: upload }),
  reply: ContactUpload,
});

const rowsPerItemMax = 200;
const ignoredColumnsMax = 1_000;

/** For other services: a CSV of people to call, read once and then deleted. Invalid rows are returned with their error. */
export const readContactFile = defineStream({
  subject: 'team-sales.contact.read-file',
  request: described(
    'ContactFileReading',
    'The file, and what columns of it are: `ContactNumber`, `CustomerName`, `TimeZone`, a variable, or `""` for nothing. The others are taken by their names.',
    z.object({ mapping: z.record(z.string().max(200), z.string().max(64)).optional(), file: FileReference }),
    {
      mapping: { Mobile: 'ContactNumber', Amount: 'due_amount' },
      file: { fileKey: 'contacts/1/2f6f.csv', fileName: 'due.csv', size: 2048, contentType: 'text/csv' },
    },
  ),
  item: described(
    'ContactFileRows',
    'A batch of rows. `row` is the line of the file. The first batch names the columns that are ignored.',
    z.object({
      rows: z
        .array(
          z.object({
            row: z.int().min(1),
            ContactNumber: z.string(),
            CustomerName: z.string(),
            TimeZone: z.string().default(''),
            variables: z.record(z.string(), z.string()),
          }),
        )
        .max(rowsPerItemMax),
      errors: z.array(z.object({ row: z.int().min(1), field: z.string().nullable(), message: z.string() })).max(rowsPerItemMax),
      ignoredColumns: z.array(z.string()).max(ignoredColumnsMax).default([]),
    }),
    {
      rows: [{ row: 2, ContactNumber: '+919820012345', CustomerName: 'Ravi', TimeZone: '', variables: { due_amount: '1200' } }],
      errors: [{ row: 3, field: 'ContactNumber', message: 'is not a telephone number' }],
    },
  ),
});
