import type { FastifyInstance } from 'fastify';
import type { RequestMeter } from './metrics';

/** Counts every HTTP request under its route's template, so that strangers cannot invent labels. */
export function meterHttp(server: FastifyInstance, meter: RequestMeter): void {
  server.addHook('onResponse', (request, reply, done) => {
    const subject = request.routeOptions.url ? `${request.method} ${request.routeOptions.url}` : 'no route';
    meter.requestHandled({ subject, code: String(reply.statusCode), seconds: reply.elapsedTime / 1_000 });
    done();
  });
}
