import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { isListedSql } from '../do-not-call/do-not-call.service';
import { busyMs, passedOverMax } from './plan/ports';
import { dayIn } from './plan/regions';
import type { AttemptClaim, ClaimedAttempt, PlannedContact, ContactState, Instant, OverdueAttempt, Try } from './plan/campaign';

/** A row of `campaign_contacts`. */
export interface ContactRow {
  readonly id: number;
  readonly campaign_id: number;
  readonly number: string;
  readonly region: string;
  readonly state: ContactState;
  readonly attempt: number;
  readonly due_at: Date;
  readonly is_booked: boolean;
  readonly booked_for: Date | null;
  readonly bookings: number;
  readonly tries: Try[];
  /** Whether it was deleted from the organization. */
  readonly is_withdrawn: boolean;
}

/** SQL that converts a parameter in milliseconds to a timestamp. */
export const epoch = (parameter: string): string => `to_timestamp(${parameter}::float8 / 1000)`;

/** The clock shared by all replicas, as an SQL expression: the database's, unless a test replaces it. */
@Injectable()
export class StoreClock {
  get now(): string {
    return 'clock_timestamp()';
  }
}

/** The current time of that clock. */
export async function instantOf(manager: EntityManager, clock: StoreClock): Promise<Instant> {
  const rows: { now: number }[] = await manager.query(`SELECT floor(extract(epoch FROM ${clock.now}) * 1000)::float8 AS now`);
  const [row] = rows;
  if (!row) throw new Error('Postgres does not know the time');
  return row.now;
}

/** Serializes the claims of an organization, until the end of the transaction. */
export async function claimsOf(manager: EntityManager, orgId: number): Promise<void> {
  await manager.query(`SELECT pg_advisory_xact_lock(hashtext('telephony.campaigns'), $1)`, [orgId]);
}

export function contactOf(row: ContactRow): PlannedContact {
  return {
    id: row.id,
    campaignId: row.campaign_id,
    number: row.number,
    region: row.region,
    state: row.state,
    attempt: row.attempt,
    dueAt: row.due_at.getTime(),
    isBooked: row.is_booked,
    ...(row.booked_for && { bookedFor: row.booked_for.getTime() }),
    bookings: row.bookings,
    tries: row.tries,
  };
}

/** The ids of the campaigns that an update changed. */
export async function campaignsOf(manager: EntityManager, update: string, values: unknown[]): Promise<number[]> {
  const rows: { id: number }[] = await manager.query(`WITH changed AS (${update} RETURNING id) SELECT id FROM changed`, values);
  return rows.map(({ id }) => id);
}

/** The attempts that an update of `campaign_attempts a` changed, as they are now. */
export async function attemptsOf(manager: EntityManager, update: string, values: unknown[]): Promise<OverdueAttempt[]> {
  const milliseconds = (column: string) => `floor(extract(epoch FROM ${column}) * 1000)::float8`;
  return manager.query(
    `WITH changed AS (${update} RETURNING a.*)
     SELECT campaign_id AS "campaignId", contact_id AS "contactId", attempt, reference, fence, state,
       ${milliseconds('lease_until')} AS "leaseUntil", ${milliseconds('claimed_at')} AS "claimedAt"
     FROM changed ORDER BY changed.claimed_at`,
    values,
  );
}

/** The current claim of an open attempt. */
export async function claimOf(manager: EntityManager, reference: string): Promise<AttemptClaim | undefined> {
  const rows: AttemptClaim[] = await manager.query(
    `SELECT campaign_id AS "campaignId", contact_id AS "contactId", attempt, reference, fence,
       floor(extract(epoch FROM lease_until) * 1000)::float8 AS "leaseUntil"
     FROM campaign_attempts WHERE reference = $1 AND state IN ('CLAIMED', 'PLACED', 'UNKNOWN')`,
    [reference],
  );
  return rows[0];
}

/** SQL for the regions of a campaign's waiting contacts, with one index look-up each. */
export const waitingRegions = `
  ARRAY(SELECT known.region FROM unnest(campaign.regions) AS known(region) WHERE EXISTS (
    SELECT FROM campaign_contacts c WHERE c.campaign_id = campaign.id AND c.region = known.region AND c.state = 'WAITING'))`;

interface DueWish {
  readonly orgId: number;
  readonly campaignId: number;
  readonly owner: string;
  readonly leaseMs: number;
  readonly regions: readonly string[];
  readonly now: Instant;
  readonly count: number;
  readonly callsPerNumberMax: number;
}

/**
 * SQL for due contacts. For each region there are two index scans, of booked and of other contacts, which stop once enough are found, so
 * a million contacts cost no more than ten thousand.
 */
export const duePick = `
  SELECT due.id FROM unnest($2::text[]) AS open(region) CROSS JOIN (VALUES (true), (false)) AS kind(is_booked) CROSS JOIN LATERAL (
    SELECT c.id, c.is_booked, c.due_at FROM campaign_contacts c
    WHERE c.campaign_id = $1 AND c.region = open.region AND c.is_booked = kind.is_booked AND c.state = 'WAITING'
      AND c.due_at <= ${epoch('$3')}
    ORDER BY c.due_at, c.id LIMIT $4) AS due
  ORDER BY due.is_booked DESC, due.due_at, due.id LIMIT $4`;

interface Claimed {
  readonly claimed: ClaimedAttempt[];
  /** Contacts that were removed because their number is on the do-not-call list. */
  readonly listed: number[];
}

/** Claims contacts. The campaign must be locked, and the claims of its organization serialized. */
export async function claimDue(manager: EntityManager, wish: DueWish): Promise<Claimed> {
  const claimed: ClaimedAttempt[] = [];
  const listed: number[] = [];
  for (let seen = 0; claimed.length < wish.count && seen < passedOverMax;) {
    const rows = await checkDue(manager, { ...wish, count: wish.count - claimed.length });
    if (rows.length === 0) break;
    seen += rows.length;
    const out = rows.filter(({ isListed }) => isListed).map(({ id }) => id);
    await markDoNotCall(manager, out);
    listed.push(...out);
    await postpone(manager, wish, rows);
    claimed.push(
      ...(await begin(
        manager,
        wish,
        rows.filter((row) => !row.isListed && row.passedOver === null),
      )),
    );
  }
  return { claimed, listed };
}

interface CheckedContact extends ContactRow {
  readonly isListed: boolean;
  /** Why its number is not called now. */
  readonly passedOver: 'BUSY' | 'CALLED_ENOUGH' | null;
}

/** Due contacts, and what blocks each: a few index look-ups per contact, however many there are. */
async function checkDue(manager: EntityManager, wish: DueWish): Promise<CheckedContact[]> {
  const { campaignId, orgId, regions, now, count, callsPerNumberMax } = wish;
  const picked: { id: number }[] = await manager.query(duePick, [campaignId, regions, now, count]);
  const days = regions.map((region) => new Date(dayIn(region, now).from));
  return manager.query(contactChecks, [picked.map(({ id }) => id), orgId, regions, days, callsPerNumberMax]);
}

/** A person is not called while they are in any call with the organization. */
const contactChecks = `
  WITH live AS MATERIALIZED (
    SELECT CASE k.direction WHEN 'INBOUND' THEN k.from_address ELSE k.to_address END AS number
    FROM call_slots s JOIN calls k ON k.id = s.call_id WHERE s.org_id = $2 AND s.is_live AND s.expires_at > now())
  SELECT c.*, ${isListedSql('$2', 'c.number')} AS "isListed",
    CASE
      WHEN c.number IN (SELECT number FROM live) OR EXISTS (
        SELECT FROM campaign_attempts a
        WHERE a.org_id = $2 AND a.number = c.number AND a.state IN ('CLAIMED', 'PLACED', 'UNKNOWN')) THEN 'BUSY'
      WHEN NOT c.is_booked AND (
        SELECT count(*) FROM campaign_attempts a
        WHERE a.org_id = $2 AND a.number = c.number AND a.state <> 'RELEASED' AND a.claimed_at >= day.begins) >= $5
        THEN 'CALLED_ENOUGH'
    END AS "passedOver"
  FROM campaign_contacts c JOIN unnest($3::text[], $4::timestamptz[]) AS day(region, begins) ON day.region = c.region
  WHERE c.id = ANY($1) AND c.state = 'WAITING'
  ORDER BY c.is_booked DESC, c.due_at, c.id FOR UPDATE OF c SKIP LOCKED`;

async function markDoNotCall(manager: EntityManager, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await manager.query(
    `UPDATE campaign_contacts SET state = 'DO_NOT_CALL', disposition = 'DO_NOT_CALL', updated_on = now() WHERE id = ANY($1)`,
    [ids],
  );
}

/** Postpones skipped contacts, so that those after them become the first. */
async function postpone(manager: EntityManager, { now }: DueWish, rows: readonly CheckedContact[]): Promise<void> {
  const over = rows.filter(({ isListed, passedOver }) => !isListed && passedOver !== null);
  if (over.length === 0) return;
  await manager.query(
    `UPDATE campaign_contacts c SET due_at = over.due_at, updated_on = now()
     FROM unnest($1::bigint[], $2::timestamptz[]) AS over(id, due_at) WHERE c.id = over.id`,
    [
      over.map(({ id }) => id),
      over.map(({ passedOver, region }) => new Date(passedOver === 'BUSY' ? now + busyMs : dayIn(region, now).until)),
    ],
  );
}

async function begin(manager: EntityManager, wish: DueWish, free: readonly ContactRow[]): Promise<ClaimedAttempt[]> {
  const { orgId, campaignId, owner, leaseMs, now } = wish;
  if (free.length === 0) return [];
  const ids = free.map(({ id }) => id);
  await manager.query(`UPDATE campaign_contacts SET state = 'ACTIVE', updated_on = now() WHERE id = ANY($1)`, [ids]);
  const claims: { id: number; reference: string }[] = await manager.query(
    `INSERT INTO campaign_attempts (org_id, campaign_id, contact_id, attempt, number, state, owner, lease_until, claimed_at)
     SELECT $1, $2, claimed.id, claimed.attempt, claimed.number, 'CLAIMED', $6, ${epoch('$7')}, ${epoch('$8')}
     FROM unnest($3::bigint[], $4::int[], $5::text[]) AS claimed(id, attempt, number) RETURNING contact_id AS id, reference`,
    [
      ...[orgId, campaignId, ids, free.map(({ attempt }) => attempt), free.map(({ number }) => number)],
      ...[owner, now + leaseMs, now],
    ],
  );
  const references = new Map(claims.map(({ id, reference }) => [id, reference]));
  return free.map((row): ClaimedAttempt => {
    const reference = references.get(row.id);
    if (reference === undefined) throw new Error('a claim that was not written');
    const contact: PlannedContact = { ...contactOf(row), state: 'ACTIVE' };
    return { campaignId, contactId: row.id, attempt: row.attempt, reference, fence: 1, leaseUntil: now + leaseMs, contact };
  });
}
