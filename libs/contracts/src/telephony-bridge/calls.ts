import { z } from 'zod';
import { LatencyParts } from '../conversation/turn-parts';
import { defineEvent, defineRequest, defineStream } from '../messages';
import {
  agentKeyExample,
  createdOnExample,
  described,
  listOf,
  Nothing,
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
import { CarrierName } from './numbers';

export const callStates = ['QUEUED', 'RINGING', 'IN_PROGRESS', 'COMPLETED', 'MISSED', 'FAILED', 'CANCELLED'] as const;
export const CallState = z.enum(callStates);

/** The outcome of a call, besides its state. */
export const callOutcomes = [
  'ANSWERED',
  'VOICEMAIL',
  'TRANSFERRED',
  'NO_ANSWER',
  'BUSY',
  'REJECTED',
  'UNREACHABLE',
  'CANCELLED',
  'FAILED',
] as const;
export const CallOutcome = z.enum(callOutcomes);
/** The progress of transferring a call to a person. After REFUSED, NO_ANSWER and FAILED the agent continues with the caller. */
const transferStates = ['ASKED', 'RINGING', 'TAKEN', 'REFUSED', 'NO_ANSWER', 'FAILED', 'CALLER_LEFT'] as const;
const CallTransfer = z.object({
  mode: z.enum(['BLIND', 'ANNOUNCED']),
  state: z.enum(transferStates),
  askedAt: Timestamp,
  ringingAt: Timestamp.nullable(),
  endedAt: Timestamp.nullable(),
});

export const CallDirection = z.enum(['INBOUND', 'OUTBOUND']);

const ActiveCalls = described(
  'ActiveCalls',
  'How many calls are live, and how many may be.',
  z.object({
    activeCalls: z.int().min(0),
    limit: z.int().min(0),
    byAgent: z.array(z.object({ AgentID: z.int(), AgentKeyID: Uuid, AgentName: z.string(), activeCalls: z.int().min(0) })),
  }),
  { activeCalls: 2, limit: 10, byAgent: [{ AgentID: 12, AgentKeyID: agentKeyExample, AgentName: 'Maya', activeCalls: 2 }] },
);

/** The organization's live calls; those of a crashed bridge are no longer counted after ten seconds. */
export const countActiveCalls = defineRequest({
  subject: 'telephony-bridge.call.count-active',
  request: Nothing,
  reply: ActiveCalls,
});

/** The sound quality of a call, as measured by the bridge over its whole length. */
export const VoiceQuality = z.object({
  frames: z.int().min(0),
  lateFrames: z.int().min(0),
  /** Only for lines with individual packets. */
  lostFrames: z.int().min(0).optional(),
  jitterMs: z.number().min(0),
  isOneWay: z.boolean(),
});

const contactKey = '7a9b1c3d-5e7f-4a1b-8c3d-5e7f9a1b3c5d';

const CallChange = described(
  'CallStateChanged',
  'The state of a call, or of its transfer to a person, changed. Times not yet reached are null.',
  z.object({
    CallKeyID: Uuid,
    CallID: z.int(),
    AgentKeyID: Uuid.nullable().default(null),
    AgentID: z.int(),
    CampaignKeyID: Uuid.nullable().default(null),
    CampaignID: z.int().nullable(),
    CampaignContactKeyID: Uuid.nullable().default(null),
    CampaignContactID: z.int().nullable().default(null),
    ContactKeyID: Uuid.nullable().default(null),
    ContactID: z.int().nullable(),
    direction: CallDirection,
    state: CallState,
    sessionUUID: Uuid.nullable(),
    queuedAt: Timestamp,
    ringingAt: Timestamp.nullable().default(null),
    answeredAt: Timestamp.nullable(),
    endedAt: Timestamp.nullable(),
    durationSeconds: z.int().min(0),
    outcome: CallOutcome.nullable().default(null),
    cause: z.string().nullable().default(null),
    causeCode: z.string().nullable().default(null),
    quality: VoiceQuality.nullish(),
    transfer: CallTransfer.nullish(),
  }),
  {
    CallKeyID: '5f617394-2f40-4162-9d8e-0f2a4b6c8d0e',
    CallID: 90,
    AgentKeyID: agentKeyExample,
    AgentID: 12,
    CampaignKeyID: '607284a5-3051-4273-8e9f-1a3b5c7d9e1f',
    CampaignID: 3,
    CampaignContactKeyID: '718395b6-4162-4384-9fa0-2b4c6d8e0f20',
    CampaignContactID: 501,
    ContactKeyID: contactKey,
    ContactID: 77,
    direction: 'OUTBOUND',
    state: 'COMPLETED',
    sessionUUID: sessionExample,
    queuedAt: createdOnExample,
    ringingAt: '2026-03-02T09:30:02.000Z',
    answeredAt: '2026-03-02T09:30:08.000Z',
    endedAt: '2026-03-02T09:32:08.000Z',
    durationSeconds: 120,
    outcome: 'ANSWERED',
    cause: 'The caller hung up.',
    causeCode: null,
  },
);

export const callStateChanged = defineEvent({ subject: 'telephony-bridge.call.state-changed', payload: CallChange });

const watchTimeoutMs = 3_600_000;

/** For live dashboards: the counts whenever they change, and each call whose state changes. */
export const watchCalls = defineStream({
  subject: 'telephony-bridge.call.watch',
  timeoutMs: watchTimeoutMs,
  request: described(
    'WatchCallsRequest',
    'Where to continue. `after` is the last change that the watcher received; without it, only later changes are sent.',
    z.object({ after: z.int().min(0).optional() }),
    { after: 412 },
  ),
  item: described(
    'LiveCallItem',
    'The counts, or a call whose state changed. `change` increases with every change in the organization.',
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('counts'), change: z.int().min(0), counts: ActiveCalls }),
      z.object({ type: z.literal('call'), change: z.int().min(0), call: CallChange }),
    ]),
    { type: 'counts', change: 412, counts: { activeCalls: 0, limit: 10, byAgent: [] } },
  ),
});

const call = '5f617394-2f40-4162-9d8e-0f2a4b6c8d0e';

/** Remarks on a call, besides its outcome. */
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
  'A telephone call. Times that were not reached are null; `cause` says in words why it ended, `causeCode` is the carrier’s code for it.',
  z.object({
    CallKeyID: Uuid,
    CallID: z.int(),
    AgentKeyID: Uuid,
    AgentID: z.int(),
    CarrierAccountKeyID: Uuid,
    CarrierAccountID: z.int(),
    CampaignKeyID: Uuid.nullable(),
    CampaignID: z.int().nullable(),
    ContactKeyID: Uuid.nullable(),
    ContactID: z.int().nullable(),
    carrier: CarrierName,
    carrierCallID: z.string().nullable(),
    direction: CallDirection,
    state: CallState,
    outcome: CallOutcome.nullable(),
    from: z.string(),
    to: z.string(),
    transferredTo: z.string().nullable(),
    transfer: CallTransfer.extend({ to: z.string() }).nullable().default(null),
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
    CampaignKeyID: null,
    CampaignID: null,
    ContactKeyID: contactKey,
    ContactID: 77,
    carrier: 'twilio',
    carrierCallID: 'CA00000000000000000000000000000000',
    direction: 'OUTBOUND',
    state: 'COMPLETED',
    outcome: 'ANSWERED',
    from: '+912025501234',
    to: '+919820012345',
    transferredTo: null,
    transfer: {
      to: '+919820054321',
      mode: 'ANNOUNCED',
      state: 'NO_ANSWER',
      askedAt: '2026-03-02T09:31:02.000Z',
      ringingAt: '2026-03-02T09:31:05.000Z',
      endedAt: '2026-03-02T09:31:30.000Z',
    },
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
    'Which calls to list. `number` matches the number of either side, or a part of it; the dates refer to when a call was placed or came in.',
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
