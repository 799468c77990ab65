import { Injectable } from '@nestjs/common';
import { listMyOrganizations, type listConversationLogs } from '@parley/contracts';
import { type Call, organizationOf, ServiceBus } from '@parley/messaging';
import { isDay } from '@parley/service-kit';
import type { BodyOf } from '../message-types';

type Query = BodyOf<typeof listConversationLogs>;

const rememberedMs = 60_000;
const rememberedMax = 1000;

/** The time zones that give a bare date its hours. */
@Injectable()
export class TimeZones {
  private readonly remembered = new Map<number, { timeZone: string; staleAtMs: number }>();

  constructor(private readonly bus: ServiceBus) {}

  /** The zone of the caller's organization, asked for only when the query has a bare date. */
  async for({ startDate, endDate }: Pick<Query, 'startDate' | 'endDate'>, call: Call): Promise<string> {
    if (![startDate, endDate].some(isDay)) return 'UTC';
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
