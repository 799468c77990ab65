import { Injectable } from '@nestjs/common';
import { type CallRecord, type listCalls, listMyOrganizations, notThere, readAgentRuntime } from '@parley/contracts';
import { numberContaining, pageOf, TenantScope } from '@parley/database';
import { agentsOfCaller, type Call as BusCall, maySee, organizationOf, ServiceBus } from '@parley/messaging';
import { firstInstant, firstInstantAfter, isDay } from '@parley/service-kit';
import { In, type SelectQueryBuilder } from 'typeorm';
import type { z } from 'zod';
import { CallEntity, recordOf } from './call.entity';

type ListCallsRequest = z.output<typeof listCalls.request>;
type ListCallsReply = z.input<typeof listCalls.reply>;

const columns: Record<ListCallsRequest['sortColumn'], string> = {
  queuedAt: 'call.queued_at',
  endedAt: 'call.ended_at',
  durationSeconds: 'call.duration_seconds',
  CallID: 'call.id',
};
/** Lists and finds calls. Restricted members see those of their agents. */
@Injectable()
export class CallList {
  constructor(
    private readonly tenants: TenantScope,
    private readonly bus: ServiceBus,
  ) {}

  async page(wanted: ListCallsRequest, call: BusCall): Promise<ListCallsReply> {
    const orgId = organizationOf(call);
    const timeZone = await this.timeZoneFor(wanted);
    const page = await this.tenants.read(orgId, async (manager) => {
      const query = manager
        .createQueryBuilder(CallEntity, 'call')
        .innerJoinAndSelect('call.account', 'account')
        .where('call.org_id = :orgId', { orgId });
      const ids = agentsOfCaller(call);
      if (ids) query.andWhere('call.agent_id = ANY(:ids)', { ids });
      narrow(query, wanted);
      between(query, wanted, timeZone);
      const nulls = wanted.sortColumn === 'endedAt' ? { nulls: 'NULLS LAST' as const } : {};
      return pageOf(query, wanted, { by: columns[wanted.sortColumn], ...nulls });
    });
    // An agent or campaign with calls exists, so it is checked only for an empty list.
    if (page.totalCount === 0) await this.requireKnown(wanted, call);
    return { ...page, rows: page.rows.map(recordOf) };
  }

  private async requireKnown({ AgentID, CampaignID }: ListCallsRequest, call: BusCall): Promise<void> {
    const orgId = organizationOf(call);
    if (AgentID) await this.bus.ask(readAgentRuntime, { AgentID, mayBeDeleted: true });
    if (!CampaignID) return;
    const isKnown = await this.tenants.read(orgId, async (manager) => {
      const own = agentsOfCaller(call);
      const rows: unknown[] = await manager.query(
        'SELECT FROM campaigns WHERE org_id = $1 AND id = $2 AND ($3::int[] IS NULL OR agent_id = ANY($3))',
        [orgId, CampaignID, own ? [...own] : null],
      );
      // A deleted agent is still known by its calls.
      return (
        rows.length > 0 || manager.existsBy(CallEntity, { orgId, campaignId: CampaignID, ...(own && { agentId: In([...own]) }) })
      );
    });
    if (!isKnown) throw notThere('campaign');
  }

  async record(keyId: string, call: BusCall): Promise<z.input<typeof CallRecord>> {
    return recordOf(await this.seen(keyId, call));
  }

  /** A call that the caller may see. NOT_FOUND if it is unknown, another organization's or not visible to them. */
  async seen(keyId: string, call: BusCall): Promise<CallEntity> {
    const orgId = organizationOf(call);
    const found = await this.tenants.read(orgId, (manager) =>
      manager.findOne(CallEntity, { where: { orgId, keyId }, relations: { account: true } }),
    );
    if (!found || !maySee(call, found.agentId)) throw notThere('call');
    return found;
  }

  /** The time zone, read only if a date without a time has to be interpreted. */
  private async timeZoneFor({ startDate, endDate }: ListCallsRequest): Promise<string> {
    if (![startDate, endDate].some(isDay)) return 'UTC';
    const organizations = await this.bus.ask(listMyOrganizations, {});
    return organizations.find(({ isCurrent }) => isCurrent)?.timezone ?? 'UTC';
  }
}

function narrow(
  query: SelectQueryBuilder<CallEntity>,
  { state, direction, AgentID, CampaignID, number }: ListCallsRequest,
): void {
  if (state !== 'ALL') query.andWhere('call.state = :state', { state });
  if (direction !== 'ALL') query.andWhere('call.direction = :direction', { direction });
  if (AgentID) query.andWhere('call.agent_id = :agentId', { agentId: AgentID });
  if (CampaignID) query.andWhere('call.campaign_id = :campaignId', { campaignId: CampaignID });
  if (number.trim() === '') return;
  query.andWhere('(call.from_address ILIKE :sought OR call.to_address ILIKE :sought)', {
    sought: numberContaining(number.trim()),
  });
}

function between(query: SelectQueryBuilder<CallEntity>, { startDate, endDate }: ListCallsRequest, timeZone: string): void {
  if (startDate) query.andWhere('call.queued_at >= :from', { from: firstInstant(startDate, timeZone) });
  if (endDate) query.andWhere('call.queued_at < :until', { until: firstInstantAfter(endDate, timeZone) });
}
