import { Injectable } from '@nestjs/common';
import type { LanguageModelProvider } from '@parley/providers/language-model-catalogue';
import { type OrganizationKey, OrganizationKeys } from '@parley/service-kit';

/** An organization's own access to a provider. */
export type ProviderSecret = OrganizationKey;

/** The keys that organizations bring for language models. */
@Injectable()
export class ProviderSecrets {
  constructor(private readonly keys: OrganizationKeys) {}

  /** A provider that needs no key is not asked for. */
  async secretOf({ id, settings }: LanguageModelProvider, orgId: number): Promise<ProviderSecret | undefined> {
    return settings.length === 0 ? undefined : this.keys.keyOf(orgId, { providerKind: 'LLM', providerID: id });
  }
}
