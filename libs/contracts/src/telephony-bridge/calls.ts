import { z } from 'zod';
import { defineEvent, defineRequest, defineStream } from '../messages';
import { agentKeyExample, createdOnExample, described, Nothing, sessionExample, Timestamp, Uuid } from '../vocabulary';

export const callStates = ['QUEUED', 'RINGING', 'IN_PROGRESS', 'COMPLETED', 'MISSED', 'FAILED', 'CANCELLED'] as const;
export const CallState = z.enum(callStates);

/** What a call came to, beside its state. */
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

/** Live calls of the organization; a crashed bridge's calls leave the count within ten seconds. */
export const countActiveCalls = defineRequest({
  subject: 'telephony-bridge.call.count-active',
  request: Nothing,
  reply: ActiveCalls,
});

/** How a call sounded, as the bridge measured it by its end. */
export const VoiceQuality = z.object({
  frames: z.int().min(0),
  lateFrames: z.int().min(0),
  /** Only of lines that see single packets. */
  lostFrames: z.int().min(0).optional(),
  jitterMs: z.number().min(0),
  isOneWay: z.boolean(),
});

const CallChange = described(
  'CallStateChanged',
  'A call moved on. Times that are not reached yet are null.',
  z.object({
    CallKeyID: Uuid,
    CallID: z.int(),
    AgentID: z.int(),
    CampaignID: z.int().nullable(),
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
  }),
  {
    CallKeyID: '5f617394-2f40-4162-9d8e-0f2a4b6c8d0e',
    CallID: 90,
    AgentID: 12,
    CampaignID: 3,
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

/** What a dashboard shows live: the counts whenever they change, and each call that moves on. */
export const watchCalls = defineStream({
  subject: 'telephony-bridge.call.watch',
  timeoutMs: watchTimeoutMs,
  request: described(
    'WatchCallsRequest',
    'From where on. `after` is the last change that the watcher knows of; without it only what is yet to come.',
    z.object({ after: z.int().min(0).optional() }),
    { after: 412 },
  ),
  item: described(
    'LiveCallItem',
    'The counts, or a call that moved on. `change` grows with every change of the organization.',
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('counts'), change: z.int().min(0), counts: ActiveCalls }),
      z.object({ type: z.literal('call'), change: z.int().min(0), call: CallChange }),
    ]),
    { type: 'counts', change: 412, counts: { activeCalls: 0, limit: 10, byAgent: [] } },
  ),
});
