import { z } from 'zod';
import { defineEvent, defineRequest } from '../messages';
import {
  agentKeyExample,
  createdOnExample,
  described,
  E164,
  filledText,
  listOf,
  OptionalDateBound,
  paging,
  RecordId,
  SearchText,
  startAfterEnd,
  startsBeforeEnd,
  Timestamp,
  updatedOnExample,
  Uuid,
} from '../vocabulary';
import { CallingHours, RetryPolicy } from './calling-hours';

const campaignKey = '607284a5-3051-4273-8e9f-1a3b5c7d9e1f';
export const campaignStates = ['DRAFT', 'RUNNING', 'PAUSED', 'COMPLETED', 'CANCELLED'] as const;
const contactsPerCampaignMax = 100_000;

const campaignFields = {
  CampaignName: filledText(120),
  AgentID: RecordId,
  CallerNumber: E164,
  CallingHours: CallingHours.prefault({}),
  Retry: RetryPolicy.prefault({}),
  CallsPerMinute: z.int().min(1).max(600).default(10),
  MaxConcurrentCalls: z.int().min(1).max(500).default(5),
  startDate: OptionalDateBound,
  endDate: OptionalDateBound,
};
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
    ...campaignFields,
    AgentKeyID: Uuid,
    status: z.enum(campaignStates),
    contactCount: z.int().min(0),
    progress: z.object({
      waiting: z.int(),
      active: z.int(),
      completed: z.int(),
      missed: z.int(),
      failed: z.int(),
      doNotCall: z.int(),
    }),
    CreatedOn: Timestamp,
    UpdatedOn: Timestamp,
  }),
  {
    ...identity,
    ...values,
    AgentKeyID: agentKeyExample,
    status: 'RUNNING',
    contactCount: 200,
    CreatedOn: createdOnExample,
    progress: { waiting: 150, active: 2, completed: 40, missed: 6, failed: 1, doNotCall: 1 },
    UpdatedOn: updatedOnExample,
  },
);

export const saveCampaign = defineRequest({
  subject: 'telephony-bridge.campaign.save',
  timeoutMs: 30_000,
  request: described(
    'SaveCampaignRequest',
    'A new campaign (`CampaignKeyID` null), or the new state of one. `ContactIDs`, when sent, replace its contacts.',
    z
      .object({
        CampaignKeyID: Uuid.nullish(),
        ...campaignFields,
        ContactIDs: z.array(RecordId).max(contactsPerCampaignMax).optional(),
      })
      .refine(startsBeforeEnd, startAfterEnd),
    { CampaignKeyID: null, ...values, ContactIDs: [77, 78], CallingHours: { from: '10:00', to: '18:30' } },
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

const CampaignChoice = described('CampaignChoice', 'One campaign.', z.object({ CampaignKeyID: Uuid }), {
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
