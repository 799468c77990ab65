import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  detectResources,
  resourceAttributesEnvDetector,
  serviceNameEnvDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import { Client } from 'pg';

export interface TelemetryOptions {
  /** The service, or the host if several services share a process. */
  readonly name: string;
  /** Identifies this process among others of its service; new at each start. */
  readonly instanceId: string;
  /** An OTLP/HTTP collector. If absent, nothing is recorded and no telemetry code is loaded. */
  readonly endpoint: string | undefined;
  readonly sampledShare: number;
}

export interface Telemetry {
  readonly isOn: boolean;
  /** Sends what is buffered, within seconds, or drops it if the collector does not accept it. */
  stop(): Promise<void>;
}

const exportTimeoutMs = 3_000;
const queuedSpansMax = 4_096;

/** Loaded only if there is a collector. Spans wait in a bounded queue, so an unavailable collector only loses spans. */
export function registerOpenTelemetry(options: TelemetryOptions & { endpoint: string }): Telemetry {
  const collector = options.endpoint.replace(/\/+$/, '');
  const exporter = new OTLPTraceExporter({ url: `${collector}/v1/traces`, timeoutMillis: exportTimeoutMs });
  const processor = new BatchSpanProcessor({
    exporter,
    exportTimeoutMillis: exportTimeoutMs,
    maxQueueSize: queuedSpansMax,
    scheduledDelayMillis: 1_000,
  });
  const byTraceId = new TraceIdRatioBasedSampler(options.sampledShare);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': options.name,
      'service.namespace': 'parley',
      'service.instance.id': options.instanceId,
    }).merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] })),
    // A client's traceparent may join a trace but not decide that we record it; all services decide alike by its id.
    sampler: new ParentBasedSampler({ root: byTraceId, remoteParentSampled: byTraceId }),
    spanProcessors: [processor],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(
    new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
  );
  trace.setGlobalTracerProvider(provider);
  tracePostgres();
  return { isOn: true, stop: () => provider.shutdown().catch(() => undefined) };
}

const statementCharactersMax = 500;
let isTraced = false;

/**
 * Adds a span to every statement of a traced request. The client is wrapped in place: application code has loaded it before the
 * configuration is read, too late for hooks that wrap on load.
 */
function tracePostgres(): void {
  if (isTraced) return;
  isTraced = true;
  Reflect.set(Client.prototype, 'query', new Proxy(Client.prototype.query, { apply: tracedQuery }));
}

function tracedQuery(query: typeof Client.prototype.query, client: unknown, given: unknown[]): unknown {
  const statement = statementOf(given);
  if (statement === undefined || !trace.getActiveSpan()?.isRecording()) return Reflect.apply(query, client, given);
  const span = startSpan(statement);
  const { args, hasCallback } = withCallbackTraced(given, span);
  try {
    const result: unknown = Reflect.apply(query, client, args);
    if (!hasCallback) endWith(span, result);
    return result;
  } catch (error) {
    end(span, error);
    throw error;
  }
}

/** Undefined for cursors and streams, which use the connection themselves and take no callback. */
function statementOf([first, ...rest]: unknown[]): string | undefined {
  if (typeof first === 'string') return first;
  if (typeof first !== 'object' || first === null || !('text' in first)) return undefined;
  if ('submit' in first && typeof rest.at(-1) !== 'function') return undefined;
  return typeof first.text === 'string' ? first.text : undefined;
}

function startSpan(statement: string): Span {
  const [verb = 'SQL'] = /^\s*([a-z]{2,20})/i.exec(statement)?.slice(1) ?? [];
  const attributes = {
    'db.system.name': 'postgresql',
    'db.operation.name': verb.toUpperCase(),
    // Our statements pass values as parameters, so this is only the text we wrote.
    'db.query.text': statement.slice(0, statementCharactersMax),
  };
  return trace.getTracer('parley.postgres').startSpan(`postgres ${verb.toUpperCase()}`, { kind: SpanKind.CLIENT, attributes });
}

function withCallbackTraced(given: unknown[], span: Span): { args: unknown[]; hasCallback: boolean } {
  const callback = given.at(-1);
  if (typeof callback !== 'function') return { args: given, hasCallback: false };
  const surrounding = context.active();
  const traced = (...outcome: unknown[]): unknown => {
    end(span, outcome[0]);
    return context.with(surrounding, (): unknown => Reflect.apply(callback, undefined, outcome));
  };
  return { args: [...given.slice(0, -1), traced], hasCallback: true };
}

function endWith(span: Span, result: unknown): void {
  if (result instanceof Promise)
    result.then(
      () => end(span),
      (error: unknown) => end(span, error),
    );
  else end(span);
}

function end(span: Span, error?: unknown): void {
  if (error) span.setStatus({ code: SpanStatusCode.ERROR });
  if (error instanceof Error && 'code' in error) span.setAttribute('db.response.status_code', String(error.code));
  span.end();
}
