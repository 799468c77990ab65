import { ProviderFailure } from '@parley/ports';
import { z } from 'zod';

const Answered = z.object({ status: z.number().optional(), statusCode: z.number().optional(), headers: z.unknown().optional() });
const PlainHeaders = z.object({ 'retry-after': z.string().optional() });
const retryableStatuses = new Set([408, 409, 425, 429, 529]);

/** What an error of a provider's client means to us: an answer with a status, or no proper answer at all. */
export function toProviderFailure(model: string, error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  const { data } = Answered.safeParse(error);
  const status = data?.status ?? data?.statusCode;
  if (!data || status === undefined)
    return new ProviderFailure(model, 'it gave no proper answer', { retryable: true, cause: error });
  const retryable = status >= 500 || retryableStatuses.has(status);
  const retryAfterMs = waitOf(data.headers);
  return new ProviderFailure(model, `status ${status}`, {
    retryable,
    cause: error,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

/** The wait that a server asked for, in seconds or as a date. */
function waitOf(headers: unknown): number | undefined {
  const wait = headers instanceof Headers ? headers.get('retry-after') : PlainHeaders.safeParse(headers).data?.['retry-after'];
  if (!wait) return undefined;
  if (/^\d+(\.\d+)?$/.test(wait)) return Number(wait) * 1000;
  const atMs = Date.parse(wait);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - Date.now());
}
