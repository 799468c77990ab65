import { AddressRefused, type AskPublicServer } from '@parley/service-kit';
import { type KeyCheck, languageModelProviders } from '@parley/providers/language-model-catalogue';
import type { ProviderKind } from './provider-settings';

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const openAi: KeyCheck = { baseUrl: 'https://api.openai.com/v1', path: '/models', method: 'GET', headers: bearer };
const sarvam: KeyCheck = {
  baseUrl: 'https://api.sarvam.ai',
  path: '/text-lid',
  method: 'POST',
  body: JSON.stringify({ input: 'hello' }),
  headers: (key) => ({ 'api-subscription-key': key, 'content-type': 'application/json' }),
};
const deepgram: KeyCheck = {
  baseUrl: 'https://api.deepgram.com',
  path: '/v1/projects',
  method: 'GET',
  headers: (key) => ({ authorization: `Token ${key}` }),
};
/** Issuing a token is free. The host names the region of the resource, so there is no default. */
const azure: KeyCheck = {
  baseUrl: null,
  path: '/sts/v1.0/issueToken',
  method: 'POST',
  body: '',
  headers: (key) => ({ 'ocp-apim-subscription-key': key }),
};

const checks: Readonly<Record<ProviderKind, Readonly<Record<string, KeyCheck>>>> = {
  LLM: Object.fromEntries(languageModelProviders.flatMap(({ name, keyCheck }) => (keyCheck ? [[name, keyCheck]] : []))),
  VOICE: {
    openai: openAi,
    deepgram,
    elevenlabs: {
      baseUrl: 'https://api.elevenlabs.io',
      path: '/v1/models',
      method: 'GET',
      headers: (key) => ({ 'xi-api-key': key }),
    },
    sarvam,
    azure,
  },
  TRANSCRIBE: { openai: openAi, deepgram, sarvam, azure },
};

/** How the key of a provider is tried; undefined for one that takes no key. */
export function keyCheckOf(kind: ProviderKind, name: string): KeyCheck | undefined {
  return checks[kind][name];
}

/** Under this, the way to servers of the open Internet is injected. */
export const PublicServers = Symbol('public servers');

const timeoutMs = 15_000;
const bytesMax = 4096;

export interface KeyTestResult {
  readonly isWorking: boolean;
  readonly reason: string | null;
  readonly latencyMs: number;
}

interface Attempt {
  readonly check: KeyCheck;
  readonly baseUrl: string;
  readonly key: string;
  readonly signal: AbortSignal;
}

/** Asks the provider. What it says beyond its status is not passed on: it may repeat the key. */
export async function tryKey(ask: AskPublicServer, { check, baseUrl, key, signal }: Attempt): Promise<KeyTestResult> {
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
