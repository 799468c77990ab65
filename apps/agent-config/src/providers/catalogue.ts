import { spokenLanguages } from '@parley/ports';
import { type KeyCheck, languageModelProviders } from '@parley/providers/language-model-catalogue';
import { stableKey, transcribeProviders, voiceProviders } from '@parley/providers/speech-catalogue';
import { AddressRefused, type AskPublicServer } from '@parley/service-kit';
import type { Provider, ProviderKind } from './provider-settings';

const latencies = { instant: 'INSTANT', live: 'FAST', slow: 'SLOW' } as const;
const qualities = { demo: 'DEMO', production: 'PRODUCTION' } as const;

/** The catalogue's own order determines an installation's defaults; clients list the simplest first. */
const byId = (one: { readonly id: number }, other: { readonly id: number }): number => one.id - other.id;

/** Every provider of this build in one shape, taken from the adapters' catalogues. */
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
  ...voiceProviders.map(({ id, name, isLocal, settings, languages, latency, grade, voices }): Provider => ({
    id,
    name,
    isLocal,
    settings,
    languages,
    kind: 'VOICE',
    latency: latencies[latency],
    quality: qualities[grade],
    // Every engine in this build yields the first sentence while producing the next.
    isStreaming: true,
    models: voices.map(({ id, voice, languages }) => ({ id, name: voice, languages })),
  })),
  ...transcribeProviders.map(({ id, name, isLocal, settings, languages, isLive, grade, models }): Provider => ({
    id,
    name,
    isLocal,
    settings,
    languages,
    // A live engine finishes when the speaker does.
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

const checksOf = (providers: readonly { readonly name: string; readonly keyCheck?: KeyCheck }[]) =>
  Object.fromEntries(providers.flatMap(({ name, keyCheck }) => (keyCheck ? [[name, keyCheck]] : [])));

const checks: Readonly<Record<ProviderKind, Readonly<Record<string, KeyCheck>>>> = {
  LLM: checksOf(languageModelProviders),
  VOICE: checksOf(voiceProviders),
  TRANSCRIBE: checksOf(transcribeProviders),
};

/** How to test a provider's key; undefined if it has none. */
export function keyCheckOf(kind: ProviderKind, name: string): KeyCheck | undefined {
  return checks[kind][name];
}

/** The public id of a provider, the same in every installation. */
export function providerKeyOf(kind: ProviderKind, id: number): string {
  return stableKey(`provider/${kind}/${id}`);
}

/** The injection token for requests to servers on the public Internet. */
export const PublicServers = Symbol('public servers');

const timeoutMs = 15_000;
const bytesMax = 4096;

export interface KeyTestResult {
  readonly isWorking: boolean;
  readonly reason: string | null;
  readonly latencyMs: number;
}

interface KeyCheckAttempt {
  readonly check: KeyCheck;
  readonly baseUrl: string;
  readonly key: string;
  readonly signal: AbortSignal;
}

/** Asks the provider. Only the status of its answer is used, since the text may repeat the key. */
export async function tryKey(ask: AskPublicServer, { check, baseUrl, key, signal }: KeyCheckAttempt): Promise<KeyTestResult> {
  const startedAtMs = performance.now();
  const url = baseUrl.replace(/\/+$/, '') + check.path;
  const { method, body } = check;
  const request = { url, method, headers: check.headers(key), timeoutMs, bytesMax, signal, ...(body !== undefined && { body }) };
  const reason = await ask(request).then(({ status }) => reasonOf(status), failureOf);
  return { isWorking: reason === null, reason, latencyMs: Math.round(performance.now() - startedAtMs) };
}

function reasonOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status === 401 || status === 403) return `The provider answered ${status}: it does not accept this key.`;
  if (status === 429) return 'The provider answered 429: it accepts no more requests for now.';
  return `The provider answered ${status}.`;
}

function failureOf(error: unknown): string {
  if (error instanceof AddressRefused) return 'This address may not be asked: it must be https and public.';
  return 'The provider could not be reached.';
}
