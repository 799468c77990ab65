import { Controller, Injectable } from '@nestjs/common';
import {
  type BodyOf,
  Fault,
  findFaqs,
  getFaqHits,
  getUnansweredQuestions,
  readAgentRuntime,
  type ReplyOf,
} from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { maskedQuestion } from '@parley/language';
import { type Call, Handles, organizationOf, ServiceBus } from '@parley/messaging';
import { faqQuarters, turnFacts } from '../facts/facts';
import { numberOf, Sums } from '../figures/sums';
import { AgentScope, type Span, Spans } from '../scope/spans';
import { QuestionMeanings, wordingInSql } from './meanings';

type UnansweredReply = ReplyOf<typeof getUnansweredQuestions>;
type Group = UnansweredReply['groups'][number];

interface Counted {
  readonly wording: string;
  readonly question: string;
  readonly count: number;
  readonly sessions: string[];
  readonly agentIds: number[];
  readonly lastAskedOn: Date;
  readonly questions: number;
  readonly wordings: number;
}

/** How many wordings are compared with each other. */
const wordingsMax = 200;
const examplesMax = 5;
const sessionsMax = 1_000;

/** What callers ask without getting an answer. */
@Injectable()
export class UnansweredService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly bus: ServiceBus,
    private readonly spans: Spans,
    private readonly scope: AgentScope,
    private readonly meanings: QuestionMeanings,
  ) {}

  async get(query: BodyOf<typeof getUnansweredQuestions>, call: Call): Promise<UnansweredReply> {
    const orgId = organizationOf(call);
    const span = await this.spans.of(query, call);
    const found = await this.counted(orgId, span, await this.scope.of(query.agentIds, call));
    // Facts are masked as they arrive; those of earlier versions, by fewer rules.
    const counted = found.map((each) => ({ ...each, question: maskedQuestion(each.question) }));
    const texts = counted.map(({ wording }) => wording);
    const { vectors, paraphrase } = await this.meanings.of(orgId, texts);
    const wordings = counted.map((each) => ({ ...each, text: each.wording, vector: vectors.get(each.wording) }));
    const groups = groupsOf(wordings, paraphrase).map(groupOf);
    const most = groups.toSorted((a, b) => b.count - a.count || (a.question < b.question ? -1 : 1)).slice(0, query.limit);
    return {
      questions: counted[0]?.questions ?? 0,
      isSample: (counted[0]?.wordings ?? 0) > wordingsMax,
      groups: await this.withDrafts(most, call),
    };
  }

  /** Wordings by frequency, ignoring case and punctuation. */
  private counted(orgId: number, { from, to }: Span, agentIds: readonly number[] | undefined): Promise<Counted[]> {
    return this.tenants.read(orgId, (manager) =>
      manager.query<Counted[]>(unansweredWordings, [orgId, from, to, agentIds ?? null, wordingsMax, sessionsMax]),
    );
  }

  private async withDrafts(groups: readonly Group[], call: Call): Promise<Group[]> {
    const keys = await this.scope.keysOf(
      groups.flatMap(({ AgentIDs }) => AgentIDs),
      call,
    );
    const bases = new Map<number, KnowledgeBase | null>();
    for (const AgentID of new Set(groups.flatMap(({ AgentIDs: [first] }) => first ?? [])))
      bases.set(AgentID, await this.knowledgeBaseOf(AgentID));
    return groups.map((group) => {
      const base = bases.get(group.AgentIDs[0] ?? 0);
      const AgentKeyIDs = group.AgentIDs.flatMap((id) => keys.get(id) ?? []);
      return { ...group, AgentKeyIDs, addFaq: base ? draftOf(base, group.question) : null };
    });
  }

  /** Null for a deleted agent. */
  private async knowledgeBaseOf(AgentID: number): Promise<KnowledgeBase | null> {
    try {
      const { KBKeyID, KBID } = await this.bus.ask(readAgentRuntime, { AgentID });
      return KBID === null ? null : { KBKeyID, KBID };
    } catch (error) {
      if (error instanceof Fault) return null;
      throw error;
    }
  }
}

const unansweredWordings = `
  WITH asked AS MATERIALIZED (
    SELECT ${wordingInSql} AS wording, question, session_uuid, agent_id, asked_at FROM turn_facts
    WHERE org_id = $1 AND asked_at >= $2 AND asked_at < $3 AND question IS NOT NULL AND NOT is_known
      AND status IN ('COMPLETED', 'INTERRUPTED') AND ($4::int[] IS NULL OR agent_id = ANY($4))
  ), counted AS (
    SELECT wording, mode() WITHIN GROUP (ORDER BY question) AS question, count(*)::int AS count,
      (array_agg(DISTINCT session_uuid::text))[:$6] AS sessions, array_agg(DISTINCT agent_id) AS "agentIds",
      max(asked_at) AS "lastAskedOn"
    FROM asked WHERE wording LIKE '% % %' GROUP BY wording
  )
  SELECT *, (sum(count) OVER ())::int AS questions, (count(*) OVER ())::int AS wordings
  FROM counted ORDER BY count DESC, wording LIMIT $5`;

function groupOf(members: readonly (Counted & Wording)[]): Group {
  const [leader] = members;
  const agentIds = [...new Set(members.flatMap((each) => each.agentIds))];
  const latest = members.map(({ lastAskedOn }) => lastAskedOn.getTime()).reduce((a, b) => Math.max(a, b), 0);
  return {
    question: leader?.question ?? '',
    count: members.reduce((total, each) => total + each.count, 0),
    conversations: new Set(members.flatMap(({ sessions }) => sessions)).size,
    AgentKeyIDs: [],
    AgentIDs: agentIds.slice(0, sessionsMax),
    examples: members.slice(0, examplesMax).map(({ question }) => question),
    lastAskedOn: new Date(latest).toISOString(),
    addFaq: null,
  };
}

interface KnowledgeBase {
  readonly KBKeyID: string | null;
  readonly KBID: number;
}

function draftOf(base: KnowledgeBase, Question: string): NonNullable<Group['addFaq']> {
  const body = { ...base, faqs: [{ KBFAQKeyID: null, KBFAQID: 0 as const, Question, Answer: '' }] };
  return { method: 'POST', path: '/api/v1/external/kb-faq/add-update-faq', body };
}

/** A wording with its counts, and its vector if known. */
interface Wording {
  readonly text: string;
  readonly count: number;
  readonly vector: readonly number[] | undefined;
}

/**
 * Groups wordings that ask the same: each joins the first group whose leader it paraphrases, and the most frequent lead. The same
 * wordings form the same groups in any order.
 */
function groupsOf<W extends Wording>(wordings: readonly W[], paraphrase: number): W[][] {
  const groups: { leader: Wording; members: W[] }[] = [];
  for (const wording of wordings.toSorted((a, b) => b.count - a.count || compare(a.text, b.text))) {
    const group = groups.find(({ leader }) => likeness(leader.vector, wording.vector) >= paraphrase);
    if (group) group.members.push(wording);
    else groups.push({ leader: wording, members: [wording] });
  }
  return groups.map(({ members }) => members);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function likeness(a: readonly number[] | undefined, b: readonly number[] | undefined): number {
  if (!a || !b || a.length !== b.length) return -1;
  let sum = 0;
  for (let index = 0; index < a.length; index += 1) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}

const faqsMax = 1_000;

/** How often stored answers are given. */
@Injectable()
export class FaqHitsService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly bus: ServiceBus,
    private readonly sums: Sums,
    private readonly spans: Spans,
    private readonly scope: AgentScope,
  ) {}

  async get(query: BodyOf<typeof getFaqHits>, call: Call): Promise<ReplyOf<typeof getFaqHits>> {
    const orgId = organizationOf(call);
    const span = await this.spans.of(query, call);
    const only = { agent_id: await this.scope.of(query.agentIds, call) };
    const rows = await this.sums.of(turnFacts, faqQuarters, { orgId, ...span, only }, { by: ['faq_id'] });
    const hits = rows.map((row) => ({ KBFAQID: numberOf(row, 'faq_id'), hits: numberOf(row, 'hits') }));
    const most = hits.toSorted((a, b) => b.hits - a.hits || a.KBFAQID - b.KBFAQID).slice(0, faqsMax);
    const ids = most.map(({ KBFAQID }) => KBFAQID);
    const [titles, keys] = await Promise.all([this.titles(orgId, ids), this.keys(ids)]);
    return {
      hits: hits.reduce((total, each) => total + each.hits, 0),
      faqs: most.map((each) => ({
        KBFAQKeyID: keys.get(each.KBFAQID) ?? null,
        ...each,
        Question: titles.get(each.KBFAQID) ?? '',
      })),
    };
  }

  private async keys(KBFAQIDs: readonly number[]): Promise<Map<number, string>> {
    if (KBFAQIDs.length === 0) return new Map();
    const { faqs } = await this.bus.ask(findFaqs, { KBFAQIDs: [...KBFAQIDs] });
    return new Map(faqs.map(({ KBFAQID, KBFAQKeyID }) => [KBFAQID, KBFAQKeyID]));
  }

  /** The questions in their most recent wording. */
  private async titles(orgId: number, ids: readonly number[]): Promise<Map<number, string>> {
    const rows = await this.tenants.read(orgId, (manager) =>
      manager.query<{ id: number; title: string }[]>(
        `SELECT asked.id, latest.faq_title AS title FROM unnest($2::int[]) asked (id) CROSS JOIN LATERAL (
           SELECT faq_title FROM turn_facts WHERE org_id = $1 AND faq_id = asked.id ORDER BY asked_at DESC LIMIT 1) latest`,
        [orgId, ids],
      ),
    );
    return new Map(rows.map(({ id, title }) => [id, title]));
  }
}

/** The figures about questions, over the bus. */
@Controller()
export class QuestionsController {
  constructor(
    private readonly unanswered: UnansweredService,
    private readonly faqHits: FaqHitsService,
  ) {}

  @Handles(getUnansweredQuestions)
  unansweredQuestions(query: BodyOf<typeof getUnansweredQuestions>, call: Call): Promise<ReplyOf<typeof getUnansweredQuestions>> {
    return this.unanswered.get(query, call);
  }

  @Handles(getFaqHits)
  hits(query: BodyOf<typeof getFaqHits>, call: Call): Promise<ReplyOf<typeof getFaqHits>> {
    return this.faqHits.get(query, call);
  }
}
