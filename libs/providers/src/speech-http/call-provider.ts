import { ProviderFailure } from '@parley/ports';
import { AddressRefused, type Door, type FetchPublicServer } from '@parley/service-kit';
import type { z } from 'zod';

/** With which key a provider is used, and where it is. */
export interface ProviderAccess {
  readonly apiKey: string;
  /** Absent: the provider's own address. */
  readonly baseUrl?: string | undefined;
  /** The guarded way to an address that a customer chose; without it any address is asked. */
  readonly guard?: { readonly fetch: FetchPublicServer; readonly door: Door } | undefined;
}

export interface ProviderCall {
  readonly provider: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array<ArrayBuffer> | FormData;
  readonly guard?: ProviderAccess['guard'];
  readonly signal?: AbortSignal;
}

const complaintCharactersMax = 500;
const answerBytesMax = 64 * 1024 * 1024;
const retryableStatuses = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529]);

/** Posts to a provider. Whatever is not a success is a ProviderFailure that says whether to try again, and when. */
export async function callProvider({ provider, url, headers, body, guard, signal }: ProviderCall): Promise<Response> {
  let response: Response;
  try {
    response = await (guard?.fetch ?? fetch)(url, { method: 'POST', headers, body, signal, redirect: 'error' });
  } catch (cause) {
    signal?.throwIfAborted();
    throw notReached(provider, cause);
  }
  if (response.ok) return response;
  const complaint = (await response.text().catch(() => '')).slice(0, complaintCharactersMax);
  throw new ProviderFailure(provider, `answered ${response.status}: ${complaint}`, {
    retryable: retryableStatuses.has(response.status),
    retryAfterMs: retryAfterOf(response.headers.get('retry-after')),
  });
}

/** An address that may not be asked stays so; everything else may be different in a moment. */
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

/** A provider's JSON in the shape that its documentation promises. */
export async function readJson<Shape extends z.ZodType>(
  response: Response,
  shape: Shape,
  provider: string,
): Promise<z.output<Shape>> {
  const length = Number(response.headers.get('content-length') ?? 0);
  if (length > answerBytesMax) throw new ProviderFailure(provider, 'answered with too much', { retryable: false });
  const json: unknown = await response.json().catch((cause: unknown) => {
    throw new ProviderFailure(provider, 'answered with something that is not JSON', { retryable: true, cause });
  });
  const parsed = shape.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new ProviderFailure(provider, 'answered in a shape that its documentation does not know', {
    retryable: false,
    cause: parsed.error,
  });
}
