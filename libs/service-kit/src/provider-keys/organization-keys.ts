import { Controller, Injectable, Module } from '@nestjs/common';
import { providerKeyChanged, readProviderSecret } from '@parley/contracts';
import { type HearerOf, Hears, ServiceBus } from '@parley/messaging';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';

type ProviderChoice = z.output<typeof readProviderSecret.request>;

/** A key of an organization, and the address it is for, if not the provider's own. */
export type OrganizationKey = NonNullable<z.output<typeof readProviderSecret.reply>['secret']>;

interface Remembered {
  readonly key: OrganizationKey | undefined;
}

const rememberedMs = 15_000;
const rememberedMax = 2000;

/** Organizations' own provider keys, cached briefly or until a change is reported. */
@Injectable()
export class OrganizationKeys {
  private readonly remembered = new LRUCache<string, Remembered>({ max: rememberedMax, ttl: rememberedMs, ttlResolution: 0 });
  private changes = 0;

  constructor(private readonly bus: ServiceBus) {}

  /** The key of the caller's organization, which must be `orgId`; undefined if it has none. */
  async keyOf(orgId: number, { providerKind, providerID }: ProviderChoice): Promise<OrganizationKey | undefined> {
    const name = `${orgId}/${providerKind}/${providerID}`;
    const known = this.remembered.get(name);
    if (known) return known.key;
    const changesBefore = this.changes;
    // Cached only once it has arrived: a shared pending request would fail for all callers if one of them disconnects.
    const { secret } = await this.bus.ask(readProviderSecret, { providerKind, providerID });
    const key = secret ?? undefined;
    // What was read before a change may be outdated.
    if (changesBefore === this.changes) this.remembered.set(name, { key });
    return key;
  }

  /** A key changed: this organization's keys are read again when needed. */
  forget(orgId: number | null): void {
    this.changes += 1;
    for (const name of this.remembered.keys()) if (orgId === null || name.startsWith(`${orgId}/`)) this.remembered.delete(name);
  }
}

type Hearer = HearerOf<typeof providerKeyChanged.payload>;

/** Invalidates an organization's keys on every replica. */
@Controller()
class KeyNews {
  constructor(private readonly keys: OrganizationKeys) {}

  @Hears(providerKeyChanged)
  changed(_: Parameters<Hearer>[0], { orgId }: Parameters<Hearer>[1]): void {
    this.keys.forget(orgId);
  }
}

/** The keys of organizations, for a service that talks to providers. */
@Module({ controllers: [KeyNews], providers: [OrganizationKeys], exports: [OrganizationKeys] })
export class OrganizationKeysModule {}
