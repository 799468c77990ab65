import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import type { SpeechToTextCapabilities } from '@parley/ports';
import { openSpeechToText, openTextToSpeech, transcribeProviders, voiceProviders } from '@parley/providers/speech-catalogue';
import { Column, Entity, Generated, PrimaryGeneratedColumn } from 'typeorm';
import { type AgentConfiguration, AgentConfigVariables } from '../config';

/** The kinds of provider, as the API names them. */
const providerKinds = ['LLM', 'VOICE', 'TRANSCRIBE'] as const;

export type ProviderKind = (typeof providerKinds)[number];

/** A provider of any kind, as the catalogues of this build list it. */
export interface Provider {
  readonly kind: ProviderKind;
  readonly id: number;
  readonly name: string;
  readonly isLocal: boolean;
  readonly settings: readonly string[];
  readonly languages: readonly string[];
  readonly latency: 'INSTANT' | 'FAST' | 'SLOW';
  readonly quality: 'PRODUCTION' | 'DEMO';
  readonly isStreaming: boolean;
  readonly models: readonly Model[];
}

/** A model or a voice. Its id is unique within its kind. */
interface Model {
  readonly id: number;
  readonly name: string;
  readonly languages: readonly string[];
}

/** The injection token for the service's variables. */
export const Configuration = Symbol('configuration');

const nameOf = ({ kind, id }: Pick<Provider, 'kind' | 'id'>) => `${kind}/${id}`;

/** What a provider still lacks before it works for an organization. */
@Injectable()
export class ProviderSettings implements OnModuleInit, OnApplicationShutdown {
  /** The engines on this machine. Each reports whether it can work here, which a download may change at any time. */
  private readonly local = new Map<string, Engine>();

  constructor(
    @Inject(Configuration) private readonly configuration: AgentConfiguration,
    private readonly tenants: TenantScope,
  ) {}

  /** Every process of an installation runs the same image, so what works here works where speech is produced. */
  async onModuleInit(): Promise<void> {
    for (const { id, name, isLocal } of voiceProviders) {
      if (isLocal) this.local.set(nameOf({ kind: 'VOICE', id }), await openTextToSpeech(name, this.configuration));
    }
    for (const { id, name, isLocal } of transcribeProviders) {
      if (isLocal) this.local.set(nameOf({ kind: 'TRANSCRIBE', id }), await openSpeechToText(name, this.configuration));
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.local.values()].map((engine) => engine.close()));
  }

  /**
   * Returns a function that lists the settings that a provider, or one of its models, lacks for this organization. An empty list means
   * that it works.
   */
  async missingFor(orgId: number): Promise<(provider: Provider, model?: string) => string[]> {
    const keys = await this.tenants.read(orgId, (manager) => manager.find(ProviderKey, { where: { orgId } }));
    const own = new Set(keys.map(({ providerKind, providerId }) => nameOf({ kind: providerKind, id: providerId })));
    return (provider, model) => (own.has(nameOf(provider)) ? [] : this.missingHere(provider, model));
  }

  /** The model of a provider to use: the present one, or the first, of those on this machine, or of all if none is. */
  firstOf(provider: Provider, present: number | null): Model | undefined {
    const { models } = provider;
    const here = models.filter(({ name }) => this.missingHere(provider, name).length === 0);
    return [here, models].flatMap((each) => [...each.filter(({ id }) => id === present), ...each])[0];
  }

  private missingHere(provider: Provider, model?: string): string[] {
    const capabilities = this.local.get(nameOf(provider))?.capabilities;
    const reason = capabilities?.unavailable ?? (model === undefined ? undefined : capabilities?.whyNoModel?.(model));
    return reason ? [reason] : provider.settings.filter((setting) => this.valueOf(setting) === undefined);
  }

  private valueOf(setting: string): unknown {
    return AgentConfigVariables.keyof().options.some((name) => name === setting)
      ? Reflect.get(this.configuration, setting)
      : undefined;
  }
}

interface Engine {
  readonly capabilities: Pick<SpeechToTextCapabilities, 'unavailable' | 'whyNoModel'>;
  close(): Promise<void>;
}

/** A sentence that says what to do before a provider works. An engine of this machine says why it cannot run, others lack variables. */
export function whyNotWorking({ name, settings }: Provider, missing: readonly string[]): string {
  const variables = missing.filter((each) => settings.includes(each));
  if (variables.length < missing.length) return `The provider ${name} ${missing.join(' and ')}.`;
  return `The provider ${name} is not configured: ${variables.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing.`;
}

/** An organization's own key for a provider. The key itself is stored among the secrets. */
@Entity({ name: 'provider_keys' })
export class ProviderKey {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('uuid')
  @Generated('uuid')
  keyId: string;

  @Column('int')
  orgId: number;

  @Column('text')
  providerKind: ProviderKind;

  @Column('int')
  providerId: number;

  @Column('uuid')
  secretId: string;

  @Column('text')
  lastFour: string;

  @Column('text', { nullable: true })
  baseUrl: string | null;

  @Column('text', { nullable: true })
  model: string | null;

  @Column('timestamptz', { nullable: true })
  lastTestedOn: Date | null;

  @Column('boolean', { nullable: true })
  isWorking: boolean | null;

  @Column('timestamptz')
  createdOn: Date;
}
