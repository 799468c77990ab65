import { z } from 'zod';
import { defineEvent, defineRequest } from '../messages';
import { agentKeyExample, createdOnExample, described, Nothing, sessionExample, Timestamp, Uuid } from '../vocabulary';

export const callStates = ['QUEUED', 'RINGING', 'IN_PROGRESS', 'COMPLETED', 'MISSED', 'FAILED', 'CANCELLED'] as const;
export const CallState = z.enum(callStates);

/** Live calls of the organization; a crashed bridge's calls leave the count within ten seconds. */
export const countActiveCalls = defineRequest({
  subject: 'telephony-bridge.call.count-active',
  request: Nothing,
  reply: described(
    'ActiveCalls',
    'How many calls are live, and how many may be.',
    z.object({
      activeCalls: z.int().min(0),
      limit: z.int().min(0),
      byAgent: z.array(z.object({ AgentID: z.int(), AgentKeyID: Uuid, AgentName: z.string(), activeCalls: z.int().min(0) })),
    }),
    { activeCalls: 2, limit: 10, byAgent: [{ AgentID: 12, AgentKeyID: agentKeyExample, AgentName: 'Maya', activeCalls: 2 }] },
  ),
});

export const callStateChanged = defineEvent({
  subject: 'telephony-bridge.call.state-changed',
  payload: described(
    'CallStateChanged',
    'A call moved on. Times that are not reached yet are null.',
    z.object({
      CallKeyID: Uuid,
      CallID: z.int(),
      AgentID: z.int(),
      CampaignID: z.int().nullable(),
      ContactID: z.int().nullable(),
      direction: z.enum(['INBOUND', 'OUTBOUND']),
      state: CallState,
      sessionUUID: Uuid.nullable(),
      queuedAt: Timestamp,
      answeredAt: Timestamp.nullable(),
      endedAt: Timestamp.nullable(),
      durationSeconds: z.int().min(0),
    }),
    {
      CallKeyID: '5f617394-2f40-4162-9d8e-0f2a4b6c8d0e', CallID: 90, AgentID: 12, CampaignID: 3, ContactID: 77,
      direction: 'OUTBOUND',
      state: 'COMPLETED', sessionUUID: sessionExample, queuedAt: createdOnExample, answeredAt: '2026-03-02T09:30:08.000Z',
      endedAt: '2026-03-02T09:32:08.000Z', durationSeconds: 120,
    },
  ),
});
