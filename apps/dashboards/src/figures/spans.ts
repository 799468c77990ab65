import { Injectable } from '@nestjs/common';
import { Fault, listMyOrganizations } from '@parley/contracts';
import { type Call, organizationOf, ServiceBus } from '@parley/messaging';
import { firstInstant, firstInstantAfter } from '@parley/service-kit';

/** A span of time, its end not included, and the time zone whose days are meant. */
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

const rememberedMs = 60_000;
const rememberedMax = 1000;

/** What queries mean by their dates. */
@Injectable()
export class Spans {
  private readonly remembered = new Map<number, { timeZone: string; staleAtMs: number }>();

  constructor(private readonly bus: ServiceBus) {}

  /** Both bounds belong to the span: a day is the whole day, an instant its millisecond. */
  async of({ startDate, endDate, timeZone: asked }: SpanQuery, call: Call): Promise<Span> {
    const timeZone = asked ?? (await this.timeZoneOf(call));
    const from = startDate ? firstInstant(startDate, timeZone) : new Date(0);
    const to = endDate ? firstInstantAfter(endDate, timeZone) : new Date(Date.UTC(9999, 0));
    // The contract compares days with days; a day against an instant only compares here, where the time zone is known.
    if (from > to)
      throw new Fault('VALIDATION_FAILED', { details: [{ field: 'startDate', message: 'must not be after endDate' }] });
    return { from, to, timeZone };
  }

  /** The zone of the caller's organization. */
  async timeZoneOf(call: Call): Promise<string> {
    const orgId = organizationOf(call);
    const known = this.remembered.get(orgId);
    if (known && known.staleAtMs > Date.now()) return known.timeZone;
    const organizations = await this.bus.ask(listMyOrganizations, {});
    const timeZone = organizations.find(({ isCurrent }) => isCurrent)?.timezone ?? 'UTC';
    if (this.remembered.size >= rememberedMax) this.remembered.clear();
    this.remembered.set(orgId, { timeZone, staleAtMs: Date.now() + rememberedMs });
    return timeZone;
  }
}
