import { Fault } from '@parley/contracts';
import type { FastifyBodyParser, FastifyInstance } from 'fastify';

/**
 * Reads a JSON body. An empty one counts as `{}`, because several endpoints take no fields at all.
 * `__proto__` and `constructor.prototype` are refused: no honest client sends them.
 */
export function jsonBody(fastify: FastifyInstance): FastifyBodyParser<Buffer> {
  const parse = fastify.getDefaultJsonParser('error', 'error');
  return (request, body, done) => {
    if (body.length === 0) return done(null, {});
    return parse(request, body.toString('utf8'), (error, parsed: unknown) => {
      done(error && new Fault('MALFORMED_JSON', { cause: error }), parsed);
    });
  };
}

/** Refuses a content type that Nest would read if we did not say otherwise. */
export const refusedBody: FastifyBodyParser<Buffer> = (_request, _body, done) => done(new Fault('UNSUPPORTED_MEDIA_TYPE'));
