import type { FastifyInstance, FastifyReply, onResponseHookHandler } from 'fastify';
import type { RequestMeter } from './metrics';

/** Counts every HTTP request under its route's template, so that strangers cannot invent labels. Call it before routes are added. */
export function meterHttp(server: FastifyInstance, meter: RequestMeter): void {
  const count = (subject: string, { statusCode, elapsedTime }: FastifyReply): void =>
    meter.requestHandled({ subject, code: String(statusCode), seconds: elapsedTime / 1_000 });
  // Each route brings its own hook: asking a request for its route makes an object of a dozen fields.
  server.addHook('onRoute', (route) => {
    const subjects = new Map([route.method].flat().map((method) => [method, `${method} ${route.url}`]));
    const counted: onResponseHookHandler = (request, reply, done) => {
      count(subjects.get(request.method) ?? 'no route', reply);
      done();
    };
    route.onResponse = [route.onResponse ?? [], counted].flat();
  });
  server.addHook('onResponse', (request, reply, done) => {
    if (request.is404) count('no route', reply);
    done();
  });
}
