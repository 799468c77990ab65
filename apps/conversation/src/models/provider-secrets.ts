import { Injectable } from '@nestjs/common';
import { readProviderSecret } from '@parley/contracts';
import { ServiceBus } from '@parley/messaging';
import type { LanguageModelProvider } from '@parley/providers/language-model-catalogue';
import type { ReplyOf } from '../message-types';

/** An organization's own access to a provider. */
export type ProviderSecret = NonNullable<ReplyOf<typeof readProviderSecret>['secret']>;

const rememberedMs = 15_000;
const rememberedMax = 1000;

interface Remembered {
  readonly secret: ProviderSecret | undefined;
  readonly staleAtMs: number;
}

/** The keys that organizations bring for providers, remembered for a moment. */
@Injectable()
export class ProviderSecrets {
  private readonly remembered = new Map<string, Remembered>();

  constructor(private readonly bus: ServiceBus) {}

  /** A provider that needs no key is not asked for. */
  async secretOf({ id, settings }: LanguageModelProvider, orgId: number): Promise<ProviderSecret | undefined> {
    if (settings.length === 0) return undefined;
    const name = `${orgId}/${id}`;
    const known = this.remembered.get(name);
    if (known && known.staleAtMs > Date.now()) return known.secret;
    // Remembered once it is there: whoever waits for another's question would fail with the other's going away.
    const { secret } = await this.bus.ask(readProviderSecret, { providerKind: 'LLM', providerID: id });
    if (this.remembered.size >= rememberedMax) this.remembered.clear();
    this.remembered.set(name, { secret: secret ?? undefined, staleAtMs: Date.now() + rememberedMs });
    return secret ?? undefined;
  }
}
