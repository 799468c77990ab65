import { Injectable } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import type { EntityManager } from 'typeorm';
import { type AttemptRow, contactRow, continueContact, isOver, type LockedAttempt, resultDue } from './after-attempt';
import { isListedSql } from '../do-not-call/do-not-call.service';
import { withdrawn } from './campaign-contacts';
import { CampaignRecords, CampaignTallies } from './campaign-records';
import { Campaign as Record } from './campaign.entity';
import { planOf } from './campaign.wire';
import { callsPerNumberIn, legalHoursIn } from './legal-hours.service';
import { attemptsOf, campaignsOf, claimDue, claimsOf, contactOf, epoch, instantOf, StoreClock } from './claim-queries';
import { queueFinished } from './webhook-events';
import type { CampaignPlan, AttemptClaim, ClaimedAttempt, PlannedContact, Instant, OverdueAttempt } from './plan/campaign';
import type { AfterAttempt, CampaignStore, ClaimWish, AttemptEnding } from './plan/ports';

/** Organizations' settings for all of their campaigns. */
interface Rules {
  readonly hours: Awaited<ReturnType<typeof legalHoursIn>>;
  readonly limits: Awaited<ReturnType<typeof callsPerNumberIn>>;
}

const why = 'the campaigns of every organization are dialled';

/**
 * Campaigns, contacts and attempts in Postgres. Changing an attempt requires its campaign's lock, so that the counts on which a claim
 * is based do not change before it is written. Claims of one organization are serialized.
 */
@Injectable()
export class PostgresCampaignStore implements CampaignStore {
  constructor(
    private readonly tenants: TenantScope,
    private readonly records: CampaignRecords,
    private readonly tallies: CampaignTallies,
    private readonly clock: StoreClock,
  ) {}

  now(): Promise<Instant> {
    return this.run((manager) => this.instant(manager));
  }

  active(limit: number): Promise<readonly CampaignPlan[]> {
    return this.run(async (manager) => {
      const ids = await campaignsOf(
        manager,
        `UPDATE campaigns SET looked_at = clock_timestamp() WHERE id IN (
           SELECT id FROM campaigns WHERE status = 'RUNNING' OR needs_clearing ORDER BY looked_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
        [limit],
      );
      if (ids.length === 0) return [];
      const records = await manager.createQueryBuilder(Record, 'c').where('c.id = ANY(:ids)', { ids }).getMany();
      const orgIds = records.map(({ orgId }) => orgId);
      const [hours, limits] = [await legalHoursIn(manager, orgIds), await callsPerNumberIn(manager, orgIds)];
      return records.map((record) => this.planBy(record, { hours, limits }));
    });
  }

  claim(wish: ClaimWish): Promise<readonly ClaimedAttempt[]> {
    return this.run(async (manager) => {
      const known = await manager.findOneBy(Record, { id: wish.campaignId });
      if (known?.status !== 'RUNNING') return [];
      await claimsOf(manager, known.orgId);
      const record = await this.lock(manager, wish.campaignId);
      if (record?.status !== 'RUNNING') return [];
      const now = await this.instant(manager);
      const plan = await this.planOf(manager, record);
      const allowed = wish.allow(plan, await this.tallies.of(manager, record, now), now);
      if (allowed.kind === 'PAUSE') {
        await this.records.move(manager, record, { status: 'PAUSED', reason: allowed.says });
        return [];
      }
      const regions = wish.openRegions(plan, now);
      if (allowed.count < 1 || regions.length === 0) return [];
      const { claimed, listed } = await claimDue(manager, {
        ...wish,
        ...{ regions, orgId: record.orgId, now, count: allowed.count, callsPerNumberMax: plan.callsPerNumberMax },
      });
      if (listed.length > 0) await queueFinished(manager, record, listed);
      return claimed;
    });
  }

  overdue(owner: string, leaseMs: number, limit: number): Promise<readonly OverdueAttempt[]> {
    return this.run(async (manager) => {
      const now = await this.instant(manager);
      return attemptsOf(
        manager,
        `UPDATE campaign_attempts a SET fence = fence + 1, owner = $1, lease_until = ${epoch('$2')},
           state = CASE WHEN state = 'CLAIMED' THEN 'UNKNOWN' ELSE state END
         WHERE reference IN (
           SELECT reference FROM campaign_attempts WHERE state IN ('CLAIMED', 'PLACED', 'UNKNOWN') AND lease_until <= ${epoch('$3')}
           ORDER BY lease_until LIMIT $4 FOR UPDATE SKIP LOCKED)`,
        [owner, now + leaseMs, now, limit],
      );
    });
  }

  placed(
    claim: AttemptClaim,
    { callId, placedAt, askAt }: { readonly callId: string; readonly placedAt: Instant; readonly askAt: Instant },
  ): Promise<boolean> {
    return this.withClaim(claim, (manager) =>
      manager.query(
        `UPDATE campaign_attempts SET state = 'PLACED', placed_at = ${epoch('$2')}, lease_until = ${epoch('$3')},
           call_id = $4 WHERE reference = $1`,
        [claim.reference, placedAt, askAt, callId],
      ),
    );
  }

  doubt(claim: AttemptClaim, askAt: Instant): Promise<boolean> {
    return this.withClaim(claim, (manager) =>
      manager.query(
        `UPDATE campaign_attempts SET state = CASE WHEN state = 'PLACED' THEN state ELSE 'UNKNOWN' END,
           lease_until = ${epoch('$2')} WHERE reference = $1`,
        [claim.reference, askAt],
      ),
    );
  }

  release(claim: AttemptClaim, dueAt: Instant): Promise<boolean> {
    return this.withClaim(claim, async (manager, { campaign }) => {
      await manager.query(`UPDATE campaign_attempts SET state = 'RELEASED', ended_at = ${this.clock.now} WHERE reference = $1`, [
        claim.reference,
      ]);
      await manager.query(
        `UPDATE campaign_contacts SET state = CASE WHEN is_withdrawn THEN 'CANCELLED' ELSE $3 END, due_at = ${epoch('$2')},
           cause = CASE WHEN is_withdrawn THEN $4 ELSE cause END, updated_on = now() WHERE id = $1`,
        [claim.contactId, dueAt, isOver(campaign) ? 'CANCELLED' : 'WAITING', withdrawn],
      );
      await queueFinished(manager, campaign, [claim.contactId]);
    });
  }

  answered(reference: string): Promise<boolean> {
    return this.withOpen(reference, async (manager) => {
      const rows = await attemptsOf(
        manager,
        `UPDATE campaign_attempts a SET answered_at = ${this.clock.now}, placed_at = coalesce(placed_at, ${this.clock.now})
         WHERE reference = $1 AND answered_at IS NULL`,
        [reference],
      );
      return rows.length > 0;
    });
  }

  async end(reference: string, ending: AttemptEnding, after: AfterAttempt): Promise<boolean> {
    const isFirst = await this.endOpen(reference, ending, after);
    if (!isFirst && ending.credits) await this.spend(reference, ending.credits);
    return isFirst;
  }

  private endOpen(reference: string, ending: AttemptEnding, after: AfterAttempt): Promise<boolean> {
    return this.withOpen(reference, async (manager, { campaign, attempt }) => {
      const now = await this.instant(manager);
      const { outcome, cause = null, credits = 0 } = ending;
      const due = resultDue({ campaign, outcome, credits, now });
      await manager.query(
        `UPDATE campaign_attempts SET state = 'ENDED', placed_at = coalesce(placed_at, ${epoch('$2')}), ended_at = ${epoch('$2')},
           outcome = $3, cause = $4, credits = $5, result_due = ${epoch('$6')} WHERE reference = $1`,
        [reference, now, outcome, cause, credits, due],
      );
      await manager.query(
        `UPDATE campaigns SET credits_spent = credits_spent + $2,
           outcomes = outcomes || jsonb_build_object($3::text, coalesce((outcomes ->> $3)::int, 0) + 1) WHERE id = $1`,
        [campaign.id, credits, outcome],
      );
      const before = await contactRow(manager, attempt.contactId);
      const contact: PlannedContact = { ...contactOf(before), tries: [...before.tries, { at: attempt.at, outcome }] };
      const plan = await this.planOf(manager, campaign);
      const step = { campaign, attempt, contact, isWithdrawn: before.is_withdrawn, cause, next: after(plan, contact, now) };
      await continueContact(manager, step);
      // If a result is still to be extracted, the contact is reported together with it.
      if (due === null) await queueFinished(manager, campaign, [attempt.contactId]);
      return true;
    });
  }

  /** Records a call's final cost, known after its end. By then its transcript is complete too. */
  private async spend(reference: string, credits: number): Promise<void> {
    await this.run(async (manager) => {
      const found: { id: number }[] = await manager.query(
        'SELECT campaign_id AS id FROM campaign_attempts WHERE reference = $1 AND credits < $2',
        [reference, credits],
      );
      const campaign = found[0] && (await this.lock(manager, found[0].id));
      if (!campaign) return;
      await manager.query(
        `WITH before AS (SELECT credits FROM campaign_attempts WHERE reference = $1 AND state = 'ENDED' AND credits < $2 FOR UPDATE),
           attempt AS (UPDATE campaign_attempts SET credits = $2, result_due = least(result_due, ${this.clock.now})
             WHERE reference = $1 AND EXISTS (SELECT FROM before))
         UPDATE campaigns SET credits_spent = credits_spent + $2 - before.credits FROM before WHERE id = $3`,
        [reference, credits, campaign.id],
      );
    });
  }

  book(reference: string, at: Instant): Promise<boolean> {
    return this.withOpen(reference, async (manager, { attempt }) => {
      await manager.query(
        `UPDATE campaign_contacts SET bookings = bookings + CASE WHEN booked_for IS NULL THEN 1 ELSE 0 END,
           booked_for = ${epoch('$2')} WHERE id = $1`,
        [attempt.contactId, at],
      );
      return true;
    });
  }

  /** Makes an open attempt overdue already at `askAt`. */
  async askSoon(reference: string, askAt: Instant): Promise<void> {
    await this.withOpen(reference, async (manager) => {
      await manager.query(
        `UPDATE campaign_attempts SET lease_until = least(lease_until, ${epoch('$2')}) WHERE reference = $1 AND state <> 'CLAIMED'`,
        [reference, askAt],
      );
      return true;
    });
  }

  async refuseCaller(campaignId: number, caller: string): Promise<void> {
    await this.run((manager) =>
      manager.query(
        'UPDATE campaigns SET refused_callers = array_append(refused_callers, $2) WHERE id = $1 AND NOT $2 = ANY(refused_callers)',
        [campaignId, caller],
      ),
    );
  }

  giveUpWaiting(campaignId: number, limit: number): Promise<number> {
    return this.run(async (manager) => {
      const record = await this.lock(manager, campaignId);
      const given = await campaignsOf(
        manager,
        `UPDATE campaign_contacts SET state = 'CANCELLED', cause = $3, updated_on = now() WHERE id IN (
           SELECT id FROM campaign_contacts WHERE campaign_id = $1 AND state = 'WAITING' LIMIT $2 FOR UPDATE)`,
        [campaignId, limit, record?.status === 'CANCELLED' ? 'The campaign was cancelled.' : 'The campaign ended before.'],
      );
      if (record?.needsClearing && given.length < limit)
        await manager.query('UPDATE campaigns SET needs_clearing = false WHERE id = $1', [campaignId]);
      return given.length;
    });
  }

  complete(campaignId: number): Promise<boolean> {
    return this.run(async (manager) => {
      const record = await this.lock(manager, campaignId);
      if (record?.status !== 'RUNNING') return false;
      const { WAITING = 0, ACTIVE = 0, CANCELLED = 0 } = await this.records.counts(manager, record);
      if (WAITING + ACTIVE > 0) return false;
      const reason =
        record.endsAt && CANCELLED > 0 ? `Its end date has passed: ${CANCELLED} contacts were not called any more.` : null;
      await this.records.move(manager, record, { status: 'COMPLETED', reason });
      return true;
    });
  }

  /** Whether no organization has anything in progress. */
  async isIdle(): Promise<boolean> {
    const rows: unknown[] = await this.run((manager) =>
      manager.query(
        `(SELECT 1 FROM campaigns WHERE status = 'RUNNING' OR needs_clearing LIMIT 1) UNION ALL
         (SELECT 1 FROM campaign_attempts WHERE state IN ('CLAIMED', 'PLACED', 'UNKNOWN') AND lease_until <= ${this.clock.now} LIMIT 1)`,
      ),
    );
    return rows.length === 0;
  }

  isCurrent(claim: AttemptClaim): Promise<boolean> {
    return this.run((manager) => this.isCurrentIn(manager, claim));
  }

  /**
   * The same within the transaction that writes the call: until it ends, the campaign cannot be paused and the attempt cannot be taken
   * over.
   */
  async isCurrentIn(manager: EntityManager, { campaignId, reference, fence }: AttemptClaim): Promise<boolean> {
    const running: unknown[] = await manager.query(`SELECT id FROM campaigns WHERE id = $1 AND status = 'RUNNING' FOR SHARE`, [
      campaignId,
    ]);
    if (running.length === 0) return false;
    const current: unknown[] = await manager.query(
      `SELECT reference FROM campaign_attempts a
       WHERE reference = $1 AND fence = $2 AND state = 'CLAIMED' AND lease_until > ${this.clock.now}
         AND NOT EXISTS (SELECT FROM legal_hours h WHERE h.org_id = a.org_id AND h.updated_on > a.claimed_at)
         AND NOT EXISTS (SELECT FROM campaign_contacts c WHERE c.id = a.contact_id AND c.is_withdrawn) FOR UPDATE`,
      [reference, fence],
    );
    return current.length > 0;
  }

  private async planOf(manager: EntityManager, record: Record): Promise<CampaignPlan> {
    const orgIds = [record.orgId];
    const [hours, limits] = [await legalHoursIn(manager, orgIds), await callsPerNumberIn(manager, orgIds)];
    return this.planBy(record, { hours, limits });
  }

  private planBy(record: Record, { hours, limits }: Rules): CampaignPlan {
    return planOf(record, {
      lines: this.tallies.linesOfCampaigns,
      legalHours: hours.get(record.orgId),
      callsPerNumber: limits.get(record.orgId),
    });
  }

  private instant(manager: EntityManager): Promise<Instant> {
    return instantOf(manager, this.clock);
  }

  private lock(manager: EntityManager, id: number): Promise<Record | null> {
    return manager.findOne(Record, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /** Runs work on an attempt that is open and still has the claim's fence. */
  private withClaim(
    claim: AttemptClaim,
    work: (manager: EntityManager, locked: LockedAttempt) => Promise<unknown>,
  ): Promise<boolean> {
    return this.withOpen(claim.reference, async (manager, locked) => {
      if (locked.attempt.fence !== claim.fence) return false;
      await work(manager, locked);
      return true;
    });
  }

  private withOpen(
    reference: string,
    work: (manager: EntityManager, locked: LockedAttempt) => Promise<boolean>,
  ): Promise<boolean> {
    return this.run(async (manager) => {
      const found: { id: number }[] = await manager.query(
        `SELECT campaign_id AS id FROM campaign_attempts WHERE reference = $1 AND state IN ('CLAIMED', 'PLACED', 'UNKNOWN')`,
        [reference],
      );
      const campaign = found[0] && (await this.lock(manager, found[0].id));
      if (!campaign) return false;
      const rows: AttemptRow[] = await manager.query(
        `SELECT a.contact_id AS "contactId", a.state, a.fence, a.call_key AS "callKey", c.id AS "callId", c.outcome AS "callOutcome",
           EXISTS (SELECT FROM campaign_contacts e WHERE e.id = a.contact_id AND ${isListedSql('a.org_id', 'e.number')}) AS "isListed",
           (extract(epoch FROM coalesce(a.placed_at, a.claimed_at)) * 1000)::float8 AS at
         FROM campaign_attempts a LEFT JOIN calls c ON c.key_id = a.call_key
         WHERE a.reference = $1 AND a.state IN ('CLAIMED', 'PLACED', 'UNKNOWN') FOR UPDATE OF a`,
        [reference],
      );
      const [attempt] = rows;
      return attempt ? work(manager, { campaign, attempt }) : false;
    });
  }

  private run<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.tenants.acrossTenants(why, work);
  }
}
