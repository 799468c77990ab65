import { type Context, context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Telemetry, TelemetryOptions } from './open-telemetry';

const off: Telemetry = { isOn: false, stop: () => Promise.resolve() };
let current = off;

/** Registers OpenTelemetry for this process if there is a collector. */
export async function startTelemetry({ endpoint, ...options }: TelemetryOptions): Promise<Telemetry> {
  if (endpoint === undefined) return off;
  const { registerOpenTelemetry } = await import('./open-telemetry');
  current = registerOpenTelemetry({ endpoint, ...options });
  return current;
}

/** Whether spans are sent anywhere; hooks that only create spans are left out if not. */
export function isTracing(): boolean {
  return current.isOn;
}

/** Creates a span for every incoming HTTP request, the parent of all spans of its work. */
export function traceHttp(server: FastifyInstance): void {
  const contexts = new WeakMap<FastifyRequest, Context>();
  server.addHook('onRequest', (request, _reply, done) => {
    const own = startSpan(request);
    contexts.set(request, own);
    context.with(own, done);
  });
  server.addHook('onResponse', (request, reply, done) => {
    const own = contexts.get(request) ?? ROOT_CONTEXT;
    const span = trace.getSpan(own);
    const route = request.routeOptions.url;
    if (route) span?.updateName(`${request.method} ${route}`).setAttribute('http.route', route);
    span?.setAttribute('http.response.status_code', reply.statusCode);
    if (reply.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end();
    // Runs the rest of the request in this trace, so that duration metrics can refer to the trace.
    context.with(own, done);
  });
}

function startSpan(request: FastifyRequest): Context {
  const parent = propagation.extract(ROOT_CONTEXT, request.headers);
  const attributes = { 'http.request.method': request.method, 'url.scheme': request.protocol };
  const span = trace.getTracer('parley.http').startSpan(request.method, { kind: SpanKind.SERVER, attributes }, parent);
  return trace.setSpan(parent, span);
}
