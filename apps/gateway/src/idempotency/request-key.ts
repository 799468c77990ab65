import { Fault } from '@parley/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Attempt } from './attempts';
import { BodyTap } from './body-tap';

declare module 'fastify' {
  interface FastifyRequest {
    /** The charge of this request's Idempotency-Key, once the key is claimed. Such a request runs on when its client goes away. */
    chargeId: string | undefined;
    /** Hashes a form while it is read; only on requests with an Idempotency-Key. */
    bodyTap: BodyTap | undefined;
    /** The answering of a request whose Idempotency-Key is claimed. */
    attempt: Attempt | undefined;
  }
}

const header = 'idempotency-key';
const lengthMax = 255;
const printable = /^[\x21-\x7e]+$/;

/** The key of a POST, if it has one. Refuses one that cannot be a key. */
export function idempotencyKeyOf({ method, headers }: FastifyRequest): string | undefined {
  const key = headers[header];
  if (method !== 'POST' || key === undefined) return undefined;
  if (typeof key === 'string' && key.length <= lengthMax && printable.test(key)) return key;
  const message = `Idempotency-Key must have 1 to ${lengthMax} visible ASCII characters`;
  throw new Fault('VALIDATION_FAILED', { message, details: [{ field: 'Idempotency-Key', message }] });
}

/** What counts as part of the body: the address with its parameters. */
export function scopeOf({ method, url }: FastifyRequest): string {
  return `${method} ${url}\n`;
}

/** Makes room on requests for what an Idempotency-Key brings along, and watches over those that carry one. */
export function attendRequestKeys(fastify: FastifyInstance): void {
  fastify.decorateRequest('chargeId', undefined);
  fastify.decorateRequest('bodyTap', undefined);
  fastify.decorateRequest('attempt', undefined);
  tapForms(fastify);
  noteHandlerEnds(fastify);
}

/** Lets forms with an Idempotency-Key be hashed while their handler reads them. */
function tapForms(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const isForm = request.headers['content-type']?.toLowerCase().startsWith('multipart/form-data');
    if (isForm && request.headers[header] !== undefined) request.bodyTap = new BodyTap(request.raw, scopeOf(request));
    done();
  });
}

/** Tells an attempt when its handler is through, whoever serves the route. */
function noteHandlerEnds(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route) => {
    if (![route.method].flat().includes('POST')) return;
    const { handler } = route;
    route.handler = function noted(request, reply) {
      const handled: unknown = handler.call(this, request, reply);
      if (request.headers[header] === undefined) return handled;
      const ended = (): void => request.attempt?.handlerEnded();
      void Promise.resolve(handled).then(ended, ended);
      return handled;
    };
  });
}
