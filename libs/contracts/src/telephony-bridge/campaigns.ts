import { z } from 'zod';
import { ResultSchema } from '../conversation/sessions';
import { defineEvent, defineRequest } from '../messages';
import {
  agentKeyExample,
  createdOnExample,
  DateBound,
  described,
  E164,
  filledText,
  listOf,
  OptionalDateBound,
  paging,
  LargeRecordId,
  RecordId,
  requiredWhenNew,
  SearchText,
  sessionExample,
  startAfterEnd,
  startsBeforeEnd,
  Timestamp,
  updatedOnExample,
  Uuid,
} from '../vocabulary';
import { RingSeconds, SentVoicemailPolicy, VoicemailPolicy } from './call-control';
import { CallingHours, CallsPerNumberADay, once, RetryPolicy, SentCallingHours, SentRetryPolicy } from './calling-hours';

export const campaignKey = '607284a5-3051-4273-8e9f-1a3b5c7d9e1f';
export const campaignStates = ['DRAFT', 'RUNNING', 'PAUSED', 'COMPLETED', 'CANCELLED'] as const;
/** The most contacts of one campaign. */
export const contactsPerCampaignMax = 100_000;
const callerNumbersMax = 20;
const Holidays = once(z.array(z.iso.date()).max(100));
const MaxConversations = z.int().min(1).max(500);
/** No law allows more than a few per cent. */
const AbandonedShareMax = z.number().min(0).max(0.1);
const CreditBudget = z.int().min(1).max(2_000_000_000);

/** The export's columns for each contact, before and after its results. */
export const exportColumns = {
  first: [
    ...[
      'CampaignContactID',
      'ContactID',
      'CustomerName',
      'ContactNumber',
      'TimeZone',
      'state',
      'attempts',
      'disposition',
      'cause',
    ],
    ...['nextCallAt', 'lastCallAt', 'lastOutcome', 'lastCallSeconds', 'creditsUsed', 'CallKeyID', 'CallID', 'UpdatedOn'],
  ],
  last: ['resultReason'],
} as const;
/** Reserved column names. */
export const columnsTaken: readonly string[] = [...exportColumns.first, ...exportColumns.last];

/** As requests may send it. Schemas stored before these rules remain readable. */
const SentResultSchema = ResultSchema.superRefine(({ properties, required }, context) => {
  for (const name of Object.keys(properties).filter((each) => columnsTaken.includes(each)))
    context.addIssue({
      code: 'custom',
      path: ['properties', name],
      message: 'must have another name: the export already has such a column',
    });
  for (const [index, name] of required.entries()) {
    if (!Object.hasOwn(properties, name))
      context.addIssue({ code: 'custom', path: ['required', index], message: 'must name one of the properties' });
  }
});

/** The stored fields of a campaign, with their defaults. */
export const CampaignFields = z.object({
  CampaignName: filledText(120),
  AgentID: RecordId,
  CallerNumber: E164,
  MoreCallerNumbers: z.array(E164).max(callerNumbersMax).default([]),
  CallingHours: CallingHours.prefault({}),
  Retry: RetryPolicy.prefault({}),
  CallsPerMinute: z.int().min(1).max(600).default(10),
  MaxConcurrentCalls: z.int().min(1).max(500).default(5),
  MaxConversations: MaxConversations.nullable().default(null),
  AbandonedShareMax: AbandonedShareMax.default(0),
  CallsPerNumberADay: CallsPerNumberADay.nullable().default(null),
  startDate: DateBound.nullable().default(null),
  endDate: DateBound.nullable().default(null),
  voicemail: VoicemailPolicy.prefault({}),
  ringSeconds: RingSeconds.default(45),
  ResultSchema: ResultSchema.nullable().default(null),
  Holidays: Holidays.default([]),
  CreditBudget: CreditBudget.nullable().default(null),
});
const values = {
  CampaignName: 'March renewals',
  AgentID: 12,
  CallerNumber: '+912025501234',
  CallsPerMinute: 10,
  MaxConcurrentCalls: 5,
};
const identity = { CampaignKeyID: campaignKey, CampaignID: 3 };

/** An outbound campaign with its progress. */
export const Campaign = described(
  'Campaign',
  'An outbound campaign.',
  z.object({
    CampaignKeyID: Uuid,
    CampaignID: z.int(),
    ...CampaignFields.shape,
    AgentKeyID: Uuid,
    status: z.enum(campaignStates),
    statusReason: z.string().nullable(),
    contactCount: z.int().min(0),
    progress: z.object({
      waiting: z.int(),
      active: z.int(),
      completed: z.int(),
      missed: z.int(),
      failed: z.int(),
      doNotCall: z.int(),
      cancelled: z.int(),
    }),
    CreatedOn: Timestamp,
    UpdatedOn: Timestamp,
  }),
  {
    ...identity,
    ...values,
    AgentKeyID: agentKeyExample,
    status: 'RUNNING',
    statusReason: null,
    contactCount: 200,
    CreatedOn: createdOnExample,
    progress: { waiting: 150, active: 2, completed: 40, missed: 6, failed: 1, doNotCall: 1, cancelled: 0 },
    UpdatedOn: updatedOnExample,
  },
);

export const saveCampaign = defineRequest({
  subject: 'telephony-bridge.campaign.save',
  timeoutMs: 30_000,
  request: described(
    'SaveCampaignRequest',
    'A new campaign (`CampaignKeyID` null), which needs `CampaignName`, `AgentID` and `CallerNumber`; or the changes to one. ' +
      '`ContactIDs`, when sent, replace its contacts; contacts that were already called stay.',
    z
      .object({
        CampaignKeyID: Uuid.nullish(),
        CampaignName: filledText(120).optional(),
        AgentID: RecordId.optional(),
        CallerNumber: E164.optional(),
        MoreCallerNumbers: z.array(E164).max(callerNumbersMax).nullish(),
        CallingHours: SentCallingHours.nullish(),
        Retry: SentRetryPolicy.nullish(),
        CallsPerMinute: z.int().min(1).max(600).nullish(),
        MaxConcurrentCalls: z.int().min(1).max(500).nullish(),
        MaxConversations: MaxConversations.nullish(),
        AbandonedShareMax: AbandonedShareMax.nullish(),
        CallsPerNumberADay: CallsPerNumberADay.nullish(),
        startDate: OptionalDateBound,
        endDate: OptionalDateBound,
        voicemail: SentVoicemailPolicy.nullish(),
        ringSeconds: RingSeconds.nullish(),
        ResultSchema: SentResultSchema.nullish(),
        Holidays: Holidays.nullish(),
        CreditBudget: CreditBudget.nullish(),
        ContactIDs: z.array(LargeRecordId).max(contactsPerCampaignMax).optional(),
      })
      .refine(startsBeforeEnd, startAfterEnd)
      .superRefine(requiredWhenNew('CampaignKeyID', ['CampaignName', 'AgentID', 'CallerNumber'])),
    { CampaignKeyID: null, ...values, ContactIDs: [77, 78], CallingHours: { from: '10:00', to: '18:30' } },
    { CampaignKeyID: campaignKey, CallsPerMinute: 20, endDate: null },
  ),
  reply: Campaign,
});

export const listCampaigns = defineRequest({
  subject: 'telephony-bridge.campaign.list',
  request: described(
    'CampaignListQuery',
    'Which campaigns.',
    z.object({
      searchName: SearchText,
      status: z.enum(['ALL', ...campaignStates]).default('ALL'),
      ...paging(['CreatedOn', 'UpdatedOn', 'CampaignName', 'status']),
    }),
    { searchName: '', status: 'ALL', pageNo: 1, pageSize: 20 },
  ),
  reply: listOf('CampaignPage', Campaign),
});

/** One campaign by its key. */
export const CampaignChoice = described('CampaignChoice', 'One campaign.', z.object({ CampaignKeyID: Uuid }), {
  CampaignKeyID: campaignKey,
});

export const getCampaign = defineRequest({ subject: 'telephony-bridge.campaign.get', request: CampaignChoice, reply: Campaign });
export const startCampaign = defineRequest({
  subject: 'telephony-bridge.campaign.start',
  request: CampaignChoice,
  reply: Campaign,
});
export const pauseCampaign = defineRequest({
  subject: 'telephony-bridge.campaign.pause',
  request: CampaignChoice,
  reply: Campaign,
});
export const resumeCampaign = defineRequest({
  subject: 'telephony-bridge.campaign.resume',
  request: CampaignChoice,
  reply: Campaign,
});
export const cancelCampaign = defineRequest({
  subject: 'telephony-bridge.campaign.cancel',
  request: CampaignChoice,
  reply: Campaign,
});

/** A campaign that is running or paused, or has calls in progress, is CONFLICT. */
export const deleteCampaign = defineRequest({
  subject: 'telephony-bridge.campaign.delete',
  timeoutMs: 120_000,
  request: CampaignChoice,
  reply: described(
    'DeletedCampaign',
    'The campaign that was deleted, with its contacts and their results.',
    z.object({ CampaignKeyID: Uuid, CampaignID: z.int(), contactCount: z.int().min(0) }),
    { ...identity, contactCount: 200 },
  ),
});

export const campaignStatusChanged = defineEvent({
  subject: 'telephony-bridge.campaign.status-changed',
  payload: described(
    'CampaignStatusChanged',
    'A campaign started, paused, resumed or ended.',
    z.object({
      CampaignKeyID: Uuid,
      CampaignID: z.int(),
      CampaignName: z.string(),
      status: z.enum(campaignStates),
      contactCount: z.int(),
    }),
    { ...identity, CampaignName: 'March renewals', status: 'RUNNING', contactCount: 200 },
  ),
});

const aMonth = 43_200;

/** The variable that marks a conversation as a campaign’s; its value is the campaign’s number. */
export const campaignVariable = 'CampaignID';

const SaidOfCall = described(
  'SaidOfCall',
  'Whether it was done: it is not if the conversation is not a call, is a call that no campaign can call back, or is over.',
  z.object({ isDone: z.boolean() }),
  { isDone: true },
);

/** For the agent's tool: the person on the line asks to be called again later. */
export const bookCampaignCall = defineRequest({
  subject: 'telephony-bridge.campaign.book',
  request: described(
    'BookCampaignCallRequest',
    'The conversation, and in how many minutes its contact is to be called again.',
    z.object({ sessionUUID: Uuid, minutes: z.int().min(1).max(aMonth) }),
    { sessionUUID: sessionExample, minutes: 90 },
  ),
  reply: SaidOfCall,
});

/** For the agent's tool: the person on the line, whoever placed the call, asks not to be called any more. */
export const stopCampaignCalls = defineRequest({
  subject: 'telephony-bridge.campaign.stop-calls',
  request: described(
    'StopCampaignCallsRequest',
    'The conversation whose other side is never to be called again.',
    z.object({ sessionUUID: Uuid }),
    { sessionUUID: sessionExample },
  ),
  reply: SaidOfCall,
});
