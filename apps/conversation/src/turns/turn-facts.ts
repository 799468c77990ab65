import { Controller, Injectable } from '@nestjs/common';
import { Fault, readTurnFacts, type TurnFact } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, Handles } from '@parley/messaging';
import type { BodyOf, ReplyOf } from '../message-types';

const lettersMax = 300;

interface Told {
  readonly place: string;
  readonly changes: number;
  readonly readAt: Date;
  /** Absent where the turn is gone. */
  readonly turn: TurnFact | null;
}

/**
 * What was counted of turns, in the order of the transactions that changed them. A number that a sequence has given may show after a
 * greater one, so only transactions are read below the oldest that still runs: nothing can appear among them any more.
 */
const oldestChanges = `
  WITH changes AS MATERIALIZED (
    SELECT xact, seq, turn_uuid FROM turn_changes
    WHERE (xact, seq) > ($1::text::xid8, $2::bigint) AND xact < pg_snapshot_xmin(pg_current_snapshot())
    ORDER BY xact, seq LIMIT $3
  ), page AS MATERIALIZED (
    SELECT count(*)::int AS changes, (SELECT xact || '.' || seq FROM changes ORDER BY xact DESC, seq DESC LIMIT 1) AS place FROM changes
  )
  SELECT page.place, page.changes, clock_timestamp() AS "readAt",
    CASE WHEN turns.status <> 'RUNNING' THEN json_build_object(
      'orgId', turns.org_id, 'turnUUID', turns.turn_uuid, 'sessionUUID', sessions.session_uuid, 'AgentID', sessions.agent_id,
      'channel', sessions.channel, 'language', sessions.language, 'status', turns.status,
      'turnNumber', (
        SELECT count(*) FROM turns earlier
        WHERE earlier.session_id = turns.session_id AND earlier.id <= turns.id
          AND (earlier.id = turns.id OR earlier.status <> 'DISCARDED')
      ),
      'isFromFaq', turns.is_from_faq, 'isKnown', turns.is_known,
      'faq', CASE WHEN turns.is_from_faq THEN (
        SELECT json_build_object('KBFAQID', (source ->> 'id')::int, 'Question', source ->> 'title')
        FROM jsonb_array_elements(turns.sources) source WHERE source ->> 'kind' = 'FAQ' LIMIT 1
      ) END,
      'question', CASE WHEN NOT turns.is_known AND turns.status IN ('COMPLETED', 'INTERRUPTED') THEN nullif(turns.question, '') END,
      'promptTokens', turns.prompt_tokens, 'completionTokens', turns.completion_tokens, 'audioSeconds', turns.audio_seconds,
      'latency', turns.latency,
      'providerErrors', coalesce(turns.provider_errors, '[]'), 'askedAt', turns.asked_on) END AS turn
  FROM page, (SELECT DISTINCT turn_uuid FROM changes) changed
    LEFT JOIN turns ON turns.turn_uuid = changed.turn_uuid LEFT JOIN sessions ON sessions.id = turns.session_id`;

/** Turns as services that count see them. */
@Injectable()
export class TurnFacts {
  constructor(private readonly tenants: TenantScope) {}

  async read({ after, limit }: BodyOf<typeof readTurnFacts>): Promise<ReplyOf<typeof readTurnFacts>> {
    const [xact = '0', seq = '0'] = after === '' ? [] : after.split('.');
    const told = await this.tenants.acrossTenantsOnce<Told>('figures are kept for every organization', {
      name: 'read-turn-facts',
      text: oldestChanges,
      values: [xact, seq, limit],
    });
    const [first] = told;
    return {
      turns: told.flatMap(({ turn }) => (turn ? [factOf(turn)] : [])),
      after: first?.place ?? after,
      hasMore: first?.changes === limit,
      readAt: (first?.readAt ?? new Date()).toISOString(),
    };
  }
}

function factOf({ askedAt, question, faq, ...turn }: TurnFact): ReplyOf<typeof readTurnFacts>['turns'][number] {
  return {
    ...turn,
    askedAt: new Date(askedAt).toISOString(),
    question: question && cut(question),
    faq: faq && { ...faq, Question: cut(faq.Question) },
  };
}

/** A letter that is cut in the middle is none. */
const cut = (text: string): string => text.slice(0, lettersMax).toWellFormed();

/** The turns of every organization over the bus, to services only. */
@Controller()
export class TurnFactsController {
  constructor(private readonly facts: TurnFacts) {}

  @Handles(readTurnFacts)
  read(body: BodyOf<typeof readTurnFacts>, { principal }: Call): Promise<ReplyOf<typeof readTurnFacts>> {
    if (principal && principal.kind !== 'system') throw new Fault('SCOPE_MISSING');
    return this.facts.read(body);
  }
}
