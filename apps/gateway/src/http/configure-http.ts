import cors from '@fastify/cors';
import multipart from '@fastify/multipart';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { GatewayConfig } from '../config';
import { attendRequestKeys } from '../idempotency/request-key';
import { jsonBody, refusedBody } from './json-body';
import { stamp } from './response-headers';
import { revalidateLookups } from './revalidation';
import { turnAwayStrays } from './strays';

/** Makes a Nest application our public door. The order counts: an answer to a stray still carries id and CORS headers. */
export async function configureHttp(app: NestFastifyApplication, config: GatewayConfig): Promise<void> {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.decorateRequest('principal', undefined);
  app.useBodyParser('application/json', { bodyLimit: config.BODY_LIMIT_BYTES }, jsonBody(fastify));
  app.useBodyParser('application/x-www-form-urlencoded', {}, refusedBody);
  fastify.removeContentTypeParser('text/plain');
  takePerRouteLimits(fastify);
  revalidateLookups(fastify);
  attendRequestKeys(fastify);
  fastify.addHook('onRequest', (request, reply, done) => {
    stamp(request, reply);
    done();
  });
  if (config.CORS_ORIGINS.length > 0) await app.register(cors, corsOptions(config.CORS_ORIGINS));
  await app.register(multipart, { limits: formLimits, throwFileSizeLimit: true });
  turnAwayStrays(fastify);
}

/** Of forms without files. A route that takes a file says its own limits where it reads it. */
const formLimits = {
  fieldNameSize: 100,
  fieldSize: 65_536,
  fields: 50,
  fileSize: 10_485_760,
  files: 1,
  parts: 51,
  headerPairs: 20,
};

function corsOptions(origin: string[]) {
  return {
    origin,
    methods: ['GET', 'HEAD', 'POST', 'DELETE'],
    allowedHeaders: ['content-type', 'if-none-match', 'x-api-key', 'x-request-id', 'idempotency-key', 'traceparent'],
    exposedHeaders: [
      'etag',
      'x-request-id',
      'x-session-uuid',
      'x-answer-text',
      'retry-after',
      'ratelimit',
      'ratelimit-policy',
      'idempotent-replayed',
    ],
    maxAge: 600,
    strictPreflight: false,
  };
}

/** Nest has no way to give a route its own body limit, so rows carry it in the route's `config`. */
function takePerRouteLimits(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route) => {
    const limit = route.config && 'bodyLimitBytes' in route.config ? route.config.bodyLimitBytes : undefined;
    if (typeof limit === 'number') route.bodyLimit = limit;
  });
}
