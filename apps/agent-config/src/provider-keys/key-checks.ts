import type { ProviderKind } from '../providers/provider-settings';

/** A question to a provider that costs nothing or nearly so and that only a working key gets an answer to. */
export interface KeyCheck {
  readonly baseUrl: string | null;
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly headers: (key: string) => Readonly<Record<string, string>>;
  readonly body?: string;
  /** The catalogue does not know which model a server of the organization's own has, so the organization says it. */
  readonly isModelRequired?: boolean;
}

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
  LLM: {
    openai: openAi,
    'openai-compatible': { ...openAi, baseUrl: null, isModelRequired: true },
    anthropic: {
      baseUrl: 'https://api.anthropic.com',
      path: '/v1/models',
      method: 'GET',
      headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
    },
    google: {
      baseUrl: 'https://generativelanguage.googleapis.com',
      path: '/v1beta/models?pageSize=1',
      method: 'GET',
      headers: (key) => ({ 'x-goog-api-key': key }),
    },
  },
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
