import type { FastifyReply, FastifyRequest } from 'fastify';

/** Headers of every response. Answers belong to one caller, so nothing on the way may keep or reinterpret them. */
export function stamp(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  reply.header('x-content-type-options', 'nosniff');
  reply.header('cache-control', 'no-store');
}
