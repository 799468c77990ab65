import { Controller, Module } from '@nestjs/common';
import { providerKeyChanged } from '@parley/contracts';
import { type HearerOf, Hears } from '@parley/messaging';
import { OrganizationKeys } from './organization-keys';

type Hearer = HearerOf<typeof providerKeyChanged.payload>;

/** Lets the next request read an organization's keys anew, on every replica. */
@Controller()
class KeyNews {
  constructor(private readonly keys: OrganizationKeys) {}

  @Hears(providerKeyChanged)
  changed(_: Parameters<Hearer>[0], { orgId }: Parameters<Hearer>[1]): void {
    this.keys.forget(orgId);
  }
}

/** The keys of organizations for a service that talks with providers. */
@Module({ controllers: [KeyNews], providers: [OrganizationKeys], exports: [OrganizationKeys] })
export class OrganizationKeysModule {}
