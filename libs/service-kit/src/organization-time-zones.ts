import { Injectable } from '@nestjs/common';
import { listMyOrganizations } from '@parley/contracts';
import { type Call, organizationOf, ServiceBus } from '@parley/messaging';
import { LRUCache } from 'lru-cache';
import { isDay } from './local-days';

// In a file of its own because a service's broker permissions are derived from the files it imports, and a service that only
// computes with days needs none.
const rememberedMs = 60_000;
const rememberedMax = 1000;

/** The time zones of organizations, which determine the hours of a bare date; cached for a minute. */
@Injectable()
export class OrganizationTimeZones {
  private readonly remembered = new LRUCache<number, string>({
    max: rememberedMax,
    ttl: rememberedMs,
    ttlResolution: 0,
  });

  constructor(private readonly bus: ServiceBus) {}

  /** The zone of the caller's organization. */
  async of(call: Call): Promise<string> {
    const orgId = organizationOf(call);
    const known = this.remembered.get(orgId);
    if (known !== undefined) return known;
    const organizations = await this.bus.ask(listMyOrganizations, {});
    const timeZone = organizations.find(({ isCurrent }) => isCurrent)?.timezone ?? 'UTC';
    this.remembered.set(orgId, timeZone);
    return timeZone;
  }

  /** The same, but only fetched if one of the dates is bare. */
  async forDates(dates: readonly (string | null | undefined)[], call: Call): Promise<string> {
    return dates.some(isDay) ? this.of(call) : 'UTC';
  }
}
