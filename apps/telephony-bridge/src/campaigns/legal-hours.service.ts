import { Controller, Injectable } from '@nestjs/common';
import { callsPerNumberUsual, Fault, listLegalHours, readCallLimits, saveCallLimits, saveLegalHours } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, type HandlerOf, Handles, organizationOf, wholeOrganizationOf } from '@parley/messaging';
import { isSupportedCountry } from 'libphonenumber-js';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import { minuteOfClock, weekdays as weekdayNames } from './campaign.wire';
import { claimsOf } from './claim-queries';
import { type CallingRules, type DayHours, everyCountry } from './plan/campaign';
import { countriesWithLaw, lawOf } from './plan/windows';

type SaveLegalHoursRequest = z.output<typeof saveLegalHours.request>;
type PublicLegalHours = z.input<typeof listLegalHours.reply>[number];

interface LegalHoursRow extends DayHours {
  readonly orgId: number;
  readonly country: string;
  readonly weekdays: number[];
}

const everyDay = [0, 1, 2, 3, 4, 5, 6];
const rowsOf = `
  SELECT org_id AS "orgId", country, from_minute AS "fromMinute", to_minute AS "toMinute", weekdays
  FROM legal_hours WHERE org_id = ANY($1) ORDER BY country`;

/** The hours, by country, in which an organization's campaigns may call. They can only narrow the legal hours. */
@Injectable()
export class LegalHoursService {
  constructor(private readonly tenants: TenantScope) {}

  async list(call: Call): Promise<PublicLegalHours[]> {
    const orgId = organizationOf(call);
    const rows = await this.tenants.read(orgId, (manager) => read(manager, [orgId]));
    const countries = new Set([everyCountry, ...countriesWithLaw, ...rows.map(({ country }) => country)]);
    return [...countries].map((country) =>
      shown(
        country,
        rows.find((row) => row.country === country),
      ),
    );
  }

  /** Saves hours, effective from the next claim. What was claimed but not placed is claimed again. */
  save({ Country: country, hours }: SaveLegalHoursRequest, call: Call): Promise<PublicLegalHours> {
    const orgId = wholeOrganizationOf(call, 'Legal hours');
    if (hours) requireCountry(country);
    if (hours) requireNarrower(country, hours);
    return this.tenants.run(orgId, async (manager) => {
      await claimsOf(manager, orgId);
      if (!hours) {
        await manager.query('DELETE FROM legal_hours WHERE org_id = $1 AND country = $2', [orgId, country]);
        return shown(country);
      }
      const row: LegalHoursRow = {
        ...{ orgId, country, fromMinute: minuteOfClock(hours.from), toMinute: minuteOfClock(hours.to) },
        weekdays: hours.days.map((day) => weekdayNames.indexOf(day)),
      };
      await manager.query(
        `INSERT INTO legal_hours (org_id, country, from_minute, to_minute, weekdays, updated_on)
         VALUES ($1, $2, $3, $4, $5, clock_timestamp())
         ON CONFLICT (org_id, country) DO UPDATE SET from_minute = excluded.from_minute, to_minute = excluded.to_minute,
           weekdays = excluded.weekdays, updated_on = excluded.updated_on`,
        [orgId, country, row.fromMinute, row.toMinute, row.weekdays],
      );
      return shown(country, row);
    });
  }
}

/** Throws for a non-existent country, such as UK instead of GB, for which hours would silently have no effect. */
function requireCountry(country: string): void {
  if (country === everyCountry || isSupportedCountry(country)) return;
  const message = 'must be the ISO 3166 code of a country that has telephone numbers, such as GB';
  throw new Fault('VALIDATION_FAILED', { details: [{ field: 'Country', message }] });
}

/** The hours of organizations, for the planning of campaigns. */
export async function legalHoursIn(
  manager: EntityManager,
  orgIds: readonly number[],
): Promise<ReadonlyMap<number, CallingRules['legalHours']>> {
  const hours = new Map<number, CallingRules['legalHours']>();
  for (const { orgId, country, ...own } of await read(manager, orgIds)) {
    hours.set(orgId, { ...hours.get(orgId), [country]: own });
  }
  return hours;
}

function read(manager: EntityManager, orgIds: readonly number[]): Promise<LegalHoursRow[]> {
  return manager.query(rowsOf, [orgIds]);
}

function requireNarrower(country: string, { from, to }: NonNullable<SaveLegalHoursRequest['hours']>): void {
  const law = lawOf(country);
  const where = country === everyCountry ? 'any country' : country;
  const says = `may only narrow the law: in ${where} calls are allowed from ${clock(law.fromMinute)} to ${clock(law.toMinute)}`;
  const wider = [
    ...(minuteOfClock(from) < law.fromMinute ? ['hours.from'] : []),
    ...(minuteOfClock(to) > law.toMinute ? ['hours.to'] : []),
  ];
  if (wider.length > 0) throw new Fault('VALIDATION_FAILED', { details: wider.map((field) => ({ field, message: says })) });
}

function shown(country: string, row?: LegalHoursRow): PublicLegalHours {
  const law = lawOf(country);
  const { fromMinute, toMinute, weekdays } = row ?? { ...law, weekdays: everyDay };
  return {
    Country: country,
    lawFrom: clock(law.fromMinute),
    lawTo: clock(law.toMinute),
    from: clock(fromMinute),
    to: clock(toMinute),
    days: weekdayNames.filter((_name, day) => weekdays.includes(day)),
    isNarrowed: row !== undefined,
  };
}

/** Formats minutes since midnight. */
function clock(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}

type WantedLimits = z.output<typeof saveCallLimits.request>;
type ShownLimits = z.input<typeof readCallLimits.reply>;

/** How often all campaigns of an organization together may call one number in a day. */
@Injectable()
export class CallLimitsService {
  constructor(private readonly tenants: TenantScope) {}

  async read(call: Call): Promise<ShownLimits> {
    const orgId = organizationOf(call);
    const limits = await this.tenants.read(orgId, (manager) => callsPerNumberIn(manager, [orgId]));
    return { CallsPerNumberADay: limits.get(orgId) ?? callsPerNumberUsual, isDefault: !limits.has(orgId) };
  }

  /** Saves the limit, effective from the next claim. */
  save({ CallsPerNumberADay }: WantedLimits, call: Call): Promise<ShownLimits> {
    const orgId = wholeOrganizationOf(call, 'Limits of calls');
    return this.tenants.run(orgId, async (manager) => {
      await claimsOf(manager, orgId);
      if (CallsPerNumberADay === null) await manager.query('DELETE FROM call_limits WHERE org_id = $1', [orgId]);
      else
        await manager.query(
          `INSERT INTO call_limits (org_id, calls_per_number) VALUES ($1, $2)
           ON CONFLICT (org_id) DO UPDATE SET calls_per_number = excluded.calls_per_number`,
          [orgId, CallsPerNumberADay],
        );
      return { CallsPerNumberADay: CallsPerNumberADay ?? callsPerNumberUsual, isDefault: CallsPerNumberADay === null };
    });
  }
}

/** The settings of organizations; the default if missing. */
export async function callsPerNumberIn(manager: EntityManager, orgIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const rows: { orgId: number; callsPerNumber: number }[] = await manager.query(
    'SELECT org_id AS "orgId", calls_per_number AS "callsPerNumber" FROM call_limits WHERE org_id = ANY($1)',
    [orgIds],
  );
  return new Map(rows.map(({ orgId, callsPerNumber }) => [orgId, callsPerNumber]));
}

type ListLegalHoursHandler = HandlerOf<typeof listLegalHours>;
type SaveLegalHoursHandler = HandlerOf<typeof saveLegalHours>;

type SaveLimits = HandlerOf<typeof saveCallLimits>;
type ReadLimits = HandlerOf<typeof readCallLimits>;

/** The settings for all campaigns of an organization, over the bus. */
@Controller()
export class LegalHoursController {
  constructor(
    private readonly book: LegalHoursService,
    private readonly limits: CallLimitsService,
  ) {}

  @Handles(listLegalHours)
  list(_: Parameters<ListLegalHoursHandler>[0], call: Call): ReturnType<ListLegalHoursHandler> {
    return this.book.list(call);
  }

  @Handles(saveLegalHours)
  save(wanted: Parameters<SaveLegalHoursHandler>[0], call: Call): ReturnType<SaveLegalHoursHandler> {
    return this.book.save(wanted, call);
  }

  @Handles(readCallLimits)
  readLimits(_: Parameters<ReadLimits>[0], call: Call): ReturnType<ReadLimits> {
    return this.limits.read(call);
  }

  @Handles(saveCallLimits)
  saveLimits(wanted: Parameters<SaveLimits>[0], call: Call): ReturnType<SaveLimits> {
    return this.limits.save(wanted, call);
  }
}
