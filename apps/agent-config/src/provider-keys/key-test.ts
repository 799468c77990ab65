import { AddressRefused, type AskPublicServer } from '@parley/service-kit';
import type { KeyCheck } from './key-checks';

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
