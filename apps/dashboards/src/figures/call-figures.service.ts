import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  type BodyOf,
  type CallCounts,
  type campaignStates,
  Fault,
  type getCampaignDashboard,
  type getDashboardCount,
  type getTodayCounts,
  type ReplyOf,
} from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import { dayOf, daysLater, startOfDay } from '@parley/service-kit';
import type { z } from 'zod';
import { callFacts, callQuarters, campaignQuarters } from '../facts/facts';
import { AgentScope, type Span, Spans, stepsOf } from '../scope/spans';
import { emptyRow, numberOf, shareOf, sumOf, type SumRow, Sums } from './sums';

/** Statistics of telephone calls. */
@Injectable()
export class CallCountsService {
  constructor(
    private readonly sums: Sums,
    private readonly spans: Spans,
    private readonly scope: AgentScope,
  ) {}

  async get(query: BodyOf<typeof getDashboardCount>, call: Call): Promise<ReplyOf<typeof getDashboardCount>> {
    const span = await this.spans.of(query, call);
    const agentIds = await this.scope.of(query.agentIds, call);
    const steps = stepsOf(span, 'day');
    const sought = { orgId: organizationOf(call), ...span, only: { agent_id: agentIds } };
    const rows = await this.sums.of(callFacts, callQuarters, sought, { steps });
    const byStep = new Map(rows.map((row) => [row.step, row]));
    const series = steps.map(({ date }, step) => ({ date, ...callCountsOf([byStep.get(step) ?? emptyRow]) }));
    return { ...callCountsOf(rows), series };
  }

  async today(call: Call, now = new Date()): Promise<ReplyOf<typeof getTodayCounts>> {
    const timeZone = await this.spans.timeZoneOf(call);
    const date = dayOf(now, timeZone);
    const [from, to] = [startOfDay(date, timeZone), startOfDay(daysLater(date, 1), timeZone)];
    const agentIds = await this.scope.of(undefined, call);
    const rows = await this.sums.of(callFacts, callQuarters, {
      orgId: organizationOf(call),
      from,
      to,
      only: { agent_id: agentIds },
    });
    const counts = callCountsOf(rows);
    return { date, at: now.toISOString(), change: [date, ...Object.values(counts)].join('_'), ...counts };
  }
}

/** The API's counts, from summed rows of calls. */
function callCountsOf(rows: readonly SumRow[]): z.input<typeof CallCounts> {
  const sum = (name: string) => sumOf(rows, name);
  const talks = sum('talks');
  return {
    totalCalls: sum('total'),
    completed: sum('completed'),
    answered: sum('answered'),
    missed: sum('missed'),
    failed: sum('failed'),
    cancelled: sum('cancelled'),
    open: sum('open'),
    averageDurationSeconds: talks === 0 ? 0 : Math.round((sum('talk_seconds') / talks) * 100) / 100,
  };
}

type GetTodayCountsReply = ReplyOf<typeof getTodayCounts>;

const lookEveryMs = 1_000;

/** Today's counts for wallboards, whenever they change. A new day begins with zeros. */
@Injectable()
export class TodayWatch {
  constructor(private readonly counts: CallCountsService) {}

  async *watch(after: string | undefined, call: Call): AsyncGenerator<GetTodayCountsReply> {
    let known = after;
    while (!call.signal.aborted) {
      const counts = await this.counts.today(call);
      if (counts.change !== known) yield counts;
      known = counts.change;
      await delay(lookEveryMs, undefined, { signal: call.signal }).catch(() => undefined);
    }
  }
}

const campaignsMax = 1_000;

interface Campaign {
  readonly CampaignKeyID: string;
  readonly CampaignID: number;
  readonly CampaignName: string;
  readonly status: (typeof campaignStates)[number];
  readonly contactCount: number;
}

interface Chosen {
  readonly orgId: number;
  readonly campaignIds: readonly number[] | undefined;
  readonly agentIds: readonly number[] | undefined;
}

/** Figures of campaigns. */
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
    const perCampaign = campaigns.map((campaign) => {
      const figures = figuresOf([byId.get(campaign.CampaignID) ?? emptyRow], reached.get(campaign.CampaignID) ?? 0);
      return { ...campaign, ...figures };
    });
    const total = figuresOf(rows, totalOf(perCampaign.map(({ contactsReached }) => contactsReached)));
    return {
      total: { ...total, contactCount: totalOf(perCampaign.map(({ contactCount }) => contactCount)) },
      campaigns: perCampaign,
    };
  }

  /** A member restricted to some agents sees only the campaigns in which those have called. */
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

  /**
   * Distinct contacts are counted from the facts, for as long as these are kept. An index contains exactly these calls, ordered
   * by contact.
   */
  private async reached({ orgId, campaignIds, agentIds }: Chosen, { from, to }: Span): Promise<Map<number, number>> {
    const rows = await this.tenants.read(orgId, async (manager) => {
      // Both statements are sent together. Hashing forty thousand calls takes twice as long as reading them in index order.
      const ordered = manager.query('SET LOCAL enable_hashagg = off');
      const counted = manager.query<{ id: number; reached: number }[]>(
        `SELECT campaign_id AS id, count(*)::int AS reached FROM (
           SELECT DISTINCT campaign_id, campaign_contact_id, contact_id FROM call_facts
           WHERE org_id = $1 AND campaign_id IS NOT NULL AND (campaign_contact_id IS NOT NULL OR contact_id IS NOT NULL)
             AND (answered_at IS NOT NULL OR state = 'IN_PROGRESS') AND is_machine IS NOT TRUE
             AND queued_at >= $2 AND queued_at < $3 AND ($4::int[] IS NULL OR campaign_id = ANY($4))
             AND ($5::int[] IS NULL OR agent_id = ANY($5))
         ) contacts GROUP BY campaign_id`,
        [orgId, from, to, campaignIds ?? null, agentIds ?? null],
      );
      await ordered;
      return counted;
    });
    return new Map(rows.map(({ id, reached }) => [id, reached]));
  }
}

function figuresOf(rows: readonly SumRow[], contactsReached: number) {
  const counts = callCountsOf(rows);
  return { ...counts, contactsReached, answerRate: shareOf(counts.answered, counts.totalCalls) };
}

const totalOf = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
