import type { LanguageModel } from '@parley/ports';
import { z } from 'zod';
import { anthropic } from '../anthropic-model';
import type { MeaningReader } from '../builtin-model';
import { openAiCompatible } from '../chat-completions';
import { google } from '../google-model';
import { llamaCpp } from '../llama-cpp';
import { openAi } from '../openai-model';
import { defineLanguageModelVendor, type LanguageModelProvider, modelVariables, type OwnAccess, variablesOf } from '../vendor';

export type { KeyCheck, LanguageModelProvider, OwnAccess } from '../vendor';

/** A model without settings, for trying out the platform. It uses the multilingual sentence model if that is installed. */
const builtin = defineLanguageModelVendor({
  id: 1,
  name: 'builtin',
  isLocal: true,
  grade: 'demo',
  latency: 'instant',
  models: [{ id: 1, model: 'extractive', contextTokens: 8192 }],
  variables: modelVariables,
  settings: [],
  open: async ({ config }) => new (await import('../builtin-model')).BuiltinModel(await readerIn(config.PARLEY_MODELS ?? '')),
});

/** One reader for all agents of a process, so that a knowledge base is read only once. */
let reader: Promise<MeaningReader | undefined> | undefined;

function readerIn(modelsFolder: string): Promise<MeaningReader | undefined> {
  return (reader ??= openReader(modelsFolder));
}

async function openReader(modelsFolder: string): Promise<MeaningReader | undefined> {
  const [{ LocalEmbeddings }, { MeaningReader }] = await Promise.all([import('../local-embeddings'), import('../builtin-model')]);
  const embeddings = LocalEmbeddings.ofAllLanguages(modelsFolder);
  return embeddings && new MeaningReader(embeddings);
}

/** The vendors of this build. The first one that is configured is the default; the last needs no configuration. */
export const languageModelProviders = [openAiCompatible, openAi, anthropic, google, llamaCpp, builtin] as const;

/** The variables of language models, shared by all services that list or use them, so that they see the same ones. */
export const LanguageModelVariables = z.object(variablesOf(languageModelProviders));

export type LanguageModelConfig = z.output<typeof LanguageModelVariables>;

/** A model together with its provider. */
export interface CataloguedModel {
  readonly provider: (typeof languageModelProviders)[number];
  readonly entry: LanguageModelProvider['models'][number];
}

/** The variables that a provider still needs on this installation. */
export function missingSettings({ settings }: LanguageModelProvider, config: LanguageModelConfig): string[] {
  const set = new Map(Object.entries(config));
  return settings.filter((name) => set.get(name) === undefined);
}

/** The model with an id, if this build has it. */
export function modelById(id: number): CataloguedModel | undefined {
  for (const provider of languageModelProviders) {
    const entry = provider.models.find((model) => model.id === id);
    if (entry) return { provider, entry };
  }
  return undefined;
}

/** The model of agents that name none. */
export function defaultModel(config: LanguageModelConfig): CataloguedModel {
  const provider = languageModelProviders.find((one) => missingSettings(one, config).length === 0);
  if (!provider) throw new TypeError('the builtin model needs no settings');
  return { provider, entry: provider.models[0] };
}

/** Opens a model of the catalogue. */
export function openLanguageModel(
  { provider, entry }: CataloguedModel,
  config: LanguageModelConfig,
  own?: OwnAccess,
): Promise<LanguageModel> {
  return provider.open({ model: entry.model, contextTokens: entry.contextTokens, config, own });
}
