import { Injectable } from '@nestjs/common';
import { campaignStatusChanged, Fault } from '@parley/contracts';
import { Outbox } from '@parley/database';
import { type Call, maySee, organizationOf } from '@parley/messaging';
import type { EntityManager } from 'typeorm';
import { notThere } from '../callers';
import { Campaign, type CampaignStatus } from './campaign.entity';
import { contactCountOf, type Counts } from './campaign.wire';
import { tellStatus } from './webhook-events';

/** Why a campaign came into its state, where nobody asked for it. */
interface Change {
  readonly status: CampaignStatus;
  readonly reason?: string | null;
}

/** What is kept of campaigns. Whoever changes one has locked it, and its event is part of the same transaction. */
@Injectable()
export class CampaignRecords {
  constructor(private readonly outbox: Outbox) {}

  /** A campaign that nobody else changes until the end of the transaction. */
  async lock(manager: EntityManager, orgId: number, keyId: string): Promise<Campaign> {
    const campaign = await manager.findOne(Campaign, { where: { orgId, keyId }, lock: { mode: 'pessimistic_write' } });
    if (!campaign) throw notThere('campaign');
    return campaign;
  }

  find(manager: EntityManager, id: number): Promise<Campaign> {
    return manager.findOneByOrFail(Campaign, { id });
  }

  /** Moves a campaign that is locked, and tells of it. */
  async move(manager: EntityManager, campaign: Campaign, { status, reason = null }: Change): Promise<void> {
    const now = new Date();
    const { status: before } = campaign;
    const begun = status === 'RUNNING' && { resumedAt: now, refusedCallers: [] };
    const needsClearing = status === 'CANCELLED';
    Object.assign(campaign, { status, statusReason: reason, updatedOn: now, needsClearing, ...begun });
    await manager.save(Campaign, campaign);
    const counts = await this.counts(manager, campaign);
    const { orgId, keyId, id, name } = campaign;
    const payload = { CampaignKeyID: keyId, CampaignID: id, CampaignName: name, status, contactCount: contactCountOf(counts) };
    await this.outbox.add(manager, campaignStatusChanged, { orgId, payload });
    await tellStatus(manager, campaign, { before, counts });
  }

  /** Deletes a campaign that is locked, and whatever belongs to it alone. */
  async delete(manager: EntityManager, { id }: Campaign): Promise<void> {
    for (const table of ['campaign_webhook_queues', 'campaign_webhook_events', 'campaign_webhooks'])
      await manager.query(`DELETE FROM ${table} WHERE campaign_id = $1`, [id]);
    for (const table of ['campaign_attempts', 'campaign_contacts', 'campaign_counts'])
      await manager.query(`DELETE FROM ${table} WHERE campaign_id = $1`, [id]);
    await manager.delete(Campaign, { id });
  }

  /** Begins no further call of an agent that was deleted. Calls that ring or talk go on. */
  async pauseOfAgent(manager: EntityManager, orgId: number, agentId: number): Promise<void> {
    const where = { orgId, agentId, status: 'RUNNING' } as const;
    const running = await manager.find(Campaign, { where, order: { id: 'ASC' }, lock: { mode: 'pessimistic_write' } });
    for (const campaign of running) await this.move(manager, campaign, { status: 'PAUSED', reason: 'Its agent was deleted.' });
  }

  async counts(manager: EntityManager, { id }: Pick<Campaign, 'id'>): Promise<Counts> {
    return (await this.countsOf(manager, [id])).get(id) ?? {};
  }

  /** How many contacts of each campaign are in which state. */
  async countsOf(manager: EntityManager, ids: readonly number[]): Promise<ReadonlyMap<number, Counts>> {
    const rows: { id: number; counts: Counts }[] = await manager.query(
      `SELECT campaign_id AS id, jsonb_object_agg(state, contacts) AS counts FROM campaign_counts
       WHERE campaign_id = ANY($1) GROUP BY campaign_id`,
      [ids],
    );
    return new Map(rows.map(({ id, counts }) => [id, counts]));
  }
}

/** A cancelled campaign is over for good. One that is COMPLETED may get contacts and hours, and is started again. */
export function requireOpen({ status }: Pick<Campaign, 'status'>): void {
  if (status !== 'CANCELLED') return;
  throw new Fault('CONFLICT', { message: `A campaign that is ${status} does not change any more.` });
}

/** What whoever adds contacts is told where nobody calls them yet. */
export function noticeOf({ status }: Pick<Campaign, 'status'>): string | null {
  return status === 'COMPLETED' ? 'The campaign is COMPLETED: start it again to have them called.' : null;
}

/** A campaign that the caller may see. Unknown, foreign and withheld ones are all NOT_FOUND. */
export async function findSeen(manager: EntityManager, keyId: string, call: Call): Promise<Campaign> {
  const campaign = await manager.findOneBy(Campaign, { orgId: organizationOf(call), keyId });
  if (!campaign || !maySee(call, campaign.agentId)) throw notThere('campaign');
  return campaign;
}
