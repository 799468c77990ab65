import { z } from 'zod';
import { CallResult } from '../conversation/sessions';
import { contactVariablesMax, Variables } from '../conversation/turn-parts';
import { defineRequest, defineStream } from '../messages';
import {
  createdOnExample,
  CsvPart,
  described,
  FileReference,
  fromAfterTo,
  fromBeforeTo,
  listOf,
  OptionalDateBound,
  paging,
  PhoneNumberInput,
  LargeRecordId,
  SearchText,
  text,
  Timestamp,
  updatedOnExample,
  Uuid,
} from '../vocabulary';
import { CallRecord } from './calls';
import { campaignKey } from './campaigns';

/** The result for a contact, for people who work through the list afterwards. */
export const contactDispositions = [
  'REACHED',
  'VOICEMAIL',
  'TRANSFERRED',
  'NO_ANSWER',
  'BUSY',
  'REJECTED',
  'UNREACHABLE',
  'FAILED',
  'CALL_BACK',
  'DO_NOT_CALL',
  'CANCELLED',
] as const;

const entryKey = 'd29e4fa1-6b07-4c58-9d3e-7a8b9c0d1e2f';
const contactsPerRequestMax = 5_000;
const rowErrorsMax = 1_000;
const rowTextMax = 2_000;
const columnsMax = 1_000;
const idsPerRequestMax = 100_000;

/** The state of a contact in a campaign; the last five are final. */
export const campaignContactStates = ['WAITING', 'ACTIVE', 'COMPLETED', 'MISSED', 'FAILED', 'DO_NOT_CALL', 'CANCELLED'] as const;

const CampaignContact = described(
  'CampaignContact',
  'A contact of a campaign: its state, the outcome of its last call, and what was extracted.',
  z.object({
    CampaignContactKeyID: Uuid,
    CampaignContactID: z.int(),
    ContactKeyID: Uuid.nullable(),
    ContactID: z.int().nullable(),
    CustomerName: z.string(),
    ContactNumber: z.string(),
    TimeZone: z.string().nullable(),
    variables: Variables,
    state: z.enum(campaignContactStates),
    attempts: z.int().min(0),
    nextCallAt: Timestamp.nullable(),
    disposition: z.enum(contactDispositions).nullable(),
    result: CallResult.nullable(),
    resultReason: z.string().nullable(),
    cause: z.string().nullable(),
    CallKeyID: Uuid.nullable(),
    CallID: z.int().nullable(),
    CreatedOn: Timestamp,
    UpdatedOn: Timestamp,
  }),
  {
    CampaignContactKeyID: entryKey,
    CampaignContactID: 501,
    ContactKeyID: '7a9b1c3d-5e7f-4a1b-8c3d-5e7f9a1b3c5d',
    ContactID: 77,
    CustomerName: 'Ravi Kulkarni',
    ContactNumber: '+919820012345',
    TimeZone: 'Asia/Kolkata',
    variables: { due_amount: 1200 },
    state: 'COMPLETED',
    attempts: 1,
    nextCallAt: null,
    disposition: 'REACHED',
    result: { will_pay: true },
    resultReason: null,
    cause: 'The other side hung up.',
    CallKeyID: '5f617394-2f40-4162-9d8e-0f2a4b6c8d0e',
    CallID: 90,
    CreatedOn: createdOnExample,
    UpdatedOn: updatedOnExample,
  },
);

const AddedContacts = described(
  'AddedCampaignContacts',
  'The outcome of the rows. `errors` holds the first thousand bad ones, `errorCount` counts them all; the good rows are added anyway. ' +
    'If no row is good, nothing is added: the request is refused with the error of each row.',
  z.object({
    addedCount: z.int().min(0),
    repeatedCount: z.int().min(0),
    errorCount: z.int().min(0),
    errors: z.array(z.object({ row: z.int().min(1), field: z.string().nullable(), message: z.string() })).max(rowErrorsMax),
    ignoredColumns: z.array(z.string()).max(columnsMax),
    contactCount: z.int().min(0),
    notice: z.string().nullable(),
  }),
  {
    addedCount: 2,
    repeatedCount: 1,
    errorCount: 1,
    errors: [{ row: 4, field: 'ContactNumber', message: 'is not a telephone number' }],
    ignoredColumns: ['Notes'],
    contactCount: 202,
    notice: null,
  },
);

/** The organization's contacts that match all conditions. Strict, because a misspelt field would match everyone. */
const ContactFilter = z
  .strictObject({
    searchName: SearchText,
    SalesUserKeyID: Uuid.nullish(),
    City: text(100).nullish(),
    State: text(100).nullish(),
    Country: text(100).nullish(),
    fromDate: OptionalDateBound,
    toDate: OptionalDateBound,
  })
  .refine(fromBeforeTo, fromAfterTo);

const sources = ['ContactIDs', 'Contacts', 'filter'] as const;

/** More contacts than a campaign may have are PAYLOAD_TOO_LARGE, and none is added; a campaign that has ended is CONFLICT. */
export const addCampaignContacts = defineRequest({
  subject: 'telephony-bridge.campaign.add-contacts',
  timeoutMs: 120_000,
  request: described(
    'AddCampaignContactsRequest',
    'Contacts for a campaign, also while it runs, in one of three ways: by `ContactIDs`, as `Contacts` with their own variables, or ' +
      'all that match a `filter`. A number that is already in the campaign is not added again.',
    z
      .object({
        CampaignKeyID: Uuid,
        ContactIDs: z.array(LargeRecordId).min(1).max(idsPerRequestMax).optional(),
        Contacts: z
          .array(
            z.object({
              // A number that is too short or too long is reported for its row, and does not reject other rows.
              ContactNumber: text(rowTextMax),
              CustomerName: text(rowTextMax).default(''),
              TimeZone: text(rowTextMax).nullish(),
              variables: Variables.refine(
                (variables) => Object.keys(variables).length <= contactVariablesMax,
                `must have at most ${contactVariablesMax} entries`,
              ).default({}),
            }),
          )
          .min(1)
          .max(contactsPerRequestMax)
          .optional(),
        filter: ContactFilter.optional(),
      })
      .refine((body) => sources.filter((source) => body[source] !== undefined).length === 1, {
        path: ['ContactIDs'],
        error: 'or Contacts or filter is required, and only one of them',
      }),
    { CampaignKeyID: campaignKey, ContactIDs: [77, 78] },
    {
      CampaignKeyID: campaignKey,
      Contacts: [
        { ContactNumber: '098200 12345', CustomerName: 'Ravi', TimeZone: 'Asia/Kolkata', variables: { due_amount: 1200 } },
      ],
    },
    { CampaignKeyID: campaignKey, filter: { City: 'Pune' } },
  ),
  reply: AddedContacts,
});

export const uploadCampaignContacts = defineRequest({
  subject: 'telephony-bridge.campaign.upload-contacts',
  timeoutMs: 120_000,
  request: described(
    'CampaignContactUploadRequest',
    'A CSV of contacts for a campaign. Columns are recognized by name: `ContactNumber`, `CustomerName`, `TimeZone`, or a placeholder of the agent’s prompt, ' +
      'so that a column `due_amount` fills `{{due_amount}}`. `mapping` gives columns with other names their meaning; mapped to `""` they fill nothing.',
    z.object({ CampaignKeyID: Uuid, mapping: z.record(text(200), z.string().max(64)).optional(), file: FileReference }),
    {
      CampaignKeyID: campaignKey,
      mapping: { Mobile: 'ContactNumber', Name: 'CustomerName', Amount: 'due_amount' },
      file: { fileKey: 'contacts/1/2f6f.csv', fileName: 'due.csv', size: 2048, contentType: 'text/csv' },
    },
  ),
  reply: AddedContacts,
});

/** Outcomes that may be retried: not those where the contact was reached or asked not to be called. */
const outcomesToRetry = ['NO_ANSWER', 'BUSY', 'REJECTED', 'UNREACHABLE', 'VOICEMAIL', 'FAILED', 'CANCELLED'] as const;

/** A cancelled campaign is CONFLICT. */
export const retryCampaignContacts = defineRequest({
  subject: 'telephony-bridge.campaign.retry-contacts',
  timeoutMs: 120_000,
  request: described(
    'RetryCampaignContactsRequest',
    'Which finished contacts should wait for another call.',
    z.object({ CampaignKeyID: Uuid, outcomes: z.array(z.enum(outcomesToRetry)).min(1) }),
    { CampaignKeyID: campaignKey, outcomes: ['NO_ANSWER', 'FAILED'] },
  ),
  reply: described(
    'RetriedCampaignContacts',
    'How many are waiting again.',
    z.object({ retriedCount: z.int().min(0), notice: z.string().nullable() }),
    { retriedCount: 12, notice: 'The campaign is COMPLETED: start it again to have them called.' },
  ),
});

const contactFilters = {
  CampaignKeyID: Uuid,
  searchName: SearchText,
  state: z.enum(['ALL', ...campaignContactStates]).default('ALL'),
  disposition: z.enum(['ALL', ...contactDispositions]).default('ALL'),
};

export const listCampaignContacts = defineRequest({
  subject: 'telephony-bridge.campaign.list-contacts',
  request: described(
    'CampaignContactQuery',
    'Which contacts of a campaign.',
    z.object({ ...contactFilters, ...paging(['CreatedOn', 'UpdatedOn', 'CustomerName', 'ContactNumber']) }),
    { CampaignKeyID: campaignKey, state: 'COMPLETED', pageNo: 1, pageSize: 20 },
  ),
  reply: listOf('CampaignContactPage', CampaignContact),
});

export const exportCampaignContacts = defineStream({
  subject: 'telephony-bridge.campaign.export-contacts',
  request: described(
    'CampaignContactExport',
    'Which contacts of a campaign to export, with what was extracted for each.',
    z.object(contactFilters),
    { CampaignKeyID: campaignKey, disposition: 'REACHED' },
  ),
  item: CsvPart,
});

const UnfilledPlaceholder = z.object({ name: z.string(), default: z.string().nullable() });

export const previewCampaign = defineRequest({
  subject: 'telephony-bridge.campaign.preview',
  timeoutMs: 15_000,
  request: described(
    'CampaignPreviewRequest',
    'Whose call to show: a contact of the campaign, or variables; without either, the first contact to be called.',
    z.object({ CampaignKeyID: Uuid, CampaignContactKeyID: Uuid.nullish(), variables: Variables.optional() }),
    { CampaignKeyID: campaignKey },
  ),
  reply: described(
    'CampaignPreview',
    'The prompt that the agent would get and its greeting, with the variables filled in as for the model. `unfilled` are the placeholders without a value.',
    z.object({
      CampaignContactKeyID: Uuid.nullable(),
      CampaignContactID: z.int().nullable(),
      ContactNumber: z.string().nullable(),
      variables: Variables,
      greeting: z.string(),
      prompt: z.string(),
      unfilled: z.array(UnfilledPlaceholder),
    }),
    {
      CampaignContactKeyID: entryKey,
      CampaignContactID: 501,
      ContactNumber: '+919820012345',
      variables: { name: 'Ravi', due_amount: 1200 },
      greeting: 'Hello Ravi!',
      prompt: 'You are Maya. 1200 are due.',
      unfilled: [],
    },
  ),
});

export const testCampaign = defineRequest({
  subject: 'telephony-bridge.campaign.test',
  timeoutMs: 15_000,
  request: described(
    'TestCampaignRequest',
    'A number to call now as the campaign would, without counting the call. Unless variables are sent, those of the first contact to be called are used.',
    z.object({ CampaignKeyID: Uuid, to: PhoneNumberInput, variables: Variables.optional(), reference: Uuid.optional() }),
    { CampaignKeyID: campaignKey, to: '+919820012345', variables: { due_amount: 1200 } },
  ),
  reply: CallRecord,
});
