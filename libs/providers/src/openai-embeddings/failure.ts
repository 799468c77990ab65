import { ProviderFailure } from '@parley/ports';
import { z } from 'zod';

const Answered = z.object({ status: z.number(), headers: z.instanceof(Headers).optional() });
const retryableStatuses = new Set([408, 409, 429]);

/** The wait that a server asked for, in whichever of its three spellings. */
export function retryAfterMsOf(headers: Headers | undefined, nowMs: number): number | undefined {
  const milliseconds = Number(headers?.get('retry-after-ms') ?? Number.NaN);
  if (milliseconds >= 0) return milliseconds;
  const wait = headers?.get('retry-after');
  if (!wait) return undefined;
  if (/^\d+(\.\d+)?$/.test(wait)) return Number(wait) * 1000;
  const atMs = Date.parse(wait);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

/** What an error of the client means to us: an answer with a status, or no answer at all. */
export function toProviderFailure(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  const answered = Answered.safeParse(error);
  if (!answered.success) return new ProviderFailure('openai embeddings', 'no answer', { retryable: true, cause: error });
  const { status, headers } = answered.data;
  const retryAfterMs = retryAfterMsOf(headers, Date.now());
  return new ProviderFailure('openai embeddings', `status ${status}`, {
    retryable: status >= 500 || retryableStatuses.has(status),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    cause: error,
  });
}
