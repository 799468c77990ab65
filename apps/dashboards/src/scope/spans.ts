import { Injectable } from '@nestjs/common';
import { Fault, findAgents } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, organizationOf, ServiceBus } from '@parley/messaging';
import {
  dayOf,
  daysBetween,
  daysLater,
  firstInstant,
  firstInstantAfter,
  OrganizationTimeZones,
  startOfDay,
} from '@parley/service-kit';
import { LRUCache } from 'lru-cache';
import { quarterMs } from '../facts/fact-table';
import { FactRetention } from '../projection/retention';

/** A half-open span of time, and the time zone that its days are in. */
export interface Span {
  readonly from: Date;
  readonly to: Date;
  readonly timeZone: string;
}

interface SpanQuery {
  readonly startDate?: string | null | undefined;
  readonly endDate?: string | null | undefined;
  readonly timeZone?: string | undefined;
}

/** Turns the dates of a query into a span of time. */
@Injectable()
export class Spans {
  constructor(
    private readonly zones: OrganizationTimeZones,
    private readonly retention: FactRetention,
  ) {}

  /**
   * Both bounds are inclusive: a day means the whole day, an instant its millisecond, or its quarter of an hour if only quarters
   * are left.
   */
  async of({ startDate, endDate, timeZone: asked }: SpanQuery, call: Call): Promise<Span> {
    const timeZone = asked ?? (await this.timeZoneOf(call));
    const from = startDate ? firstInstant(startDate, timeZone) : new Date(0);
    const to = endDate ? firstInstantAfter(endDate, timeZone) : new Date(Date.UTC(9999, 0));
    // The contract can only compare days with days; a day and an instant are compared here, where the time zone is known.
    if (from > to)
      throw new Fault('VALIDATION_FAILED', { details: [{ field: 'startDate', message: 'must not be after endDate' }] });
    return { ...(await this.withWholeQuarters(from, to)), timeZone };
  }

  /** A bound within a quarter of an hour needs individual facts, and those are dropped by month. */
  private async withWholeQuarters(from: Date, to: Date): Promise<Pick<Span, 'from' | 'to'>> {
    const cuts = async (at: Date): Promise<boolean> => at.getTime() % quarterMs !== 0 && this.retention.hasDropped(at);
    // The end is exclusive, so the last instant is a millisecond earlier: a span up to the start of a quarter does not include
    // that quarter.
    const lastMs = to.getTime() - 1;
    return {
      from: (await cuts(from)) ? new Date(Math.floor(from.getTime() / quarterMs) * quarterMs) : from,
      to: (await cuts(to)) ? new Date(Math.ceil(lastMs / quarterMs) * quarterMs) : to,
    };
  }

  /** The zone of the caller's organization. */
  timeZoneOf(call: Call): Promise<string> {
    return this.zones.of(call);
  }
}

type Interval = 'hour' | 'day' | 'week' | 'month';

/** One step of a series: its day, and the instant at which it begins. It ends where the next one begins. */
export interface Step {
  readonly date: string;
  readonly at: Date;
}

const hourMs = 3_600_000;

/** The steps that overlap a span, in order and without gaps. A day on which the clocks change has 23 or 25 hours. */
export function stepsOf({ from, to, timeZone }: Span, interval: Interval): Step[] {
  if (from >= to) return [];
  const days = daysBetween(dayOf(from, timeZone), dayOf(new Date(to.getTime() - 1), timeZone));
  const stepAt = (date: string): Step => ({ date, at: startOfDay(date, timeZone) });
  if (interval !== 'hour') return [...new Set(days.map((day) => firstDay(day, interval)))].map(stepAt);
  return days.flatMap((day) => hoursOf(day, timeZone)).filter(({ at }) => at < to && at.getTime() + hourMs > from.getTime());
}

function firstDay(day: string, interval: Exclude<Interval, 'hour'>): string {
  if (interval === 'month') return `${day.slice(0, 'YYYY-MM'.length)}-01`;
  if (interval === 'day') return day;
  const sinceMonday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
  return daysLater(day, -sinceMonday);
}

function hoursOf(date: string, timeZone: string): Step[] {
  const begins = startOfDay(date, timeZone).getTime();
  const ends = startOfDay(daysLater(date, 1), timeZone).getTime();
  return Array.from({ length: Math.ceil((ends - begins) / hourMs) }, (_, hour) => ({
    date,
    at: new Date(begins + hour * hourMs),
  }));
}

const keysRemembered = 10_000;
const askedAtOnce = 1_000;

/** Which agents' figures a caller may see. */
@Injectable()
export class AgentScope {
  private readonly keys = new LRUCache<string, string>({ max: keysRemembered });

  constructor(
    private readonly bus: ServiceBus,
    private readonly tenants: TenantScope,
  ) {}

  /** The agents to count, or undefined for all. One that does not exist or that the caller may not see is NOT_FOUND. */
  async of(asked: readonly number[] | undefined, call: Call): Promise<readonly number[] | undefined> {
    const own = call.principal?.agentIds;
    if (!asked) return own;
    if (own && asked.some((id) => !own.includes(id))) throw noSuchAgent();
    await this.requireKnown([...new Set(asked)], call);
    return asked;
  }

  /** Adds the public id to rows that have an agent's number; null if the agent is unknown to its service. */
  async withKeys<Row extends { readonly AgentID: number | null }>(
    rows: readonly Row[],
    call: Call,
  ): Promise<(Row & { AgentKeyID: string | null })[]> {
    const keys = await this.keysOf(
      rows.flatMap(({ AgentID }) => AgentID ?? []),
      call,
    );
    return rows.map((row) => ({ ...row, AgentKeyID: keys.get(row.AgentID ?? 0) ?? null }));
  }

  /** Public ids never change, so each is fetched only once. */
  async keysOf(ids: readonly number[], call: Call): Promise<ReadonlyMap<number, string>> {
    const orgId = organizationOf(call);
    const nameOf = (id: number) => `${orgId}/${id}`;
    const unknown = [...new Set(ids)].filter((id) => !this.keys.has(nameOf(id)));
    const found = new Map<number, string>();
    for (let first = 0; first < unknown.length; first += askedAtOnce) {
      const { agents } = await this.bus.ask(findAgents, { AgentIDs: unknown.slice(first, first + askedAtOnce) });
      for (const { AgentID, AgentKeyID } of agents) {
        found.set(AgentID, AgentKeyID);
        this.keys.set(nameOf(AgentID), AgentKeyID);
      }
    }
    for (const id of ids) {
      const key = this.keys.get(nameOf(id));
      if (key !== undefined) found.set(id, key);
    }
    return found;
  }

  /** A deleted agent is still known by its figures. */
  private async requireKnown(ids: readonly number[], call: Call): Promise<void> {
    const { AgentIDs } = await this.bus.ask(findAgents, { AgentIDs: [...ids] });
    const missing = ids.filter((id) => !AgentIDs.includes(id));
    if (missing.length === 0) return;
    const orgId = organizationOf(call);
    const rows: { known: number }[] = await this.tenants.read(orgId, (manager) =>
      manager.query(
        `SELECT count(*)::int AS known FROM unnest($2::int[]) asked (id)
         WHERE EXISTS (SELECT FROM call_quarters WHERE org_id = $1 AND agent_id = asked.id)
           OR EXISTS (SELECT FROM turn_quarters WHERE org_id = $1 AND agent_id = asked.id)`,
        [orgId, missing],
      ),
    );
    if (rows[0]?.known !== missing.length) throw noSuchAgent();
  }
}

function noSuchAgent(): Fault {
  return new Fault('NOT_FOUND', { message: 'There is no such agent.' });
}
