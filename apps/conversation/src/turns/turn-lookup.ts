import { setTimeout as delay } from 'node:timers/promises';
import { Controller, Injectable } from '@nestjs/common';
import {
  type BodyOf,
  type discardTurn,
  Fault,
  providerErrorsMax,
  readPaidTurns,
  type readTurn,
  type recordHeardText,
  type recordLatency,
  type recordUnanswered,
  type ReplyOf,
} from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { agentsOfCaller, type Call, Handles, organizationOf } from '@parley/messaging';
import { within } from '@parley/ports';
import { visibleSession } from '../sessions/sessions';
import { Turn, type TurnStatus } from '../sessions/session.entity';
import { TurnsUnderWay } from './turn-gate';
import { tellOf } from './turn-statements';

const patienceMs = 10_000;
const pauseMsFirst = 25;
/** The longest pause between queries. If a thousand clients leave at once, queries about turns must not delay storing them. */
const pauseMsMax = 1000;

type TurnChoice = BodyOf<typeof readTurn>;

/** Reads turns once they have ended. */
@Injectable()
export class TurnLookup {
  constructor(
    private readonly tenants: TenantScope,
    private readonly underWay: TurnsUnderWay,
  ) {}

  async read(choice: TurnChoice, call: Call): Promise<ReplyOf<typeof readTurn>> {
    const { turnUuid, status, answer, audioSeconds, ...used } = await this.settled(choice, call);
    return { turnUUID: turnUuid, status, answer, tokenUsage: tokenUsageOf(used), audioSeconds };
  }

  /** Resolves once the turn is not in progress in this process, or after a while. */
  async over({ sessionUUID, turnUUID }: TurnChoice): Promise<void> {
    const ended = this.underWay.ended(sessionUUID, turnUUID);
    if (ended) await within(patienceMs, ended, () => undefined);
  }

  /** A turn once it has ended: its end may not be stored yet when it is requested. */
  async settled({ sessionUUID, turnUUID }: TurnChoice, call: Call): Promise<Turn> {
    const giveUpAtMs = Date.now() + patienceMs;
    await this.over({ sessionUUID, turnUUID });
    for (let pauseMs = pauseMsFirst; ; pauseMs = Math.min(pauseMs * 2, pauseMsMax)) {
      const turn = await this.tenants.read(organizationOf(call), async (manager) => {
        const { id: sessionId } = await visibleSession(manager, sessionUUID, call);
        return manager.findOneBy(Turn, { sessionId, turnUuid: turnUUID });
      });
      if (!turn) throw new Fault('NOT_FOUND', { message: 'There is no such turn.' });
      if (turn.status !== 'RUNNING' || Date.now() > giveUpAtMs) return turn;
      // If the caller leaves, the wait ends with the call's reason, which is not a failure of this service.
      await delay(pauseMs, undefined, { signal: call.signal }).catch(() => call.signal.throwIfAborted());
    }
  }
}

type Tokens = Pick<Turn, 'promptTokens' | 'completionTokens'>;

function tokenUsageOf({ promptTokens, completionTokens }: Tokens) {
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
}

type HeardBody = BodyOf<typeof recordHeardText>;

/** What becomes of an ended turn, if it is in one of these states. */
interface Correction {
  readonly status: TurnStatus;
  readonly from: readonly TurnStatus[];
  /** Absent if it stays as it is. */
  readonly answer?: string;
  readonly measured?: HeardBody['measured'];
  /** Why it is refused in any other state. */
  readonly refusal: string;
}

const answered: readonly TurnStatus[] = ['COMPLETED', 'INTERRUPTED', 'DISCARDED'];
const ended: readonly TurnStatus[] = [...answered, 'FAILED', 'LOST'];

/** Corrects ended turns: truncates the answer to what was heard, discards them, or adds latencies. The session's sums follow. */
@Injectable()
export class TurnCorrections {
  constructor(
    private readonly tenants: TenantScope,
    private readonly turns: TurnLookup,
  ) {}

  async recordHeard(body: BodyOf<typeof recordHeardText>, call: Call): Promise<ReplyOf<typeof recordHeardText>> {
    if (body.soFar) return this.recordSoFar(body, body.soFar, call);
    const { heardText: answer, measured } = body;
    const refusal = 'The turn has no answer.';
    await this.correct(body, call, { status: 'INTERRUPTED', from: [...answered, 'FAILED'], answer, measured, refusal });
    return { sessionUUID: body.sessionUUID };
  }

  /** In one round trip, since there are several for each long answer. One that arrives when its turn has moved on changes nothing. */
  private async recordSoFar(
    { sessionUUID, turnUUID, heardText, measured }: HeardBody,
    { question, isDone, isAll }: NonNullable<HeardBody['soFar']>,
    call: Call,
  ): Promise<ReplyOf<typeof recordHeardText>> {
    const values = [
      sessionUUID,
      turnUUID,
      agentsOfCaller(call) ?? null,
      heardText,
      question,
      isDone,
      isAll,
      ...columnsOf(measured),
    ];
    await this.tenants.once(organizationOf(call), { name: 'heard-so-far', text: soFar, values }, { isByKey: true });
    return { sessionUUID };
  }

  async discard(body: BodyOf<typeof discardTurn>, call: Call): Promise<ReplyOf<typeof discardTurn>> {
    const refusal = 'The turn is still being answered.';
    const used = await this.correct(body, call, { status: 'DISCARDED', from: ended, refusal });
    return { sessionUUID: body.sessionUUID, tokenUsage: tokenUsageOf(used) };
  }

  /**
   * Stores a question that was never answered. If the conversation is over, its end is published again, with the sound that its
   * line reports.
   */
  async recordUnanswered(body: BodyOf<typeof recordUnanswered>, call: Call): Promise<ReplyOf<typeof recordUnanswered>> {
    const { sessionUUID, turnUUID, question } = body;
    await this.tenants.run(organizationOf(call), async (manager) => {
      const { id, orgId } = await visibleSession(manager, sessionUUID, call);
      await manager.query('SELECT 1 FROM sessions WHERE id = $1 FOR UPDATE', [id]);
      await manager.query(unanswered, [orgId, id, turnUUID, question]);
      await manager.query(recount, [sessionUUID]);
      await manager.query(tellOf('turns WHERE turn_uuid = $1'), [turnUUID]);
    });
    return { sessionUUID };
  }

  async recordLatency(body: BodyOf<typeof recordLatency>, call: Call): Promise<ReplyOf<typeof recordLatency>> {
    if (!(await this.measure(body, call, endedTurn))) {
      await this.turns.settled(body, call);
      await this.measure(body, call, anyTurn);
    }
    return { sessionUUID: body.sessionUUID };
  }

  /** In one round trip, since this follows nearly every spoken answer. False if no turn in such a state is visible to the caller. */
  private async measure(body: BodyOf<typeof recordLatency>, call: Call, { name, text }: typeof anyTurn): Promise<boolean> {
    const { sessionUUID, turnUUID, latency = null, providerErrors } = body;
    const values = [sessionUUID, turnUUID, agentsOfCaller(call) ?? null, latency, JSON.stringify(providerErrors)];
    const changed = await this.tenants.once(organizationOf(call), { name, text, values }, { isByKey: true });
    return changed.length > 0;
  }

  /** Corrects a turn once it has ended. Returns what it used. */
  private async correct(choice: TurnChoice, call: Call, correction: Correction): Promise<Tokens> {
    await this.turns.over(choice);
    const corrected = await this.attempt(choice, call, correction);
    if (corrected) return corrected;
    // It is unknown, or is answered by another replica.
    await this.turns.settled(choice, call);
    const used = await this.attempt(choice, call, correction);
    if (!used) throw new Fault('CONFLICT', { message: correction.refusal });
    return used;
  }

  /** In one round trip, since this follows each answer that was cut off or withdrawn. Undefined if no such turn is in these states. */
  private async attempt({ sessionUUID, turnUUID }: TurnChoice, call: Call, correction: Correction): Promise<Tokens | undefined> {
    const { status, from, answer = null, measured } = correction;
    const agents = agentsOfCaller(call) ?? null;
    const values = [sessionUUID, turnUUID, agents, status, from, answer, ...columnsOf(measured)];
    const [, corrected = []] = await this.tenants.inOrder<Tokens>(
      organizationOf(call),
      [
        // Locked first: a turn that ends meanwhile adds to the same sums, and a recount from before would lose it.
        { name: 'lock-session', text: 'SELECT FROM sessions WHERE session_uuid = $1 FOR UPDATE', values: [sessionUUID] },
        { name: 'correct-turn', text: correcting, values },
        { name: 'recount-session', text: recount, values: [sessionUUID] },
      ],
      { isByKey: true },
    );
    return corrected[0];
  }
}

/** The parameters of `measuredBy`. */
function columnsOf(measured: HeardBody['measured']): unknown[] {
  return [measured?.latency ?? null, JSON.stringify(measured?.providerErrors ?? [])];
}

/** SQL that sets what was measured of a turn. Without a latency the former one stays, and errors are added to the former ones. */
const measuredBy = (latency: string, errors: string): string => `
  latency = coalesce(${latency}::jsonb, turns.latency), provider_errors = CASE WHEN ${errors}::jsonb = '[]' THEN turns.provider_errors
    ELSE jsonb_path_query_array(coalesce(turns.provider_errors, '[]') || ${errors}::jsonb, '$[0 to ${providerErrorsMax - 1}]') END`;

/** SQL for the turn that a caller named, if they may see its session. */
const named = `FROM sessions WHERE sessions.id = turns.session_id AND sessions.session_uuid = $1 AND turns.turn_uuid = $2
  AND ($3::int[] IS NULL OR sessions.agent_id = ANY ($3))`;

/** The beginning of an answer may have been heard before its model failed, and its turn stays one that failed. */
const correcting = `
  WITH corrected AS (
    UPDATE turns SET status = CASE WHEN turns.status = 'FAILED' AND $4::text = 'INTERRUPTED' THEN turns.status ELSE $4::text END,
      answer = coalesce($6, turns.answer), ${measuredBy('$7', '$8')}
    ${named} AND turns.status = ANY ($5::text[])
    RETURNING turns.org_id, turns.turn_uuid, turns.prompt_tokens, turns.completion_tokens
  ), told AS (
    ${tellOf('corrected')}
  ) SELECT prompt_tokens AS "promptTokens", completion_tokens AS "completionTokens" FROM corrected`;

const measuring = (states: string): string => `
  WITH measured AS (
    UPDATE turns SET ${measuredBy('$4', '$5')} ${named} AND ${states}
    RETURNING turns.org_id, turns.turn_uuid
  ) ${tellOf('measured')} RETURNING turn_uuid`;

/** The end of a turn may still be on its way to Postgres, and would overwrite what is measured. */
const endedTurn = { name: 'measure-ended-turn', text: measuring(`turns.status <> 'RUNNING'`) };
const anyTurn = { name: 'measure-turn', text: measuring('true') };

const unanswered = `
  INSERT INTO turns (org_id, session_id, turn_uuid, status, question, is_spoken, answered_on)
  VALUES ($1, $2, $3, 'INTERRUPTED', $4, true, now())
  ON CONFLICT (turn_uuid) DO NOTHING`;

/** Counting services are told once all was heard, or something was measured. */
const soFar = `
  WITH heard AS (
    UPDATE turns SET answer = $4, question = CASE WHEN question = '' THEN $5 ELSE question END, ${measuredBy('$8', '$9')},
      status = CASE WHEN NOT $6::boolean THEN turns.status WHEN $7::boolean THEN 'COMPLETED' ELSE 'INTERRUPTED' END
    ${named} AND CASE WHEN $6 THEN turns.status IN ('COMPLETED', 'INTERRUPTED') ELSE turns.status = 'RUNNING' END
    RETURNING turns.org_id, turn_uuid
  ) ${tellOf('heard')} WHERE $7 OR $8 IS NOT NULL`;

const recount = `
  UPDATE sessions SET turn_count = kept.turns, known_count = kept.known, preview = kept.preview,
    prompt_tokens = kept.prompt_tokens, completion_tokens = kept.completion_tokens
  FROM (
    SELECT count(*) FILTER (WHERE status <> 'FAILED') AS turns, count(*) FILTER (WHERE is_known) AS known,
      coalesce(left((array_agg(question ORDER BY id))[1], 200), '') AS preview,
      coalesce(sum(prompt_tokens), 0) AS prompt_tokens, coalesce(sum(completion_tokens), 0) AS completion_tokens
    FROM turns WHERE session_id = (SELECT id FROM sessions WHERE session_uuid = $1) AND status IN ('COMPLETED', 'INTERRUPTED', 'FAILED')
  ) kept WHERE session_uuid = $1`;

interface Recorded {
  readonly orgId: number;
  readonly chargeId: string;
  readonly AgentID: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly audioSeconds: number;
}

// A charged turn has the id of its charge.
const charged = `
  SELECT turns.org_id AS "orgId", turns.turn_uuid AS "chargeId", sessions.agent_id AS "AgentID", turns.prompt_tokens AS "promptTokens",
    turns.completion_tokens AS "completionTokens", turns.audio_seconds AS "audioSeconds"
  FROM unnest($1::int[], $2::uuid[], $3::uuid[]) AS charge (org_id, id, last_id)
  CROSS JOIN LATERAL (
    -- in the order of the index, which a plan for any range would not use
    SELECT * FROM turns WHERE turn_uuid BETWEEN charge.id AND charge.last_id AND org_id = charge.org_id ORDER BY turn_uuid LIMIT 1000
  ) turns
  JOIN sessions ON sessions.id = turns.session_id
  WHERE turns.status = 'COMPLETED'
    OR turns.status NOT IN ('RUNNING', 'LOST') AND turns.prompt_tokens + turns.completion_tokens + turns.audio_seconds > 0`;

/** The usage of turns for the ledger, in case the process that should have recorded it died. */
@Injectable()
export class PaidTurns {
  constructor(private readonly tenants: TenantScope) {}

  async read({ charges }: BodyOf<typeof readPaidTurns>): Promise<ReplyOf<typeof readPaidTurns>> {
    const values = [
      charges.map(({ orgId }) => orgId),
      charges.map(({ chargeId }) => chargeId),
      charges.map(({ chargeId, lastChargeId = chargeId }) => lastChargeId),
    ];
    const statement = { name: 'read-paid-turns', text: charged, values };
    const turns = await this.tenants.acrossTenantsOnce<Recorded>('charges of every organization are settled', statement);
    return {
      turns: turns.map(({ promptTokens, completionTokens, ...turn }) => {
        return { ...turn, tokenUsage: tokenUsageOf({ promptTokens, completionTokens }) };
      }),
    };
  }
}

/** Charged turns over the bus, for services only. */
@Controller()
export class PaidTurnsController {
  constructor(private readonly turns: PaidTurns) {}

  @Handles(readPaidTurns)
  read(body: BodyOf<typeof readPaidTurns>, { principal }: Call): Promise<ReplyOf<typeof readPaidTurns>> {
    if (principal && principal.kind !== 'system') throw new Fault('SCOPE_MISSING');
    return this.turns.read(body);
  }
}
