import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type AnswerSource, Fault, type LatencyParts, type ProviderError, type SpeechLanguage } from '@parley/contracts';
import { Coalescer, type Statement, TenantScope, type TenantStatement } from '@parley/database';
import type { ModelUsage } from '@parley/ports';
import { type RegularTask, RegularTasks } from '@parley/service-kit';
import type { z } from 'zod';
import type { PastTurn } from '../answers/compose-prompt';
import type { TurnStatus } from '../sessions/session.entity';
import type { ClaimedSession, Memory, NewTurn, OpenTurn, Unstored } from './open-turn';
import { leaseSeconds, turnStatements } from './turn-statements';

/** The outcome of a statement for a turn. There is none if the turn is missing, or another turn holds its session by now. */
interface WrittenTurn {
  readonly turnUuid: string;
  /** Null while another turn holds the session. */
  readonly sessionId: number | null;
  /** The session as a claim found it. */
  readonly claimed?: (ClaimedSession & { readonly history: readonly PastTurn[]; readonly isStale: boolean }) | null;
}

const limits = { batchMax: 50, waitingMax: 5_000 };
const laneCount = 2;

type Lane = Coalescer<TurnWrite, WrittenTurn | undefined>;

interface Place {
  readonly lane: Lane;
  /** Whether a commit is in progress, so that further writes wait for the next one. */
  isCommitting: boolean;
  /** How many writes of each organization are waiting or in progress. */
  readonly of: Map<number, number>;
}

/**
 * Writes turns in batches. What arrives during a commit goes with the next one, for any turns, sessions and organizations, in one
 * round trip. A single write goes at once: a second connection keeps it from waiting for another organization's commit. The writes of
 * one organization stay in order.
 */
@Injectable()
export class TurnLane {
  private readonly places: readonly Place[];

  constructor(private readonly tenants: TenantScope) {
    this.places = Array.from({ length: laneCount }, () => this.newPlace());
  }

  private newPlace(): Place {
    const flush = async (writes: TurnWrite[]): Promise<(WrittenTurn | undefined)[]> => {
      place.isCommitting = true;
      return this.flush(writes).finally(() => (place.isCommitting = false));
    };
    const place: Place = { lane: new Coalescer(flush, limits, ({ orgId }) => orgId), isCommitting: false, of: new Map() };
    return place;
  }

  /**
   * Resolves when Postgres has committed the write. If the connection breaks during a commit, the outcome is unknown and the write is
   * repeated; the statements are idempotent.
   */
  write(write: TurnWrite, patienceMs: number): Promise<WrittenTurn | undefined> {
    const { orgId } = write;
    const place = this.placeFor(orgId);
    place.of.set(orgId, (place.of.get(orgId) ?? 0) + 1);
    return place.lane.submit(write, patienceMs).finally(() => {
      const left = (place.of.get(orgId) ?? 1) - 1;
      if (left > 0) place.of.set(orgId, left);
      else place.of.delete(orgId);
    });
  }

  /** The lane that already has writes of the organization, or else one without a commit in progress. */
  private placeFor(orgId: number): Place {
    const { places } = this;
    const place = places.find(({ of }) => of.has(orgId)) ?? places.find(({ isCommitting }) => !isCommitting) ?? places.at(-1);
    if (!place) throw new TypeError('there is no lane');
    return place;
  }

  private async flush(writes: TurnWrite[]): Promise<(WrittenTurn | undefined)[]> {
    const found = await this.tenants.together<WrittenTurn>(statementsOf(writes));
    const byTurn = new Map(found.flat().map((written) => [written.turnUuid, written]));
    return writes.map(({ row }) => byTurn.get(row.turn_uuid));
  }
}

/** A change to one turn. */
export interface TurnWrite {
  readonly orgId: number;
  readonly change: keyof typeof turnStatements;
  /** The parameters of the statement. */
  readonly row: { readonly turn_uuid: string; readonly session_uuid: string; readonly [column: string]: unknown };
}

const statements = Object.entries(turnStatements).map(([change, text]) => ({ change, name: `turns-${change}`, text }));

/** The fewest statements that perform these writes. */
function statementsOf(writes: readonly TurnWrite[]): TenantStatement[] {
  return [...Map.groupBy(writes, ({ orgId }) => orgId)].flatMap(([orgId, ofOrganization]) =>
    statements.flatMap(({ change, name, text }) => {
      const rows = ofOrganization.filter((write) => write.change === change).map(({ row }) => row);
      return rows.length === 0 ? [] : [{ orgId, statement: { name, text, values: [orgId, jsonOf(rows)] } }];
    }),
  );
}

/** JSON escapes of characters that Postgres cannot store: NUL and lone surrogates. After an escaped backslash they are plain text. */
const notStorable = /\\\\|\\u(?:0000|d[89a-f][\da-f]{2})/g;

function jsonOf(rows: readonly object[]): string {
  return JSON.stringify(rows).replace(notStorable, (found) => (found === '\\\\' ? found : '\ufffd'));
}

const renewalMs = (leaseSeconds * 1000) / 3;

type Held = Pick<NewTurn, 'orgId' | 'sessionUuid' | 'turnUuid'>;

/** Renews the leases of all turns in progress, with one timer and one transaction, while this process lives. */
@Injectable()
export class Leases {
  private readonly held = new Map<string, Held>();
  private readonly renewing: RegularTask;

  constructor(
    private readonly tenants: TenantScope,
    tasks: RegularTasks,
  ) {
    const trouble = 'Turns could not renew their hold on their sessions';
    const renewal = { everyMs: renewalMs, run: () => this.renew(), trouble, lasts: true };
    this.renewing = tasks.of({ name: 'turn leases', ...renewal });
  }

  hold(turn: Held): void {
    if (this.held.size === 0) this.renewing.start(renewalMs);
    this.held.set(turn.turnUuid, turn);
  }

  release({ turnUuid }: Held): void {
    this.held.delete(turnUuid);
  }

  /** Renews all, including those just begun, which is cheaper than tracking their age. */
  async renew(): Promise<number> {
    if (this.held.size === 0) return Number.POSITIVE_INFINITY;
    const rowOf = ({ turnUuid, sessionUuid }: Held) => ({ turn_uuid: turnUuid, session_uuid: sessionUuid });
    const writes = [...this.held.values()].map((turn) => ({ orgId: turn.orgId, change: 'renewing' as const, row: rowOf(turn) }));
    await this.tenants.together(statementsOf(writes));
    return renewalMs;
  }
}

/** How a turn ended, and what it had produced. */
export interface TurnOutcome {
  readonly status: Exclude<TurnStatus, 'RUNNING' | 'LOST'>;
  readonly answer: string;
  readonly language: SpeechLanguage;
  readonly sources: readonly z.output<typeof AnswerSource>[];
  readonly latency: z.output<typeof LatencyParts>;
  readonly usage: ModelUsage;
  readonly isFromFaq: boolean;
  readonly isKnown: boolean;
  readonly isUnanswered: boolean;
  readonly knowledgeBaseId: number | null;
  readonly audioSeconds: number;
  readonly memory: Memory | undefined;
  readonly providerErrors: readonly ProviderError[];
}

/** Long enough for a Postgres restart, since the answer is complete and must be charged. */
const patienceMs = 10_000;
/** Locks on a session are short: recording what was heard, or ending a conversation. */
const pauseMs = 20;

/** Stores how turns ended. */
@Injectable()
export class TurnRecord {
  constructor(
    private readonly lane: TurnLane,
    private readonly tenants: TenantScope,
  ) {}

  /** Returns the session's id; undefined if the turn no longer holds it, since it was marked as lost. */
  async close(turn: OpenTurn, outcome: TurnOutcome): Promise<number | undefined> {
    const { orgId, unstored } = turn;
    if (unstored)
      return this.written({ orgId, change: 'recording', row: { ...rowOf(turn, outcome), ...recordOf(turn, unstored) } });
    if (outcome.status !== 'DISCARDED') return this.written({ orgId, change: 'closing', row: rowOf(turn, outcome) });
    const statement = isRefused(turn, outcome) ? withdrawn(turn) : dropped(turn, outcome);
    const [held] = await this.tenants.once<{ id: number }>(orgId, statement);
    // Its question was finished meanwhile, and only its reader left.
    return (
      held?.id ?? this.written({ orgId, change: 'closing', row: rowOf(turn, { ...outcome, status: 'INTERRUPTED', answer: '' }) })
    );
  }

  private async written(write: TurnWrite): Promise<number | undefined> {
    for (const giveUpAtMs = Date.now() + patienceMs; Date.now() < giveUpAtMs; await delay(pauseMs)) {
      const ended = await this.lane.write(write, patienceMs);
      if (ended?.sessionId !== null) return ended?.sessionId;
    }
    throw new Fault('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1 });
  }
}

function rowOf(turn: OpenTurn, outcome: TurnOutcome): TurnWrite['row'] {
  const { usage, memory } = outcome;
  return {
    turn_uuid: turn.turnUuid,
    session_uuid: turn.sessionUuid,
    status: outcome.status,
    answer: outcome.answer,
    language: outcome.language,
    sources: outcome.sources,
    latency: outcome.latency,
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    is_from_faq: outcome.isFromFaq,
    is_known: outcome.isKnown,
    is_unanswered: outcome.isUnanswered,
    kb_id: outcome.knowledgeBaseId,
    question: turn.question,
    audio_seconds: outcome.audioSeconds,
    provider_errors: outcome.providerErrors.length > 0 ? outcome.providerErrors : null,
    summary: memory?.summary,
    summarized_turn_id: memory?.summarizedTurnId,
  };
}

function recordOf({ agentId: agent_id, variables }: OpenTurn, { agentKeyId, agentName, channel, begunMs }: Unstored) {
  const taken_ms = Math.round(performance.now() - begunMs);
  return { agent_id, variables, agent_key_id: agentKeyId, agent_name: agentName, channel, taken_ms };
}

const dropping = `
  WITH freed AS (
    UPDATE sessions SET busy_turn = NULL, busy_until = NULL, active_on = now()
    WHERE session_uuid = $1 AND busy_turn = $2 AND NOT EXISTS (SELECT FROM turns WHERE turn_uuid = $2 AND question <> '') RETURNING id
  ), dropped AS (
    UPDATE turns SET status = 'DISCARDED', answer = $3, prompt_tokens = $4, completion_tokens = $5, is_known = $6, question = $7,
      audio_seconds = $8, answered_on = now()
    FROM freed WHERE turn_uuid = $2
  ) SELECT id FROM freed`;

/** Keeps what was produced in the row, in case some of it was heard after all. */
function dropped({ turnUuid, sessionUuid, question }: OpenTurn, outcome: TurnOutcome): Statement {
  const { answer, usage, isKnown, audioSeconds } = outcome;
  const values = [sessionUuid, turnUuid, answer, usage.promptTokens, usage.completionTokens, isKnown, question, audioSeconds];
  return { name: 'drop-turn', text: dropping, values };
}

/** The first question of a chat by API, of which nothing was produced: its asker has only seen that it was refused. */
function isRefused({ isFirst, session }: OpenTurn, { usage, audioSeconds }: TurnOutcome): boolean {
  return isFirst === true && session.channel === 'API' && usage.promptTokens + usage.completionTokens + audioSeconds === 0;
}

const withdrawing = `
  WITH freed AS (SELECT id FROM sessions WHERE session_uuid = $1 AND busy_turn = $2 FOR UPDATE),
  gone AS (DELETE FROM turns USING freed WHERE turns.session_id = freed.id)
  DELETE FROM sessions USING freed WHERE sessions.id = freed.id RETURNING freed.id`;

/** Its session goes with it, which would be counted as one in which nothing was asked. */
function withdrawn({ turnUuid, sessionUuid }: OpenTurn): Statement {
  return { name: 'withdraw-turn', text: withdrawing, values: [sessionUuid, turnUuid] };
}
