import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import { tracePostgres } from './trace-postgres';
import type { Telemetry, TelemetryOptions } from './telemetry';

const exportTimeoutMs = 3_000;
const queuedSpansMax = 4_096;

/** Loaded only when there is a collector. Spans wait in a bounded queue, and a collector that is away costs nothing but them. */
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
    resource: resourceFromAttributes({ 'service.name': options.name, 'service.namespace': 'parley' }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    // A stranger's traceparent may join a trace but not decide that we record it; all our services decide alike by its id.
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
