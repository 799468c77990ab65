import { z } from 'zod';
import { LatencyParts } from '../conversation';
import { defineRequest } from '../messages';
import {
  agentKeyExample,
  createdOnExample,
  described,
  listOf,
  OptionalDateBound,
  paging,
  RecordId,
  sessionExample,
  startAfterEnd,
  startsBeforeEnd,
  text,
  Timestamp,
  updatedOnExample,
  Uuid,
} from '../vocabulary';
import { CallDirection, CallOutcome, CallState, callStates } from './calls';

const call = '5f617394-2f40-4162-9d8e-0f2a4b6c8d0e';

/** What is worth knowing of how a call went, beside what it came to. */
export const callRemarks = ['ONE_WAY_AUDIO_IN', 'ONE_WAY_AUDIO_OUT', 'NO_MEDIA', 'MOVED', 'MACHINE_ANSWERED'] as const;

const latencyExample = {
  endOfTurnMs: 320,
  transcriptionMs: 90,
  retrievalMs: 11,
  firstTokenMs: 240,
  firstAudioMs: 120,
  pacingMs: 20,
  totalMs: 801,
};

/** Everything that is known of one call. */
export const CallRecord = described(
  'CallRecord',
  'A telephone call. Times that were not reached are null; `cause` says in words why it ended, `causeCode` in the carrier’s.',
  z.object({
    CallKeyID: Uuid,
    CallID: z.int(),
    AgentKeyID: Uuid,
    AgentID: z.int(),
    CarrierAccountKeyID: Uuid,
    CarrierAccountID: z.int(),
    CampaignID: z.int().nullable(),
    ContactID: z.int().nullable(),
    carrier: z.string(),
    carrierCallID: z.string().nullable(),
    direction: CallDirection,
    state: CallState,
    outcome: CallOutcome.nullable(),
    from: z.string(),
    to: z.string(),
    transferredTo: z.string().nullable(),
    cause: z.string().nullable(),
    causeCode: z.string().nullable(),
    remarks: z.array(z.enum(callRemarks)),
    queuedAt: Timestamp,
    ringingAt: Timestamp.nullable(),
    answeredAt: Timestamp.nullable(),
    endedAt: Timestamp.nullable(),
    durationSeconds: z.int().min(0),
    minutes: z.int().min(0),
    credits: z.object({ TTT_API: z.int().min(0), TTS_API: z.int().min(0), STT_API: z.int().min(0) }),
    sessionUUID: Uuid.nullable(),
    turnCount: z.int().min(0),
    latency: LatencyParts.nullable(),
    recordingKey: z.string().nullable(),
    UpdatedOn: Timestamp,
  }),
  {
    CallKeyID: call,
    CallID: 90,
    AgentKeyID: agentKeyExample,
    AgentID: 12,
    CarrierAccountKeyID: '9a4b6c8d-0e1f-4a2b-8c3d-4e5f60718293',
    CarrierAccountID: 2,
    CampaignID: null,
    ContactID: 77,
    carrier: 'twilio',
    carrierCallID: 'CA00000000000000000000000000000000',
    direction: 'OUTBOUND',
    state: 'COMPLETED',
    outcome: 'ANSWERED',
    from: '+912025501234',
    to: '+919820012345',
    transferredTo: null,
    cause: 'The other side hung up.',
    causeCode: null,
    remarks: [],
    queuedAt: createdOnExample,
    ringingAt: '2026-03-02T09:30:02.000Z',
    answeredAt: '2026-03-02T09:30:08.000Z',
    endedAt: '2026-03-02T09:32:08.000Z',
    durationSeconds: 120,
    minutes: 2,
    credits: { TTT_API: 1204, TTS_API: 310, STT_API: 118 },
    sessionUUID: sessionExample,
    turnCount: 3,
    latency: latencyExample,
    recordingKey: null,
    UpdatedOn: updatedOnExample,
  },
);
export type CallRecord = z.output<typeof CallRecord>;

/** One call by its key. */
export const CallChoice = described('CallChoice', 'One call.', z.object({ CallKeyID: Uuid }), { CallKeyID: call });

export const getCall = defineRequest({ subject: 'telephony-bridge.call.get', request: CallChoice, reply: CallRecord });

export const listCalls = defineRequest({
  subject: 'telephony-bridge.call.list',
  request: described(
    'CallListQuery',
    'Which calls. `number` finds either side of a call, also by a part of it; the dates are about when a call was placed or came.',
    z
      .object({
        state: z.enum(['ALL', ...callStates]).default('ALL'),
        direction: z.enum(['ALL', ...CallDirection.options]).default('ALL'),
        AgentID: RecordId.nullish(),
        CampaignID: RecordId.nullish(),
        number: text(80).default(''),
        startDate: OptionalDateBound,
        endDate: OptionalDateBound,
        ...paging(['queuedAt', 'endedAt', 'durationSeconds', 'CallID']),
      })
      .refine(startsBeforeEnd, startAfterEnd),
    { state: 'COMPLETED', direction: 'INBOUND', AgentID: 12, number: '+9198', startDate: '2026-03-01', pageNo: 1, pageSize: 20 },
  ),
  reply: listOf('CallPage', CallRecord),
});
