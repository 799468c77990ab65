import { Injectable } from '@nestjs/common';
import type { getFaqHits } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import { faqQuarters, turnFacts } from '../facts/turn-facts';
import { AgentScope } from '../scope/agent-scope';
import { Spans } from '../scope/spans';
import { numberOf, Sums } from '../figures/sums';
import type { BodyOf, ReplyOf } from '../message-types';

const faqsMax = 1_000;

/** How often stored answers are given. */
@Injectable()
export class FaqHitsService {
  constructor(
    private readonly tenants: TenantScope,
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
    const titles = await this.titles(
      orgId,
      most.map(({ KBFAQID }) => KBFAQID),
    );
    return {
      hits: hits.reduce((total, each) => total + each.hits, 0),
      faqs: most.map((each) => ({ ...each, Question: titles.get(each.KBFAQID) ?? '' })),
    };
  }

  /** The questions as they were worded when they were last given. */
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
