import { type Context, context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** A span for every request that comes in by HTTP; all spans below it belong to it. */
export function traceHttp(server: FastifyInstance): void {
  const contexts = new WeakMap<FastifyRequest, Context>();
  server.addHook('onRequest', (request, _reply, done) => {
    const own = startSpan(request);
    contexts.set(request, own);
    context.with(own, done);
  });
  server.addHook('onResponse', (request, reply, done) => {
    const span = trace.getSpan(contexts.get(request) ?? ROOT_CONTEXT);
    const route = request.routeOptions.url;
    if (route) span?.updateName(`${request.method} ${route}`).setAttribute('http.route', route);
    span?.setAttribute('http.response.status_code', reply.statusCode);
    if (reply.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end();
    done();
  });
}

function startSpan(request: FastifyRequest): Context {
  const parent = propagation.extract(ROOT_CONTEXT, request.headers);
  const attributes = { 'http.request.method': request.method, 'url.scheme': request.protocol };
  const span = trace.getTracer('parley.http').startSpan(request.method, { kind: SpanKind.SERVER, attributes }, parent);
  return trace.setSpan(parent, span);
}
