import { Fault } from '@parley/contracts';
import type { FastifyBodyParser, FastifyInstance } from 'fastify';

/** Far deeper than any contract; whoever writes or compares a value level by level would run out of stack at some thousands. */
const depthMax = 200;
const tooDeep = `The JSON is nested more than ${depthMax} levels deep.`;

/**
 * Reads a JSON body. An empty one counts as `{}`, because several endpoints take no fields at all.
 * `__proto__`, `constructor.prototype` and values nested without end are refused: no honest client sends them.
 */
export function jsonBody(fastify: FastifyInstance): FastifyBodyParser<Buffer> {
  const parse = fastify.getDefaultJsonParser('error', 'error');
  return (request, body, done) => {
    if (body.length === 0) return done(null, {});
    return parse(request, body.toString('utf8'), (error, parsed: unknown) => {
      if (error) return done(new Fault('MALFORMED_JSON', { cause: error }));
      // Each level takes a bracket at both ends: short bodies need no look.
      if (body.length > 2 * depthMax && isDeeper(parsed, depthMax)) return done(new Fault('MALFORMED_JSON', { message: tooDeep }));
      done(null, parsed);
    });
  };
}

function isDeeper(value: unknown, levels: number): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return false;
}

/** Refuses a content type that Nest would read if we did not say otherwise. */
export const refusedBody: FastifyBodyParser<Buffer> = (_request, _body, done) => done(new Fault('UNSUPPORTED_MEDIA_TYPE'));
