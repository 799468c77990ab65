import { spokenLanguages } from '@parley/ports';
import { languageModelProviders } from '@parley/providers/language-model-catalogue';
import { transcribeProviders, voiceProviders } from '@parley/providers/speech-catalogue';
import type { Provider, ProviderKind } from './provider-settings';

const latencies = { instant: 'INSTANT', live: 'FAST', slow: 'SLOW' } as const;
const qualities = { demo: 'DEMO', production: 'PRODUCTION' } as const;

/** The catalogue's own order is that of defaults, which is the installation's business; clients list the simplest first. */
const byId = (one: { readonly id: number }, other: { readonly id: number }): number => one.id - other.id;

/** Every provider of this build in one shape. The catalogues of the adapters are the source. */
export const catalogue: readonly Provider[] = [
  ...languageModelProviders.toSorted(byId).map(({ id, name, isLocal, settings, latency, grade, models }): Provider => ({
    id,
    name,
    isLocal,
    settings,
    kind: 'LLM',
    latency: latencies[latency],
    quality: qualities[grade],
    isStreaming: true,
    languages: spokenLanguages,
    models: models.map(({ id, model }) => ({ id, name: model, languages: spokenLanguages })),
  })),
  ...voiceProviders.map(({ latency, grade, voices, ...entry }): Provider => ({
    ...entry,
    kind: 'VOICE',
    latency: latencies[latency],
    quality: qualities[grade],
    // Every engine yields the first sentence while the next is made; what cannot is no part of this build.
    isStreaming: true,
    models: voices.map(({ id, voice, languages }) => ({ id, name: voice, languages })),
  })),
  ...transcribeProviders.map(({ isLive, grade, models, ...entry }): Provider => ({
    // An engine that hears while one speaks is done when the speaker is.
    ...entry,
    kind: 'TRANSCRIBE',
    latency: isLive ? 'INSTANT' : 'FAST',
    quality: qualities[grade],
    isStreaming: isLive,
    models: models.map(({ id, model, languages }) => ({ id, name: model, languages })),
  })),
];

export function providersOf(kind: ProviderKind): readonly Provider[] {
  return catalogue.filter((provider) => provider.kind === kind);
}

export function findProvider(kind: ProviderKind, id: number): Provider | undefined {
  return catalogue.find((provider) => provider.kind === kind && provider.id === id);
}

/** The provider that a model or voice belongs to. */
export function providerOfModel(kind: ProviderKind, modelId: number): Provider | undefined {
  return providersOf(kind).find(({ models }) => models.some(({ id }) => id === modelId));
}
