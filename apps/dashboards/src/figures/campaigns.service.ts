import { Injectable } from '@nestjs/common';
import { Fault, type getCampaignDashboard } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import { callFacts, campaignQuarters } from '../facts/call-facts';
import type { BodyOf, ReplyOf } from '../message-types';
import { callCountsOf, shareOf, withoutCalls } from './call-counts.service';
import { type Span, Spans } from '../scope/spans';
import { numberOf, type SumRow, Sums } from './sums';

const campaignsMax = 1_000;

interface Campaign {
  readonly CampaignKeyID: string;
  readonly CampaignID: number;
  readonly CampaignName: string;
  readonly status: string;
  readonly contactCount: number;
}

interface Chosen {
  readonly orgId: number;
  readonly campaignIds: readonly number[] | undefined;
  readonly agentIds: readonly number[] | undefined;
}

/** How campaigns do. */
@Injectable()
export class CampaignsService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly sums: Sums,
    private readonly spans: Spans,
  ) {}

  async get(query: BodyOf<typeof getCampaignDashboard>, call: Call): Promise<ReplyOf<typeof getCampaignDashboard>> {
    const span = await this.spans.of(query, call);
    const chosen = { orgId: organizationOf(call), campaignIds: query.campaignIds, agentIds: call.principal?.agentIds };
    const campaigns = await this.campaigns(chosen);
    const known = new Set(campaigns.map(({ CampaignID }) => CampaignID));
    if (query.campaignIds?.some((id) => !known.has(id))) throw new Fault('NOT_FOUND', { message: 'There is no such campaign.' });
    const only = { campaign_id: [...known], agent_id: chosen.agentIds };
    const rows = await this.sums.of(callFacts, campaignQuarters, { orgId: chosen.orgId, ...span, only }, { by: ['campaign_id'] });
    const byId = new Map(rows.map((row) => [numberOf(row, 'campaign_id'), row]));
    const reached = await this.reached(chosen, span);
    const told = campaigns.map((campaign) => {
      const figures = figuresOf([byId.get(campaign.CampaignID) ?? withoutCalls], reached.get(campaign.CampaignID) ?? 0);
      return { ...campaign, ...figures };
    });
    const total = figuresOf(rows, sumOf(told.map(({ contactsReached }) => contactsReached)));
    return { total: { ...total, contactCount: sumOf(told.map(({ contactCount }) => contactCount)) }, campaigns: told };
  }

  /** A member who may see some agents only sees the campaigns in which those have called. */
  private campaigns({ orgId, campaignIds, agentIds }: Chosen): Promise<Campaign[]> {
    return this.tenants.read(orgId, (manager) =>
      manager.query<Campaign[]>(
        `SELECT campaign_key AS "CampaignKeyID", campaign_id AS "CampaignID", name AS "CampaignName", status,
           contact_count AS "contactCount" FROM campaigns
         WHERE org_id = $1 AND ($2::int[] IS NULL OR campaign_id = ANY($2)) AND ($3::int[] IS NULL OR EXISTS (
           SELECT FROM campaign_days called
           WHERE called.org_id = $1 AND called.campaign_id = campaigns.campaign_id AND called.agent_id = ANY($3)))
         ORDER BY campaign_id DESC LIMIT $4`,
        [orgId, campaignIds ?? null, agentIds ?? null, campaignsMax],
      ),
    );
  }

  /** Contacts are told apart in the facts, for as long as those are kept. */
  private async reached({ orgId, campaignIds, agentIds }: Chosen, { from, to }: Span): Promise<Map<number, number>> {
    const rows = await this.tenants.read(orgId, (manager) =>
      manager.query<{ id: number; reached: number }[]>(
        `SELECT campaign_id AS id, count(*)::int AS reached FROM (
           SELECT DISTINCT campaign_id, contact_id FROM call_facts
           WHERE org_id = $1 AND campaign_id IS NOT NULL AND contact_id IS NOT NULL
             AND (answered_at IS NOT NULL OR state = 'IN_PROGRESS')
             AND queued_at >= $2 AND queued_at < $3 AND ($4::int[] IS NULL OR campaign_id = ANY($4))
             AND ($5::int[] IS NULL OR agent_id = ANY($5))
         ) contacts GROUP BY campaign_id`,
        [orgId, from, to, campaignIds ?? null, agentIds ?? null],
      ),
    );
    return new Map(rows.map(({ id, reached }) => [id, reached]));
  }
}

function figuresOf(rows: readonly SumRow[], contactsReached: number) {
  const counts = callCountsOf(rows);
  return { ...counts, contactsReached, answerRate: shareOf(counts.answered, counts.totalCalls) };
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
