import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Fault } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { within } from '@parley/ports';
import { Logger } from '@parley/service-kit';
import type { EntityManager } from 'typeorm';

/** A widget, and how many credits of all kinds together its visitors may use in a day (UTC). */
export interface BudgetedWidget {
  readonly orgId: number;
  readonly keyId: string;
  readonly dailyCredits: number;
}

interface SetAside extends BudgetedWidget {
  readonly chargeId: string;
  readonly credits: number;
}

interface Raise {
  readonly credits: number;
  /** Fewer credits will do, if they are not fewer than these. */
  readonly creditsMin?: number;
  readonly used: number;
}

/**
 * The daily budget of a widget's visitors. The most that an open charge may cost is reserved, like a hold of credits, so that
 * concurrent visitors cannot exceed the budget together. Kept in Postgres, for all gateways.
 */
@Injectable()
export class WidgetBudgets {
  /** The last transaction in line for each organization. */
  private readonly lines = new Map<number, Promise<void>>();

  constructor(
    private readonly tenants: TenantScope,
    private readonly log: Logger,
  ) {}

  /**
   * Reserves part of today's budget for a charge, and returns how much; refuses with RATE_LIMITED if too little is left. A patient
   * charge takes what is left of the day if that is less, and waits for others to end if they have reserved it.
   */
  async hold(
    { orgId, keyId, dailyCredits }: BudgetedWidget,
    chargeId: string,
    credits: number,
    { isPatient = false } = {},
  ): Promise<number> {
    const aside = { orgId, keyId, dailyCredits, chargeId, credits };
    for (const untilMs = performance.now() + patienceMs; ; await delay(lookEveryMs)) {
      const isLast = !isPatient || performance.now() > untilMs;
      const outcome = await this.inTurn(orgId, async (manager) => {
        if (await isSetAside(manager, aside)) return credits;
        const { left, free } = await restOfDay(manager, aside);
        if (left <= 0) return 'never';
        const part = isLast ? free : Math.min(left, credits);
        const fits = isPatient && part > 0 && (await isSetAside(manager, { ...aside, credits: part }));
        return fits ? part : 'not yet';
      });
      if (typeof outcome === 'number') return outcome;
      if (outcome === 'never' || isLast) throw outcome === 'never' || !isPatient ? budgetUsedUp() : budgetReserved();
    }
  }

  /**
   * Raises the reservation of a widget visitor's charge, or to what is left of the day if that is at least `creditsMin`, and
   * returns how much is reserved. If other charges have reserved what is missing, it waits for them to end, and meanwhile keeps
   * only what it has used: otherwise many concurrent charges would block one another. If it would not fit even after the others
   * released everything, it is refused at once.
   */
  async raise(orgId: number, chargeId: string, { credits, creditsMin = credits, used }: Raise): Promise<number> {
    for (const untilMs = performance.now() + patienceMs; ; await delay(lookEveryMs)) {
      const isLast = performance.now() > untilMs;
      const outcome = await this.inTurn(orgId, async (manager) => {
        const [held]: { keyId: string; dailyCredits: number }[] = await manager.query(heldFor, [orgId, chargeId]);
        if (!held || (await isSetAside(manager, { orgId, chargeId, credits, ...held }))) return credits;
        await manager.query('UPDATE widget_holds SET units = $3 WHERE org_id = $1 AND charge_id = $2', [orgId, chargeId, used]);
        const { left, free } = await restOfDay(manager, { orgId, ...held });
        if (left < creditsMin) return 'never';
        const part = isLast ? free + used : Math.min(left, credits);
        const fits = part >= creditsMin && (await isSetAside(manager, { orgId, chargeId, credits: part, ...held }));
        return fits ? part : 'not yet';
      });
      if (typeof outcome === 'number') return outcome;
      if (outcome === 'never' || isLast) throw budgetUsedUp();
    }
  }

  /**
   * Replaces a charge's reservation by what it used. Never fails: a charge that is not ended, like one of a dead gateway, counts
   * in full until the day is over.
   */
  async end(orgId: number, chargeId: string, credits: number): Promise<void> {
    const work = async (manager: EntityManager): Promise<void> => {
      const values = [orgId, chargeId];
      const locked: unknown[] = await manager.query(lockDayOfCharge, values);
      if (locked.length > 0) await manager.query(endHold, [...values, Math.ceil(credits)]);
    };
    await this.inTurn(orgId, work).catch((err: unknown) => {
      this.log.warn('The usage of a visitor could not be counted; what was set aside counts instead, for today', {
        err,
        orgId,
        chargeId,
      });
    });
  }

  /**
   * One transaction of an organization at a time: they wait for the row of a widget's day anyway, and if each did so on a connection of
   * its own, a few visitors who look whether something is free again would take them all.
   */
  private async inTurn<T>(orgId: number, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const before = this.lines.get(orgId);
    const over = Promise.withResolvers<void>();
    this.lines.set(orgId, over.promise);
    try {
      if (before) await within(turnMsMax, before, tooSlow);
      return await this.tenants.run(orgId, work);
    } finally {
      over.resolve();
      if (this.lines.get(orgId) === over.promise) this.lines.delete(orgId);
    }
  }
}

/** Reserves what fits. The day's row is locked first, so that concurrent reservations add up. */
async function isSetAside(manager: EntityManager, { orgId, keyId, dailyCredits, chargeId, credits }: SetAside): Promise<boolean> {
  await manager.query(lockDay, [orgId, keyId]);
  const held: unknown[] = await manager.query(holdOfDay, [orgId, keyId, chargeId, Math.ceil(credits), dailyCredits]);
  return held.length > 0;
}

/** What is left of a widget's day, and what no charge has reserved of that. */
async function restOfDay(
  manager: EntityManager,
  { orgId, keyId, dailyCredits }: BudgetedWidget,
): Promise<{ left: number; free: number }> {
  const [day]: { used: string; aside: string }[] = await manager.query(usedToday, [orgId, keyId]);
  const left = dailyCredits - Number(day?.used);
  return { left, free: left - Number(day?.aside) };
}

/** The error for visitors of a widget whose daily budget is used up. */
export function budgetUsedUp(): Fault {
  const now = new Date();
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1);
  const retryAfterSeconds = Math.ceil((midnight - now.getTime()) / 1_000);
  const message = 'What this widget may use today is used up, or too little is left of it for this.';
  return new Fault('RATE_LIMITED', { message, retryAfterSeconds });
}

/** The error while other visitors may still use all that is left of the day. */
function budgetReserved(): Fault {
  const message = 'Other visitors of this widget are being answered. Ask again in a moment.';
  return new Fault('RATE_LIMITED', { message, retryAfterSeconds: Math.ceil(patienceMs / 1_000) });
}

/** Postgres does not answer: a statement may take ten seconds. */
function tooSlow(): never {
  throw new Fault('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1, dependency: 'postgres' });
}

const turnMsMax = 20_000;
const patienceMs = 5_000;
const lookEveryMs = 200;
const keptDays = 7;
const today = `(now() AT TIME ZONE 'UTC')::date`;

const lockDay = `
  WITH old AS (DELETE FROM widget_days WHERE org_id = $1 AND widget_key = $2 AND day < ${today} - ${keptDays}),
    lost AS (DELETE FROM widget_holds WHERE org_id = $1 AND widget_key = $2 AND day < ${today} - ${keptDays})
  INSERT INTO widget_days AS d (org_id, widget_key, day, units) VALUES ($1, $2, ${today}, 0)
  ON CONFLICT (org_id, widget_key, day) DO UPDATE SET units = d.units`;

const usedToday = `
  SELECT units AS used, (SELECT coalesce(sum(o.units), 0) FROM widget_holds o WHERE o.org_id = $1 AND o.widget_key = $2 AND o.day = ${today}) AS aside
  FROM widget_days WHERE org_id = $1 AND widget_key = $2 AND day = ${today}`;

const heldFor =
  'SELECT widget_key AS "keyId", daily_credits AS "dailyCredits" FROM widget_holds WHERE org_id = $1 AND charge_id = $2';

// A charge that reserves nothing is never refused: it pays for what was used already.
const holdOfDay = `
  INSERT INTO widget_holds AS h (org_id, charge_id, widget_key, day, units, daily_credits)
  SELECT $1, $3::uuid, $2, ${today}, $4::bigint, $5::int
  FROM widget_days d WHERE d.org_id = $1 AND d.widget_key = $2 AND d.day = ${today} AND ($4::bigint = 0 OR $5::bigint >= $4::bigint + d.units + (
    SELECT coalesce(sum(o.units), 0) FROM widget_holds o
    WHERE o.org_id = $1 AND o.widget_key = $2 AND o.day = ${today} AND o.charge_id <> $3::uuid))
  ON CONFLICT (org_id, charge_id) DO UPDATE SET day = EXCLUDED.day, units = greatest(h.units, EXCLUDED.units)
  RETURNING charge_id`;

const lockDayOfCharge = `
  INSERT INTO widget_days AS d (org_id, widget_key, day, units)
  SELECT org_id, widget_key, ${today}, 0 FROM widget_holds WHERE org_id = $1 AND charge_id = $2
  ON CONFLICT (org_id, widget_key, day) DO UPDATE SET units = d.units RETURNING units`;

const endHold = `
  WITH ended AS (DELETE FROM widget_holds WHERE org_id = $1 AND charge_id = $2 RETURNING widget_key)
  UPDATE widget_days d SET units = d.units + $3::bigint FROM ended
  WHERE d.org_id = $1 AND d.widget_key = ended.widget_key AND d.day = ${today}`;
