import {
  context,
  propagation,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { Fault } from '@parley/contracts';
import { currentCall } from './call';

const scope = 'parley.messaging';

interface TraceHeaders {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

/** The trace headers of an outgoing message, and how to end its span. */
export interface MessageSpan extends TraceHeaders {
  end(error?: unknown): void;
}

// Without a registered SDK nothing is created for a message: no span, no context, no carrier.
function activeTracer(): Tracer | undefined {
  const provider = trace.getTracerProvider();
  return provider instanceof ProxyTracerProvider ? provider.getDelegateTracer(scope) : provider.getTracer(scope);
}

function spanOptions(kind: SpanKind, subject: string): SpanOptions {
  return { kind, attributes: { 'messaging.destination.name': subject } };
}

function endSpan(span: Span, error: unknown): void {
  if (error !== undefined) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    // An error's message may quote the request. Logs are protected against that, but traces go to third-party collectors.
    span.setAttribute('error.type', error instanceof Fault ? error.code : error instanceof Error ? error.name : 'unknown');
  }
  span.end();
}

/** The span of an outgoing message. Without an SDK the surrounding call's trace is passed on unchanged. */
export function startOutgoing(subject: string): MessageSpan {
  const tracer = activeTracer();
  if (!tracer) return passOn();
  const span = tracer.startSpan(subject, spanOptions(SpanKind.CLIENT, subject));
  const carrier: { traceparent?: string; tracestate?: string } = {};
  propagation.inject(trace.setSpan(context.active(), span), carrier);
  return { ...carrier, end: (error) => endSpan(span, error) };
}

function passOn(): MessageSpan {
  const traceparent = currentCall()?.traceparent;
  return traceparent === undefined ? untraced : { traceparent, end: doNothing };
}

/** Runs the work for a message in a span that continues the sender's trace. */
export function traceIncoming<T>(subject: string, headers: TraceHeaders, work: () => Promise<T>): Promise<T> {
  const tracer = activeTracer();
  if (!tracer) return work();
  const parent = propagation.extract(ROOT_CONTEXT, headers);
  const span = tracer.startSpan(subject, spanOptions(SpanKind.SERVER, subject), parent);
  const running = context.with(trace.setSpan(parent, span), work);
  running.then(
    () => endSpan(span, undefined),
    (error: unknown) => endSpan(span, error ?? 'failed'),
  );
  return running;
}

/** Reports something about a message, such as its duration, in the context of its trace. */
export function inTraceOf(headers: TraceHeaders, tell: () => void): void {
  if (activeTracer()) context.with(propagation.extract(ROOT_CONTEXT, headers), tell);
  else tell();
}

function doNothing(): void {}

const untraced: MessageSpan = { end: doNothing };
