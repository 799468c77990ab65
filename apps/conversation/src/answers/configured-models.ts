import { Injectable } from '@nestjs/common';
import { type AgentRuntime, Fault } from '@parley/contracts';
import { type LanguageModel, ModelChain, type ModelEvent, SharedBreakers } from '@parley/ports';
import {
  type CataloguedModel,
  defaultModel,
  type LanguageModelConfig,
  type LanguageModelProvider,
  missingSettings,
  modelById,
  openLanguageModel,
  type OwnAccess,
} from '@parley/providers/language-model-catalogue';
import { fetchPublicServer, type FetchPublicServer, type OrganizationKey, OrganizationKeys } from '@parley/service-kit';
import { LRUCache } from 'lru-cache';

/** Which model answers for an agent of the caller's organization. */
export abstract class Models {
  abstract of(agent: AgentRuntime, orgId: number): Promise<LanguageModel>;
}

/** An organization's own access to a provider. */
export type ProviderSecret = OrganizationKey;

/** The keys that organizations bring for language models. */
@Injectable()
export class ProviderSecrets {
  constructor(private readonly keys: OrganizationKeys) {}

  /** Not looked up for providers that need no key. */
  async secretOf({ id, settings }: LanguageModelProvider, orgId: number): Promise<ProviderSecret | undefined> {
    return settings.length === 0 ? undefined : this.keys.keyOf(orgId, { providerKind: 'LLM', providerID: id });
  }
}

interface ModelsOptions {
  readonly firstEventMs: number;
  /** How servers chosen by an organization are reached. */
  readonly fetch?: FetchPublicServer;
}

interface KeyedModel {
  readonly model: CataloguedModel;
  readonly secret?: ProviderSecret | undefined;
}

const chainsMax = 500;

/** The models that an agent names, in its order, or otherwise the installation's default. */
export class ConfiguredModels extends Models {
  private readonly opened = new LRUCache<string, Promise<LanguageModel>>({ max: chainsMax });
  /** Cached, because each chain remembers which of its models fail for its organization. */
  private readonly chains = new LRUCache<string, Promise<LanguageModel>>({ max: chainsMax });
  private readonly breakers = new WeakMap<LanguageModel, SharedBreakers>();

  constructor(
    private readonly config: LanguageModelConfig,
    private readonly secrets: Pick<ProviderSecrets, 'secretOf'>,
    private readonly options: ModelsOptions,
  ) {
    super();
  }

  async of({ RuntimeConfiguration: { LLMModelID, LLMFallbackModelIDs } }: AgentRuntime, orgId: number): Promise<LanguageModel> {
    // The default model uses the installation's key; for a model that an agent names, the organization's key comes first.
    if (LLMModelID === null && LLMFallbackModelIDs.length === 0)
      return this.chainOf([{ model: defaultModel(this.config) }], orgId);
    const first = LLMModelID === null ? defaultModel(this.config) : catalogued(LLMModelID);
    const models = [first, ...LLMFallbackModelIDs.map(catalogued)];
    const keyed = await Promise.all(
      models.map(async (model) => ({ model, secret: await this.secrets.secretOf(model.provider, orgId) })),
    );
    const isReady = ({ provider }: CataloguedModel): boolean => missingSettings(provider, this.config).length === 0;
    const usable = keyed.filter(({ model, secret }) => secret !== undefined || isReady(model));
    if (usable.length === 0) throw notConfigured(first, this.config);
    return this.chainOf(usable, orgId);
  }

  private chainOf(usable: readonly KeyedModel[], orgId: number): Promise<LanguageModel> {
    const names = usable.map(nameOf);
    return keptPromise(this.chains, JSON.stringify([orgId, names]), async () => {
      const [first, ...others] = await Promise.all(
        usable.map((keyed, place) => keptPromise(this.opened, names[place] ?? '', () => this.openOne(keyed))),
      );
      if (!first) throw new TypeError('a chain needs a model');
      return new ModelChain([first, ...others], this.options, (model) => this.breakersOf(model).of(orgId));
    });
  }

  private breakersOf(model: LanguageModel): SharedBreakers {
    const breakers = this.breakers.get(model) ?? new SharedBreakers();
    this.breakers.set(model, breakers);
    return breakers;
  }

  private async openOne({ model, secret }: KeyedModel): Promise<LanguageModel> {
    const opened = await openLanguageModel(model, this.config, secret && this.accessBy(secret));
    return secret?.baseURL ? countedByUs(opened) : opened;
  }

  /** A server that a customer chose is reached only by the guarded fetch, so that it cannot be one of our own network. */
  private accessBy({ key: apiKey, baseURL, model }: ProviderSecret): OwnAccess {
    if (baseURL === null) return { apiKey };
    return { apiKey, baseUrl: baseURL, fetch: this.options.fetch ?? fetchPublicServer, model: model ?? undefined };
  }
}

function nameOf({ model, secret }: KeyedModel): string {
  return JSON.stringify([model.entry.id, secret]);
}

/** What was made under this name, or is made now. A failure is not kept. */
function keptPromise<Value>(all: LRUCache<string, Promise<Value>>, name: string, make: () => Promise<Value>): Promise<Value> {
  const known = all.get(name);
  if (known) return known;
  const made = make();
  all.set(name, made);
  made.catch(() => all.delete(name));
  return made;
}

/** Counts tokens here instead of trusting a customer's own server, which could report any number. */
function countedByUs(model: LanguageModel): LanguageModel {
  const { name, capabilities } = model;
  async function* stream(...asked: Parameters<LanguageModel['stream']>): AsyncGenerator<ModelEvent> {
    for await (const event of model.stream(...asked)) yield event.type === 'finish' ? { ...event, usage: null } : event;
  }
  return { name, capabilities, stream };
}

function catalogued(id: number): CataloguedModel {
  const model = modelById(id);
  if (!model) throw new Fault('PROVIDER_NOT_CONFIGURED', { message: `This build has no language model ${id}.` });
  return model;
}

function notConfigured({ provider }: CataloguedModel, config: LanguageModelConfig): Fault {
  const missing = missingSettings(provider, config).join(', ');
  return new Fault('PROVIDER_NOT_CONFIGURED', { message: `The language model needs ${missing} or a key of your own.` });
}
