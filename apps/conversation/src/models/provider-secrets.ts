import { Injectable } from '@nestjs/common';
import { Fault, readProviderSecret } from '@parley/contracts';
import { ServiceBus } from '@parley/messaging';
import type { LanguageModelProvider } from '@parley/providers/language-model-catalogue';

const rememberedMs = 15_000;
const rememberedMax = 1000;

interface Remembered {
  readonly key: string | undefined;
  readonly staleAtMs: number;
}

/** The keys that organizations bring for providers, remembered for a moment. */
@Injectable()
export class ProviderSecrets {
  private readonly remembered = new Map<string, Remembered>();

  constructor(private readonly bus: ServiceBus) {}

  /** A provider that needs no key is not asked for. */
  async keyOf({ id, settings }: LanguageModelProvider, orgId: number): Promise<string | undefined> {
    if (settings.length === 0) return undefined;
    const name = `${orgId}/${id}`;
    const known = this.remembered.get(name);
    if (known && known.staleAtMs > Date.now()) return known.key;
    // Remembered once it is there: whoever waits for another's question would fail with the other's going away.
    const key = await this.read(id);
    if (this.remembered.size >= rememberedMax) this.remembered.clear();
    this.remembered.set(name, { key, staleAtMs: Date.now() + rememberedMs });
    return key;
  }

  private async read(providerID: number): Promise<string | undefined> {
    const { secret } = await this.bus.ask(readProviderSecret, { providerKind: 'LLM', providerID });
    // An address that a customer chose must not lead into our own network, and nothing here checks that yet.
    if (secret?.baseURL)
      throw new Fault('PROVIDER_NOT_CONFIGURED', { message: 'A base URL of your own is not supported for language models.' });
    return secret?.key;
  }
}
