import { type AgentRuntime, Fault } from '@parley/contracts';
import { type LanguageModel, ModelChain } from '@parley/ports';
import {
  type CataloguedModel, defaultModel, type LanguageModelConfig, missingSettings, modelById, openLanguageModel,
} from '@parley/providers/language-model-catalogue';
import { Models } from './models';
import type { ProviderSecrets } from './provider-secrets';

export interface ModelPatience {
  readonly firstEventMs: number;
}

interface KeyedModel {
  readonly model: CataloguedModel;
  readonly key?: string | undefined;
}

const chainsMax = 500;

/** The models that an agent names, in its order, or else the installation's. */
export class ConfiguredModels extends Models {
  /** Kept, because each chain remembers which of its models fail. */
  private readonly chains = new Map<string, Promise<LanguageModel>>();

  constructor(
    private readonly config: LanguageModelConfig,
    private readonly secrets: Pick<ProviderSecrets, 'keyOf'>,
    private readonly patience: ModelPatience,
  ) {
    super();
  }

  async of({ RuntimeConfiguration: { LLMModelID, LLMFallbackModelIDs } }: AgentRuntime, orgId: number): Promise<LanguageModel> {
    // The installation's default runs on the installation's key; for a model that an agent names, its own key comes first.
    if (LLMModelID === null && LLMFallbackModelIDs.length === 0) return this.chainOf([{ model: defaultModel(this.config) }]);
    const first = LLMModelID === null ? defaultModel(this.config) : catalogued(LLMModelID);
    const models = [first, ...LLMFallbackModelIDs.map(catalogued)];
    const keyOf = async (model: CataloguedModel): Promise<KeyedModel> => {
      return { model, key: await this.secrets.keyOf(model.provider, orgId) };
    };
    const keyed = await Promise.all(models.map(keyOf));
    const isReady = ({ provider }: CataloguedModel): boolean => missingSettings(provider, this.config).length === 0;
    const usable = keyed.filter(({ model, key }) => key !== undefined || isReady(model));
    if (usable.length === 0) throw notConfigured(first, this.config);
    return this.chainOf(usable);
  }

  private chainOf(usable: readonly KeyedModel[]): Promise<LanguageModel> {
    const name = JSON.stringify(usable.map(({ model, key }) => [model.entry.id, key]));
    const known = this.chains.get(name);
    if (known) return known;
    if (this.chains.size >= chainsMax) this.chains.clear();
    const chain = this.open(usable);
    this.chains.set(name, chain);
    chain.catch(() => this.chains.delete(name));
    return chain;
  }

  private async open(usable: readonly KeyedModel[]): Promise<LanguageModel> {
    const [first, ...others] = await Promise.all(usable.map(({ model, key }) => openLanguageModel(model, this.config, key)));
    if (!first) throw new TypeError('a chain needs a model');
    return new ModelChain([first, ...others], this.patience);
  }
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
