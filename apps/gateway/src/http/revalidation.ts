import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Rows that change seldom and are asked often carry an ETag: a client that has them gets an empty 304. Other routes pay nothing. */
export function revalidateLookups(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route) => {
    const revalidates = route.config && 'revalidates' in route.config && route.config.revalidates === true;
    if (revalidates) route.onSend = revalidate;
  });
}

type Done = (error: null, payload?: unknown) => void;

function revalidate(request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done): void {
  if (typeof payload !== 'string' || reply.statusCode !== 200) return done(null, payload);
  const tag = `"${hash('sha256', payload, 'base64url').slice(0, 27)}"`;
  // Kept by the caller alone, and asked for again each time: a label may change with the next release.
  reply.header('etag', tag).header('cache-control', 'private, no-cache');
  if (!isKnown(request.headers['if-none-match'], tag)) return done(null, payload);
  reply.code(304).removeHeader('content-length').removeHeader('content-type');
  done(null, '');
}

/** Proxies that compress make a tag weak; for a comparison that only saves bytes it still counts. */
function isKnown(header: string | undefined, tag: string): boolean {
  return header?.split(',').some((known) => known.trim().replace(/^W\//, '') === tag) ?? false;
}
