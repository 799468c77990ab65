import { Fault } from '@parley/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { KnownPaths } from './known-paths';

/** Answers what no handler will answer, before its body is read: unknown routes, wrong methods, OPTIONS. */
export function turnAwayStrays(fastify: FastifyInstance): void {
  const paths = new KnownPaths();
  fastify.addHook('onRoute', ({ method, url }) => {
    for (const name of [method].flat()) paths.add(name, url);
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    answerStray(paths, request, reply, done);
  });
}

function answerStray(paths: KnownPaths, request: FastifyRequest, reply: FastifyReply, done: (fault: Fault) => void): void {
  const methods = paths.methodsOf(request.url);
  if (!methods) return done(new Fault('ROUTE_NOT_FOUND'));
  reply.header('allow', methods.join(', '));
  if (request.method !== 'OPTIONS') return done(new Fault('METHOD_NOT_ALLOWED'));
  reply.status(204).send();
}
