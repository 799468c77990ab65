import { z } from 'zod';
import { defineRequest } from '../messages';
import { agentKeyExample, createdOnExample, described, RecordId, sessionExample, Timestamp, Uuid } from '../vocabulary';
import { LatencyParts, ProviderError, providerErrorsMax, TokenUsage } from './turn-parts';
import { ConversationChannel } from './turns';

/** Keeps a page of questions of maximum length within one message. */
const turnsMax = 400;

/** A turn as statistics see it. Its question is included only if the agent did not know the answer. */
export const TurnFact = described(
  'TurnFact',
  'What statistics count of an ended turn.',
  z.object({
    orgId: RecordId,
    turnUUID: Uuid,
    sessionUUID: Uuid,
    AgentID: z.int(),
    channel: ConversationChannel,
    language: z.string(),
    turnNumber: z.int().min(1),
    status: z.enum(['COMPLETED', 'INTERRUPTED', 'FAILED', 'LOST', 'DISCARDED']),
    isFromFaq: z.boolean(),
    isKnown: z.boolean(),
    faq: z.object({ KBFAQID: z.int(), Question: z.string().max(300) }).nullable(),
    question: z.string().max(300).nullable(),
    promptTokens: z.int().min(0),
    completionTokens: z.int().min(0),
    audioSeconds: z.int().min(0),
    latency: LatencyParts.nullable(),
    // Absent in messages from a conversation service of an earlier version.
    providerErrors: z.array(ProviderError).max(providerErrorsMax).default([]),
    askedAt: Timestamp,
  }),
  {
    orgId: 1,
    turnUUID: sessionExample,
    sessionUUID: sessionExample,
    AgentID: 12,
    channel: 'PHONE',
    language: 'english',
    turnNumber: 1,
    status: 'COMPLETED',
    isFromFaq: false,
    isKnown: false,
    faq: null,
    question: 'Do you deliver to Nashik on Sundays?',
    promptTokens: 380,
    completionTokens: 32,
    audioSeconds: 3,
    latency: null,
    providerErrors: [],
    askedAt: createdOnExample,
  },
);
export type TurnFact = z.output<typeof TurnFact>;

/**
 * Turns of every organization that ended or were corrected after a given position, oldest first: for services that count, never
 * for clients. Asking again from the same position returns the same turns in their current state, so none is lost.
 */
export const readTurnFacts = defineRequest({
  subject: 'conversation.turn.facts',
  onlyReads: true,
  request: described(
    'TurnFactsRequest',
    'The position up to which the caller has read; empty for the beginning.',
    z.object({
      after: z
        .string()
        .max(64)
        .regex(/^(\d+\.\d+)?$/),
      limit: z.int().min(1).max(turnsMax).default(turnsMax),
    }),
    { after: '', limit: 200 },
    { after: '814.31' },
  ),
  reply: described(
    'TurnFacts',
    'Some turns as they were at `readAt`, the position after them, and whether more follow. A later read returns newer states.',
    z.object({ turns: z.array(TurnFact).max(turnsMax), after: z.string(), hasMore: z.boolean(), readAt: Timestamp }),
    { turns: [], after: '814.31', hasMore: false, readAt: createdOnExample },
  ),
});

const chargesMax = 1_000;

/**
 * The usage of turns that have the id of their charge (`isSettledByTurn`, `isOfAttempt`), for a process that finds a charge left
 * open by a dead gateway. Turns that have not ended, or ended before they used anything, are left out. Never for clients.
 */
export const readPaidTurns = defineRequest({
  subject: 'conversation.turn.paid',
  onlyReads: true,
  request: described(
    'PaidTurnsRequest',
    'Charges of any organization: each alone, or all from `chargeId` to `lastChargeId`.',
    z.object({
      charges: z.array(z.object({ orgId: RecordId, chargeId: Uuid, lastChargeId: Uuid.optional() })).max(chargesMax),
    }),
    { charges: [{ orgId: 7, chargeId: agentKeyExample }] },
  ),
  reply: described(
    'PaidTurns',
    'What each of their ended turns used.',
    z.object({
      turns: z
        .array(
          z.object({ orgId: RecordId, chargeId: Uuid, AgentID: z.int(), tokenUsage: TokenUsage, audioSeconds: z.int().min(0) }),
        )
        .max(chargesMax),
    }),
    {
      turns: [
        {
          orgId: 7,
          chargeId: agentKeyExample,
          AgentID: 12,
          tokenUsage: { promptTokens: 380, completionTokens: 3, totalTokens: 383 },
          audioSeconds: 0,
        },
      ],
    },
  ),
});
