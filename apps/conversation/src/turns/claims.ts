import type { ConversationChannel, SpeechLanguage, Variables } from '@parley/contracts';
import { prepared, type TenantScope } from '@parley/database';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';

/** A turn that is about to be answered. */
export interface NewTurn {
  readonly orgId: number;
  readonly turnUuid: string;
  readonly sessionUuid: string;
  readonly agentId: number;
  readonly question: string;
  readonly variables: z.output<typeof Variables>;
}

export interface NewSession {
  readonly agentKeyId: string;
  readonly agentName: string;
  readonly channel: z.output<typeof ConversationChannel>;
  readonly language: SpeechLanguage;
}

/** The session of a turn as it was when the turn began. */
export interface ClaimedSession {
  readonly id: number;
  readonly turnId: string;
  readonly channel: z.output<typeof ConversationChannel>;
  readonly language: SpeechLanguage;
  readonly variables: z.output<typeof Variables>;
  readonly summary: string;
  readonly summarizedTurnId: string;
}

/** How long a replica that died holds a session. */
export const leaseSeconds = 15;

const columns = 'id, channel, language, variables, summary, summarized_turn_id';
const claimed = `
  lost AS (UPDATE turns SET status = 'LOST', answered_on = now() FROM claimed WHERE session_id = claimed.id AND turns.status = 'RUNNING'),
  asked AS (
    INSERT INTO turns (org_id, session_id, turn_uuid, status, question)
    SELECT $1, claimed.id, $2, 'RUNNING', $5 FROM claimed RETURNING id
  )
  SELECT claimed.id, asked.id AS "turnId", channel, language, variables, summary, summarized_turn_id AS "summarizedTurnId"
  FROM claimed, asked`;

/**
 * Takes a session for one turn, unless another turn has it. One statement, so that no two replicas can; a turn that a
 * dead replica left behind is marked in passing, and an ended conversation that is taken up again is open.
 */
export async function claimSession(manager: EntityManager, turn: NewTurn): Promise<ClaimedSession | undefined> {
  const values = [...keyOf(turn), turn.question, leaseSeconds, turn.variables];
  const [session] = await prepared<ClaimedSession>(manager, { name: 'claim-session', text: claiming, values });
  return session;
}

const claiming = `
  WITH claimed AS (
    UPDATE sessions SET busy_turn = $2, busy_until = now() + $6 * interval '1 second', active_on = now(),
      variables = variables || $7, status = 'OPEN', ended_on = NULL, outcome = NULL, end_reason = NULL
    WHERE org_id = $1 AND session_uuid = $3 AND agent_id = $4 AND (busy_turn IS NULL OR busy_until < now())
    RETURNING ${columns}
  ), ${claimed}`;

/** Makes a session and takes it for its first turn. */
export async function createSession(
  tenants: TenantScope,
  turn: NewTurn,
  session: NewSession,
): Promise<ClaimedSession | undefined> {
  const { agentKeyId, agentName, channel, language } = session;
  const asked = [...keyOf(turn), turn.question, leaseSeconds, turn.variables];
  const values = [...asked, agentKeyId, agentName, channel, language];
  const [created] = await tenants.once<ClaimedSession>(turn.orgId, { name: 'create-session', text: creation, values });
  return created;
}

const creation = `
  WITH claimed AS (
    INSERT INTO sessions
      (org_id, busy_turn, session_uuid, agent_id, busy_until, variables, agent_key_id, agent_name, channel, language)
    VALUES ($1, $2, $3, $4, now() + $6 * interval '1 second', $7, $8, $9, $10, $11) RETURNING ${columns}
  ), ${claimed}`;

/** Whether a session exists that this turn could belong to. */
export async function isKnown(manager: EntityManager, { orgId, sessionUuid, agentId }: NewTurn): Promise<boolean> {
  const found: unknown[] = await manager.query(
    'SELECT 1 FROM sessions WHERE org_id = $1 AND session_uuid = $2 AND agent_id = $3',
    [orgId, sessionUuid, agentId],
  );
  return found.length > 0;
}

function keyOf({ orgId, turnUuid, sessionUuid, agentId }: NewTurn) {
  return [orgId, turnUuid, sessionUuid, agentId];
}
