import { ProviderFailure } from '@parley/ports';
import {
  AddressRefused,
  type AddressPolicy,
  type FetchPublicServer,
  fetchPublicServer,
  publicAddresses,
} from '@parley/service-kit';
import type { z } from 'zod';
import type { OwnKey } from './vendor';

/** With which key a provider is used, and where it is. */
export interface ProviderAccess {
  readonly apiKey: string;
  /** Absent: the provider's own address. */
  readonly baseUrl?: string | undefined;
  /** The guarded way to an address that a customer chose; without it any address is asked. */
  readonly guard?: { readonly fetch: FetchPublicServer; readonly policy: AddressPolicy } | undefined;
}

/**
 * How a provider is reached. With an organization's own key nothing of the installation's is used, and an address that its owner
 * chose is reached over the public Internet only.
 */
export function accessOf(own: OwnKey | undefined, apiKey = ''): ProviderAccess {
  if (!own) return { apiKey };
  if (own.baseURL === null) return { apiKey: own.key };
  return {
    apiKey: own.key,
    baseUrl: own.baseURL.replace(/\/+$/, ''),
    guard: { fetch: fetchPublicServer, policy: publicAddresses },
  };
}

interface ProviderCall {
  readonly provider: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array<ArrayBuffer> | FormData;
  readonly guard?: ProviderAccess['guard'];
  readonly signal?: AbortSignal;
}

const complaintCharactersMax = 500;
const answerBytesMax = 16 * 1024 * 1024;
const complaintBytesMax = 64 * 1024;
const retryableStatuses = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529]);

/** Posts to a provider. Any failure status is a ProviderFailure that says whether to retry, and when. */
export async function callProvider({ provider, url, headers, body, guard, signal }: ProviderCall): Promise<Response> {
  let response: Response;
  const sent = await encoded(headers, body);
  signal?.throwIfAborted();
  try {
    response = await (guard?.fetch ?? fetch)(url, { method: 'POST', ...sent, signal, redirect: 'error' });
  } catch (cause) {
    signal?.throwIfAborted();
    throw notReached(provider, cause);
  }
  if (response.ok) return response;
  const complaint = (await textWithin(complaintBytesMax, response).catch(() => '')).slice(0, complaintCharactersMax);
  throw new ProviderFailure(provider, `answered ${response.status}: ${complaint}`, {
    retryable: retryableStatuses.has(response.status),
    retryAfterMs: retryAfterOf(response.headers.get('retry-after')),
  });
}

/**
 * A form as bytes. Node fills the body of a form also when the request is aborted already, and that failure is nobody's: it ended the
 * process, and every call in it.
 */
async function encoded(
  headers: ProviderCall['headers'],
  body: ProviderCall['body'],
): Promise<Pick<ProviderCall, 'headers' | 'body'>> {
  if (!(body instanceof FormData)) return { headers, body };
  const form = new Response(body);
  return {
    headers: { ...headers, 'content-type': form.headers.get('content-type') ?? '' },
    body: new Uint8Array(await form.arrayBuffer()),
  };
}

/** A refused address stays refused; any other network failure may pass. */
export function notReached(provider: string, cause: unknown): ProviderFailure {
  const isRefused = cause instanceof AddressRefused;
  const message = isRefused ? 'is at an address that may not be asked: it must be https and public' : 'could not be reached';
  return new ProviderFailure(provider, message, { retryable: !isRefused, cause });
}

/** Seconds, or a date. */
function retryAfterOf(header: string | null): number | undefined {
  if (!header) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

/** The beginning of an answer as text. The rest is not read, and its connection closed: the server may be a customer's, and go on. */
export async function textWithin(bytesMax: number, response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  const body: AsyncIterable<Uint8Array> | readonly Uint8Array[] = response.body ?? [];
  for await (const part of body) {
    parts.push(part);
    bytes += part.length;
    if (bytes > bytesMax) break;
  }
  return Buffer.concat(parts).toString('utf8', 0, Math.min(bytes, bytesMax));
}

/** A provider's JSON in the shape that its documentation promises. */
export async function readJson<Shape extends z.ZodType>(
  response: Response,
  shape: Shape,
  provider: string,
): Promise<z.output<Shape>> {
  const text = await textWithin(answerBytesMax + 1, response).catch((cause: unknown) => {
    throw new ProviderFailure(provider, 'broke off its answer', { retryable: true, cause });
  });
  if (Buffer.byteLength(text) > answerBytesMax)
    throw new ProviderFailure(provider, 'answered with too much', { retryable: false });
  const parsed = shape.safeParse(jsonOf(text, provider));
  if (parsed.success) return parsed.data;
  throw new ProviderFailure(provider, 'answered in a shape that its documentation does not know', {
    retryable: false,
    cause: parsed.error,
  });
}

/** An answer that should be JSON. */
export function jsonOf(text: string, provider: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ProviderFailure(provider, 'answered with something that is not JSON', { retryable: true, cause });
  }
}
