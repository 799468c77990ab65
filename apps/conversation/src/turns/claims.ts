import type { ConversationChannel, SpeechLanguage, Variables } from '@parley/contracts';
import type { TenantScope } from '@parley/database';
import type { z } from 'zod';
import { isRemembered, type PastTurn } from './past-turn';

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
  readonly channel: z.output<typeof ConversationChannel>;
  readonly language: SpeechLanguage;
  readonly variables: z.output<typeof Variables>;
  readonly summary: string;
  readonly summarizedTurnId: string;
}

/** How long a replica that died holds a session. */
export const leaseSeconds = 15;

/** What came of reaching for a session: it is the turn's, another turn has it, or no such session is there. */
export type Claim = { readonly session: ClaimedSession; readonly history: readonly PastTurn[] } | 'BUSY' | 'UNKNOWN';

/**
 * Takes a session for one turn, unless another turn has it. One statement, so that no two replicas can; a turn that a
 * dead replica left behind is marked in passing, and an ended conversation that is taken up again is open.
 */
export async function claimSession(tenants: TenantScope, turn: NewTurn): Promise<Claim> {
  const values = [...keyOf(turn), turn.question, leaseSeconds, turn.variables];
  const [found] = await tenants.once<ClaimRow>(turn.orgId, { name: 'claim-session', text: claiming, values });
  if (!found) return 'UNKNOWN';
  const { id, isStale, history, ...session } = found;
  if (id === null) return 'BUSY';
  return { session, history: isStale ? await latestTurns(tenants, turn.orgId, id) : history };
}

type ClaimRow = ClaimedSession & { readonly id: number | null; readonly isStale: boolean; readonly history: PastTurn[] };

const historyMax = 60;

/** Every turn that the summary does not cover, up to a limit, oldest first. */
const latest = (sessionId: string) => `
  SELECT coalesce(json_agg(json_build_object('id', id::text, 'question', question, 'answer', answer) ORDER BY id), '[]')
  FROM (
    SELECT turns.id, question, answer FROM turns JOIN sessions ON sessions.id = session_id
    WHERE session_id = ${sessionId} AND turns.id > summarized_turn_id AND ${isRemembered}
    ORDER BY turns.id DESC LIMIT ${historyMax}
  ) past`;

// A claim may wait for another one that is over by then: it gets the session, but has looked at the turns from before.
// It looks for the session by its own id alone, for the reason that closing it does.
const claiming = `
  WITH claimed AS (
    UPDATE sessions SET busy_turn = $2, busy_until = now() + $6 * interval '1 second', active_on = now(),
      variables = variables || $7, status = 'OPEN', ended_on = NULL, outcome = NULL, end_reason = NULL
    WHERE session_uuid = $3 AND agent_id = $4 AND (busy_turn IS NULL OR busy_until < now())
    RETURNING id, channel, language, variables, summary, summarized_turn_id, turn_count
  ), lost AS (
    UPDATE turns SET status = 'LOST', answered_on = now() FROM claimed WHERE session_id = claimed.id AND turns.status = 'RUNNING'
  ), asked AS (
    INSERT INTO turns (org_id, session_id, turn_uuid, status, question) SELECT $1, claimed.id, $2, 'RUNNING', $5 FROM claimed
  )
  SELECT claimed.id, claimed.channel, claimed.language, claimed.variables, claimed.summary,
    claimed.summarized_turn_id AS "summarizedTurnId", claimed.turn_count IS DISTINCT FROM known.turn_count AS "isStale",
    (${latest('claimed.id')}) AS history
  FROM sessions known LEFT JOIN claimed ON claimed.id = known.id
  WHERE known.session_uuid = $3 AND known.agent_id = $4`;

async function latestTurns(tenants: TenantScope, orgId: number, sessionId: number): Promise<PastTurn[]> {
  const text = `SELECT (${latest('$1')}) AS history`;
  const [found] = await tenants.once<{ history: PastTurn[] }>(orgId, { name: 'latest-turns', text, values: [sessionId] });
  return found?.history ?? [];
}

/** Makes a session and takes it for its first turn. */
export async function createSession(tenants: TenantScope, turn: NewTurn, session: NewSession): Promise<void> {
  const { agentKeyId, agentName, channel, language } = session;
  const asked = [...keyOf(turn), turn.question, leaseSeconds, turn.variables];
  const values = [...asked, agentKeyId, agentName, channel, language];
  await tenants.once(turn.orgId, { name: 'create-session', text: creation, values });
}

// Nothing of its past has to be looked at: nobody else knows of it yet.
const creation = `
  WITH claimed AS (
    INSERT INTO sessions
      (org_id, busy_turn, session_uuid, agent_id, busy_until, variables, agent_key_id, agent_name, channel, language)
    VALUES ($1, $2, $3, $4, now() + $6 * interval '1 second', $7, $8, $9, $10, $11) RETURNING id
  )
  INSERT INTO turns (org_id, session_id, turn_uuid, status, question) SELECT $1, claimed.id, $2, 'RUNNING', $5 FROM claimed`;

function keyOf({ orgId, turnUuid, sessionUuid, agentId }: NewTurn) {
  return [orgId, turnUuid, sessionUuid, agentId];
}
