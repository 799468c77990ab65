import { Controller, Injectable } from '@nestjs/common';
import {
  type BodyOf,
  Fault,
  readTurnFacts,
  readUnanswered,
  type ReplyOf,
  type SpeechLanguage,
  type TurnFact,
} from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { detectLanguage, maskedQuestion } from '@parley/language';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import { firstInstant, firstInstantAfter, OrganizationTimeZones } from '@parley/service-kit';
import { isToldWithQuestion } from './turn-statements';

const lettersMax = 300;

interface ChangedTurn {
  readonly place: string;
  readonly changes: number;
  readonly readAt: Date;
  /** Null if the turn was deleted. */
  readonly turn: TurnFact | null;
}

/**
 * Changed turns, in the order of the transactions that changed them. A row may become visible after one of a later transaction, so
 * only transactions older than the oldest running one are read, among which nothing can appear any more.
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
      'question', CASE WHEN ${isToldWithQuestion} THEN nullif(turns.question, '') END,
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
    const changes = await this.tenants.acrossTenantsOnce<ChangedTurn>('figures are kept for every organization', {
      name: 'read-turn-facts',
      text: oldestChanges,
      values: [xact, seq, limit],
    });
    const [first] = changes;
    return {
      turns: changes.flatMap(({ turn }) => (turn ? [factOf(turn)] : [])),
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

/** Drops half a character left by a cut. */
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

type Wordings = ReplyOf<typeof readUnanswered>['wordings'];

const wordingsMax = 2000;
const turnsReadMax = 20_000;

/** The distinct wordings of the latest unanswered questions, ignoring case. */
const unanswered = `
  SELECT (array_agg(question ORDER BY id DESC))[1] AS question, count(*)::int AS count,
    array_agg(DISTINCT language) AS languages, min(asked_on) AS "firstAskedOn", max(asked_on) AS "lastAskedOn"
  FROM (
    SELECT turns.id, turns.question, sessions.language, turns.asked_on
    FROM turns JOIN sessions ON sessions.id = session_id
    WHERE turns.org_id = $1 AND kb_id = $2 AND is_unanswered AND question <> '' AND turns.status IN ('COMPLETED', 'INTERRUPTED')
      AND ($3::timestamptz IS NULL OR asked_on >= $3) AND ($4::timestamptz IS NULL OR asked_on < $4)
      AND ($5::int[] IS NULL OR sessions.agent_id = ANY ($5))
    ORDER BY turns.id DESC LIMIT ${turnsReadMax}
  ) latest
  GROUP BY lower(question) ORDER BY max(id) DESC LIMIT ${wordingsMax}`;

/** Unanswered questions over the bus. */
@Controller()
export class UnansweredTurnsController {
  constructor(
    private readonly tenants: TenantScope,
    private readonly zones: OrganizationTimeZones,
  ) {}

  @Handles(readUnanswered)
  async read(query: BodyOf<typeof readUnanswered>, call: Call): Promise<ReplyOf<typeof readUnanswered>> {
    const zone = await this.zones.forDates([query.startDate, query.endDate], call);
    const orgId = organizationOf(call);
    const values = [
      orgId,
      query.KBID,
      query.startDate ? firstInstant(query.startDate, zone) : null,
      query.endDate ? firstInstantAfter(query.endDate, zone) : null,
      call.principal?.agentIds ?? null,
    ];
    const rows = await this.tenants.read(orgId, (manager) => manager.query<Row[]>(unanswered, values));
    return { wordings: rows.map(wordingOf) };
  }
}

type Row = Omit<Wordings[number], 'firstAskedOn' | 'lastAskedOn' | 'languages'> & {
  firstAskedOn: Date;
  lastAskedOn: Date;
  languages: SpeechLanguage[];
};

/**
 * Masked, because answers to them are written for everybody. Detects the language of each wording, since a conversation records only that
 * of its answers.
 */
function wordingOf({ firstAskedOn, lastAskedOn, ...row }: Row): Wordings[number] {
  const own = detectLanguage(row.question, row.languages[0]);
  const languages = own ? [own] : row.languages;
  const question = maskedQuestion(row.question);
  return { ...row, question, languages, firstAskedOn: firstAskedOn.toISOString(), lastAskedOn: lastAskedOn.toISOString() };
}
