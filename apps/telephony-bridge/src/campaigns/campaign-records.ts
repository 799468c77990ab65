import { Injectable } from '@nestjs/common';
import { campaignStatusChanged, Fault, notThere } from '@parley/contracts';
import { Outbox } from '@parley/database';
import { type Call, maySee, organizationOf } from '@parley/messaging';
import { type EntityManager, In, Not } from 'typeorm';
import { CallLimits } from '../live/slots';
import { Campaign } from './campaign.entity';
import type { CampaignStatus } from './plan/campaign';
import { contactCountOf, type ContactCounts, everyState } from './campaign.wire';
import { tellStatus } from './webhook-events';
import { epoch, waitingRegions } from './claim-queries';
import {
  type AttemptOutcome,
  attemptOutcomes,
  type ContactState,
  type Instant,
  noOutcomes,
  recentMax,
  type Tally,
} from './plan/campaign';

/** The reason for a campaign's state, when it was not requested. */
interface StatusChange {
  readonly status: CampaignStatus;
  readonly reason?: string | null;
}

/** Stores campaigns. Changing one requires its lock, and its event is part of the same transaction. */
@Injectable()
export class CampaignRecords {
  constructor(private readonly outbox: Outbox) {}

  /** Locks a campaign until the end of the transaction. */
  async lock(manager: EntityManager, orgId: number, keyId: string): Promise<Campaign> {
    const campaign = await manager.findOne(Campaign, { where: { orgId, keyId }, lock: { mode: 'pessimistic_write' } });
    if (!campaign) throw notThere('campaign');
    return campaign;
  }

  find(manager: EntityManager, id: number): Promise<Campaign> {
    return manager.findOneByOrFail(Campaign, { id });
  }

  /** Changes the state of a locked campaign, and reports it. */
  async move(manager: EntityManager, campaign: Campaign, { status, reason = null }: StatusChange): Promise<void> {
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

  /** Deletes a locked campaign, with everything that belongs only to it. */
  async delete(manager: EntityManager, { id }: Campaign): Promise<void> {
    for (const table of ['campaign_webhook_queues', 'campaign_webhook_events', 'campaign_webhooks'])
      await manager.query(`DELETE FROM ${table} WHERE campaign_id = $1`, [id]);
    for (const table of ['campaign_attempts', 'campaign_contacts', 'campaign_counts'])
      await manager.query(`DELETE FROM ${table} WHERE campaign_id = $1`, [id]);
    await manager.delete(Campaign, { id });
  }

  /** Cancels every campaign of an organization: nobody is called any more. */
  async cancelEvery(manager: EntityManager, orgId: number): Promise<void> {
    const where = { orgId, status: Not(In(['CANCELLED', 'COMPLETED'])) };
    const open = await manager.find(Campaign, { where, order: { id: 'ASC' }, lock: { mode: 'pessimistic_write' } });
    for (const campaign of open)
      await this.move(manager, campaign, { status: 'CANCELLED', reason: 'The organization was deleted.' });
  }

  /** Pauses the campaigns of a deleted agent. Calls in progress continue. */
  async pauseOfAgent(manager: EntityManager, orgId: number, agentId: number): Promise<void> {
    const where = { orgId, agentId, status: 'RUNNING' } as const;
    const running = await manager.find(Campaign, { where, order: { id: 'ASC' }, lock: { mode: 'pessimistic_write' } });
    for (const campaign of running) await this.move(manager, campaign, { status: 'PAUSED', reason: 'Its agent was deleted.' });
  }

  async counts(manager: EntityManager, { id }: Pick<Campaign, 'id'>): Promise<ContactCounts> {
    return (await this.countsOf(manager, [id])).get(id) ?? {};
  }

  /** The number of contacts in each state, by campaign. */
  async countsOf(manager: EntityManager, ids: readonly number[]): Promise<ReadonlyMap<number, ContactCounts>> {
    const rows: { id: number; counts: ContactCounts }[] = await manager.query(
      `SELECT campaign_id AS id, jsonb_object_agg(state, contacts) AS counts FROM campaign_counts
       WHERE campaign_id = ANY($1) GROUP BY campaign_id`,
      [ids],
    );
    return new Map(rows.map(({ id, counts }) => [id, counts]));
  }
}

/** Throws if the campaign is cancelled, which is final. A COMPLETED one may get contacts and hours, and be started again. */
export function requireOpen({ status }: Pick<Campaign, 'status'>): void {
  if (status !== 'CANCELLED') return;
  throw new Fault('CONFLICT', { message: `A campaign that is ${status} can no longer be changed.` });
}

/** The notice for added contacts that are not called yet. */
export function noticeOf({ status }: Pick<Campaign, 'status'>): string | null {
  return status === 'COMPLETED' ? 'The campaign is COMPLETED: start it again to have them called.' : null;
}

/** A campaign that the caller may see. NOT_FOUND if it is unknown, another organization's or not visible to them. */
export async function findSeen(manager: EntityManager, keyId: string, call: Call): Promise<Campaign> {
  const campaign = await manager.findOneBy(Campaign, { orgId: organizationOf(call), keyId });
  if (!campaign || !maySee(call, campaign.agentId)) throw notThere('campaign');
  return campaign;
}

const minuteMs = 60_000;

interface Figures {
  readonly contacts: Partial<Record<ContactState, number>> | null;
  readonly waitingRegions: string[];
  readonly pending: number;
  readonly ringing: number;
  readonly talking: number;
  readonly placedLastMinute: number;
  readonly outcomes: Partial<Record<AttemptOutcome, number>>;
  readonly creditsSpent: number;
  readonly recent: AttemptOutcome[] | null;
  readonly organizationOpen: number;
  readonly others: number;
}

const isOpen = `state IN ('CLAIMED', 'PLACED', 'UNKNOWN')`;

/** Computes the figures that determine how much a campaign may dial. */
@Injectable()
export class CampaignTallies {
  constructor(private readonly limits: CallLimits) {}

  /** How many simultaneous calls an organization's campaigns may have; the rest is reserved for incoming calls. */
  get linesOfCampaigns(): number {
    return Math.max(1, this.limits.live - this.limits.reserved);
  }

  async of(manager: EntityManager, { id, orgId, resumedAt }: Campaign, now: Instant): Promise<Tally> {
    const rows: Figures[] = await manager.query(figures, [id, orgId, now - minuteMs, resumedAt, recentMax]);
    const [row] = rows;
    if (!row) throw new Error('a campaign without figures');
    const outcomes = Object.fromEntries(attemptOutcomes.map((outcome) => [outcome, row.outcomes[outcome] ?? 0]));
    return {
      ...row,
      contacts: everyState(row.contacts ?? {}),
      outcomes: { ...noOutcomes, ...outcomes },
      recent: row.recent ?? [],
      freeLines: this.limits.live - row.others,
    };
  }
}

const figures = `
  SELECT
    (SELECT jsonb_object_agg(state, contacts) FROM campaign_counts WHERE campaign_id = $1) AS contacts,
    ${waitingRegions} AS "waitingRegions",
    open.*,
    (SELECT count(*)::int FROM campaign_attempts WHERE campaign_id = $1 AND placed_at > ${epoch('$3')}) AS "placedLastMinute",
    campaign.outcomes, campaign.credits_spent::float8 AS "creditsSpent",
    (SELECT jsonb_agg(latest.outcome) FROM (
      SELECT outcome FROM campaign_attempts
      WHERE campaign_id = $1 AND state = 'ENDED' AND ended_at >= coalesce($4::timestamptz, '-infinity')
      ORDER BY ended_at DESC LIMIT $5) AS latest) AS recent,
    (SELECT count(*)::int FROM campaign_attempts WHERE org_id = $2 AND ${isOpen}) AS "organizationOpen",
    (SELECT count(*)::int FROM call_slots s JOIN calls c ON c.id = s.call_id
      WHERE s.org_id = $2 AND s.is_live AND s.expires_at > now() AND c.campaign_id IS NULL) AS others
  FROM campaigns campaign CROSS JOIN (
    SELECT count(*) FILTER (WHERE state <> 'PLACED' AND answered_at IS NULL)::int AS pending,
      count(*) FILTER (WHERE state = 'PLACED' AND answered_at IS NULL)::int AS ringing,
      count(*) FILTER (WHERE answered_at IS NOT NULL)::int AS talking
    FROM campaign_attempts WHERE org_id = $2 AND campaign_id = $1 AND ${isOpen}) AS open
  WHERE campaign.id = $1`;
