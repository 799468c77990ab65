import { randomUUID } from 'node:crypto';
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

/** The key and the address of a provider. */
export interface ProviderAccess {
  readonly apiKey: string;
  /** Absent: the provider's own address. */
  readonly baseUrl?: string | undefined;
  /** Restricts access if a customer chose the address. Absent: any address is allowed. */
  readonly guard?: { readonly fetch: FetchPublicServer; readonly policy: AddressPolicy } | undefined;
}

/**
 * The access to a provider. With an organization's own key, nothing of the installation's is used, and an address chosen by its owner
 * must be on the public Internet.
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

/** A form with a recording, and its other fields. */
interface RecordingForm {
  readonly wav: Uint8Array;
  readonly fields: readonly (readonly [name: string, value: string])[];
}

interface ProviderCall {
  readonly provider: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array<ArrayBuffer> | RecordingForm;
  readonly guard?: ProviderAccess['guard'];
  readonly signal?: AbortSignal;
}

const complaintCharactersMax = 500;
const answerBytesMax = 16 * 1024 * 1024;
const complaintBytesMax = 64 * 1024;
const retryableStatuses = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529]);

/** Sends a POST to a provider. A failure status becomes a ProviderFailure, which tells whether and when to retry. */
export async function callProvider({ provider, url, headers, body, guard, signal }: ProviderCall): Promise<Response> {
  let response: Response;
  const sent = encoded(headers, body);
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
    ...kindOfStatus(response.status),
  });
}

/**
 * Encodes a form as bytes, with one copy of its recording. A FormData would be copied four times, and if fetch is given one and is
 * already aborted, Node's failure to read it is an unhandled rejection, which would end the process.
 */
function encoded(headers: ProviderCall['headers'], body: ProviderCall['body']) {
  if (typeof body === 'string' || body instanceof Uint8Array) return { headers, body };
  const boundary = `parley-${randomUUID()}`;
  const part = (about: string): string => `--${boundary}\r\ncontent-disposition: form-data; ${about}\r\n`;
  const first = `${part('name="file"; filename="speech.wav"')}content-type: audio/wav\r\n\r\n`;
  const others = body.fields.map(([name, value]) => `\r\n${part(`name="${name}"`)}\r\n${value}`).join('');
  return {
    headers: { ...headers, 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([Buffer.from(first), body.wav, Buffer.from(`${others}\r\n--${boundary}--\r\n`)]),
  };
}

/** The failure of a request without a response. A refused address is permanent; other network failures may pass. */
export function notReached(provider: string, cause: unknown): ProviderFailure {
  const isRefused = cause instanceof AddressRefused;
  const message = isRefused ? 'is at an address that may not be asked: it must be https and public' : 'could not be reached';
  return new ProviderFailure(provider, message, { retryable: !isRefused, cause });
}

/** A limit of the account is told by its status alone: not every server says how long to wait. */
export function kindOfStatus(status: number): { kind: 'BUSY' } | undefined {
  return status === 429 ? { kind: 'BUSY' } : undefined;
}

/** Parses a Retry-After header, which has seconds or a date. */
function retryAfterOf(header: string | null): number | undefined {
  if (!header) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

/** The beginning of a response as text. After that the connection is closed, since a customer's server might send without end. */
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

/** A provider's JSON response, checked against its documented shape. */
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

/** Parses a response that should be JSON. */
export function jsonOf(text: string, provider: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ProviderFailure(provider, 'answered with something that is not JSON', { retryable: true, cause });
  }
}
