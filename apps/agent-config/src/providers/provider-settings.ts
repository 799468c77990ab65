import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { Fault } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { openSpeechToText, openTextToSpeech, transcribeProviders, voiceProviders } from '@parley/providers/speech-catalogue';
import { AgentConfigVariables, type AgentConfiguration } from '../config';
import { ProviderKey } from '../provider-keys/provider-key.entity';
import type { Provider } from './provider';

/** The key under which the service's variables are injected. */
export const Configuration = Symbol('configuration');

const nameOf = ({ kind, id }: Pick<Provider, 'kind' | 'id'>) => `${kind}/${id}`;

/** What a provider still needs before it works for an organization. */
@Injectable()
export class ProviderSettings implements OnModuleInit {
  /** Why an engine of this machine cannot work here. */
  private readonly unavailable = new Map<string, string>();

  constructor(
    @Inject(Configuration) private readonly configuration: AgentConfiguration,
    private readonly tenants: TenantScope,
  ) {}

  /** Every process of an installation is the same image, so what works here works where speech is made. */
  async onModuleInit(): Promise<void> {
    for (const { id, name, isLocal } of voiceProviders) {
      if (isLocal) await this.note({ kind: 'VOICE', id }, await openTextToSpeech(name, this.configuration));
    }
    for (const { id, name, isLocal } of transcribeProviders) {
      if (isLocal) await this.note({ kind: 'TRANSCRIBE', id }, await openSpeechToText(name, this.configuration));
    }
  }

  /** For one organization: a function that names the settings which a provider lacks. None means that it works. */
  async missingFor(orgId: number): Promise<(provider: Provider) => string[]> {
    const keys = await this.tenants.read(orgId, (manager) => manager.find(ProviderKey, { where: { orgId } }));
    const own = new Set(keys.map(({ providerKind, providerId }) => nameOf({ kind: providerKind, id: providerId })));
    return (provider) => (own.has(nameOf(provider)) ? [] : this.missingHere(provider));
  }

  private missingHere(provider: Provider): string[] {
    const reason = this.unavailable.get(nameOf(provider));
    return reason ? [reason] : provider.settings.filter((setting) => this.valueOf(setting) === undefined);
  }

  private valueOf(setting: string): unknown {
    return AgentConfigVariables.keyof().options.some((name) => name === setting)
      ? Reflect.get(this.configuration, setting)
      : undefined;
  }

  private async note(provider: Pick<Provider, 'kind' | 'id'>, engine: Engine): Promise<void> {
    const { unavailable } = engine.capabilities;
    if (unavailable) this.unavailable.set(nameOf(provider), unavailable);
    await engine.close();
  }
}

interface Engine {
  readonly capabilities: { readonly unavailable?: string };
  close(): Promise<void>;
}

/** PROVIDER_NOT_CONFIGURED in words that say what to do. */
export function notConfigured({ name }: Provider, missing: readonly string[], field: string): Fault {
  const needed = missing.join(' and ');
  const message = `The provider ${name} is not configured: ${needed} ${missing.length > 1 ? 'are' : 'is'} missing.`;
  return new Fault('PROVIDER_NOT_CONFIGURED', { message, details: [{ field, message }] });
}
