import { ProviderFailure, type Hit, type Passage } from '@parley/ports';
import { z } from 'zod';

const Payload = z.object({
  source: z.string(),
  version: z.number(),
  ordinal: z.number(),
  kind: z.enum(['document', 'faq', 'profile', 'catalogue']),
  text: z.string(),
  citation: z.record(z.string(), z.union([z.string(), z.number()])),
});
const Answered = z.object({ status: z.number() });
const Exhausted = z.object({ retry_after: z.number() });

/** What a point carries beside its vectors. */
export function payloadOf(passage: Passage): z.output<typeof Payload> & { published: boolean } {
  const { sourceId, version, ordinal, kind, text, citation } = passage;
  return { source: sourceId, version, ordinal, kind, text, citation, published: false };
}

export function passageFrom(payload: unknown): Passage {
  const { source, ...rest } = Payload.parse(payload);
  return { sourceId: source, ...rest };
}

/** While a version replaces another both may be visible for an instant: only the newer one counts. */
export function newestVersions(hits: Hit[]): Hit[] {
  const newest = new Map<string, number>();
  for (const { passage } of hits) newest.set(passage.sourceId, Math.max(passage.version, newest.get(passage.sourceId) ?? 0));
  return hits.filter(({ passage }) => passage.version === newest.get(passage.sourceId));
}

/** The status of a refusal by the server; undefined when there was no answer. */
export function statusOf(error: unknown): number | undefined {
  return Answered.safeParse(error).data?.status;
}

export function toProviderFailure(error: unknown): ProviderFailure {
  const exhausted = Exhausted.safeParse(error).data;
  if (exhausted)
    return new ProviderFailure('qdrant', 'overloaded', {
      retryable: true,
      retryAfterMs: exhausted.retry_after * 1000,
      cause: error,
    });
  const status = statusOf(error);
  const retryable = status === undefined || status >= 500 || status === 408;
  return new ProviderFailure('qdrant', status === undefined ? 'no answer' : `status ${status}`, { retryable, cause: error });
}
