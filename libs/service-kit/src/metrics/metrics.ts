import { trace, TraceFlags } from '@opentelemetry/api';
import { within } from '@parley/ports';
import type { FastifyInstance, FastifyReply, onResponseHookHandler } from 'fastify';
import { Counter, Gauge, Histogram, type OpenMetricsContentType, Registry } from 'prom-client';

/** One finished request of a service or a public route. */
interface HandledRequest {
  /** The contract's subject or the route's template, never a filled-in path. */
  readonly subject: string;
  /** `OK`, a code of the fault catalogue, or an HTTP status. */
  readonly code: string;
  readonly seconds: number;
}

/** Counts handled requests. Injectable; the service label is already set. */
export abstract class RequestMeter {
  /** Counts a finished request. Cheap enough to call for every message. */
  abstract requestHandled(request: HandledRequest): void;
}

/** A metric that a service adds to the common ones. */
export interface Metric<Label extends string> {
  readonly name: `parley_${string}`;
  readonly help: string;
  readonly labels: readonly Label[];
}

/** Records what a service's requests do not show. Injectable; the service label is already set. */
export abstract class ServiceMetrics {
  /** Adds to a count. Label values come from our own tables. */
  abstract count<Label extends string>(metric: Metric<Label>, labels: Readonly<Record<Label, string>>, by?: number): void;
  /** Adds a duration, in seconds, to a histogram. */
  abstract time<Label extends string>(metric: Metric<Label>, labels: Readonly<Record<Label, string>>, seconds: number): void;
  /** Exports a current value, which is read at each scrape. */
  abstract watch(metric: Metric<never>, read: () => number | Promise<number>): void;
}

interface MetricReading {
  readonly name: string;
  readonly help: string;
  readonly service: string;
  readonly read: () => number | Promise<number>;
}

/** Well below a scraper's patience: Postgres may hang, and everything else must still be seen. */
const readingMs = 2_000;

const subjectsMax = 600;
const codesMax = 100;
const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

interface Labels {
  readonly service: string;
  readonly subject: string;
  readonly code: string;
}

/** The counter and histogram for one subject and outcome. */
interface Series {
  readonly counter: Counter.Internal;
  readonly histogram: Histogram.Internal<string>;
  readonly labels: Readonly<Record<'service' | 'subject', string>>;
}

/** The metrics of a process. Every label comes from our own tables; beyond a limit, new values are counted as `other`. */
export class Metrics {
  private readonly registry = new Registry();
  /**
   * Everything except histograms. Kept apart because prom-client renames the counters of a registry that it exports as
   * OpenMetrics.
   */
  private readonly untimed = new Registry();
  /** The histograms, which are the only metrics with exemplars. */
  private readonly timed = openMetricsRegistry();
  private readonly subjects = new Set<string>();
  private readonly gauges = new Map<string, Gauge>();
  private readonly counters = new Map<string, Counter>();
  private readonly histograms = new Map<string, Histogram>();
  private readonly readings: MetricReading[] = [];
  private readonly handled = new Counter({
    name: 'parley_requests_total',
    help: 'Requests finished, by contract or route and outcome.',
    labelNames: ['service', 'subject', 'code'],
    registers: [this.registry, this.untimed],
  });
  private readonly seconds = this.newHistogram({
    name: 'parley_request_duration_seconds',
    help: 'Time from a request to its answer.',
    labels: ['subject'],
  });

  /** The meter of one service. */
  meterOf(service: string): RequestMeter {
    const known = new Map<string, Map<string, Series>>();
    return {
      requestHandled: ({ subject, code, seconds }) => {
        const { counter, histogram, labels } = known.get(subject)?.get(code) ?? this.remember(known, { service, subject, code });
        counter.inc();
        const exemplarLabels = exemplar();
        if (exemplarLabels) this.seconds.observe({ labels, value: seconds, exemplarLabels });
        else histogram.observe(seconds);
      },
    };
  }

  /** The additional metrics of one service. */
  metricsOf(service: string): ServiceMetrics {
    return {
      count: (metric, labels, by = 1) => this.counterOf(metric).inc(this.labelled(metric, { service, ...labels }), by),
      time: (metric, labels, value) =>
        this.histogramOf(metric).observe({
          labels: this.labelled(metric, { service, ...labels }),
          value,
          exemplarLabels: exemplar() ?? {},
        }),
      watch: ({ name, help }, read) => this.watch({ name, help, service, read }),
    };
  }

  /** Adds a metric that is read at each scrape; one that fails or does not answer in time is left out of that scrape. */
  watch(reading: MetricReading): void {
    this.readings.push(reading);
    if (this.gauges.has(reading.name)) return;
    const gauge = new Gauge({
      name: reading.name,
      help: reading.help,
      labelNames: ['service'],
      registers: [this.registry, this.untimed],
    });
    this.gauges.set(reading.name, gauge);
  }

  /** Removes the metrics of a stopped service. */
  unwatch(service: string): void {
    for (let index = this.readings.length - 1; index >= 0; index -= 1) {
      const reading = this.readings[index];
      if (reading?.service !== service) continue;
      this.readings.splice(index, 1);
      this.gauges.get(reading.name)?.remove({ service });
    }
  }

  /** The Prometheus text format. */
  async exposition(): Promise<string> {
    await this.takeReadings();
    return this.registry.metrics();
  }

  /** The response to a scraper: OpenMetrics if it accepts that, with the trace of a request in each bucket. */
  async scraped(accept = ''): Promise<{ type: string; body: string }> {
    const body = await this.exposition();
    if (!accept.includes('application/openmetrics-text')) return { type: this.registry.contentType, body };
    // OpenMetrics allows no blank lines, and names a counter without the suffix of its samples.
    const untimed = (await this.untimed.metrics()).replaceAll('\n\n', '\n').replaceAll(/^(# (?:HELP|TYPE) \w+)_total /gm, '$1 ');
    return { type: this.timed.contentType, body: untimed + (await this.timed.metrics()) };
  }

  /** The same metrics as data, for export in another format. */
  async asJson(): Promise<Awaited<ReturnType<Registry['getMetricsAsJSON']>>> {
    await this.takeReadings();
    return this.registry.getMetricsAsJSON();
  }

  private async takeReadings(): Promise<void> {
    await Promise.all(this.readings.map((reading) => this.take(reading)));
  }

  private async take({ name, service, read }: MetricReading): Promise<void> {
    try {
      const value = await within(readingMs, Promise.resolve(read()), () => {
        throw new Error(`${name} was not read within ${readingMs} ms`);
      });
      this.gauges.get(name)?.set({ service }, value);
    } catch {
      this.gauges.get(name)?.remove({ service });
    }
  }

  /** Caches a series, because looking it up by its labels costs more than counting. */
  private remember(known: Map<string, Map<string, Series>>, { service, subject, code }: Labels): Series {
    const labels = { service, subject: this.bounded(`${service} ${subject}`) ? subject : 'other' };
    const series = { counter: this.handled.labels({ ...labels, code }), histogram: this.seconds.labels(labels), labels };
    const ofSubject = known.get(subject) ?? new Map<string, Series>();
    if (known.size < subjectsMax && ofSubject.size < codesMax) known.set(subject, ofSubject.set(code, series));
    return series;
  }

  private counterOf({ name, help, labels }: Metric<string>): Counter {
    const known = this.counters.get(name);
    if (known) return known;
    const counter = new Counter({ name, help, labelNames: ['service', ...labels], registers: [this.registry, this.untimed] });
    this.counters.set(name, counter);
    return counter;
  }

  private histogramOf(metric: Metric<string>): Histogram {
    const known = this.histograms.get(metric.name);
    if (known) return known;
    const histogram = this.newHistogram(metric);
    this.histograms.set(metric.name, histogram);
    return histogram;
  }

  private newHistogram({ name, help, labels }: Metric<string>): Histogram {
    const labelNames = ['service', ...labels];
    const kind = { buckets: secondsBuckets, enableExemplars: true, registers: [this.timed] };
    const histogram = new Histogram({ name, help, labelNames, ...kind });
    this.registry.registerMetric(histogram);
    return histogram;
  }

  private labelled({ name, labels }: Metric<string>, values: Record<string, string>): Record<string, string> {
    if (this.bounded(`${name} ${Object.values(values).join(' ')}`)) return values;
    return { ...values, ...Object.fromEntries(labels.map((label) => [label, 'other'])) };
  }

  private bounded(subject: string): boolean {
    if (this.subjects.size < subjectsMax) this.subjects.add(subject);
    return this.subjects.has(subject);
  }
}

function openMetricsRegistry(): Registry<OpenMetricsContentType> {
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  return registry;
}

/** The current recorded trace, for a histogram's bucket. */
function exemplar(): { trace_id: string } | undefined {
  const span = trace.getActiveSpan()?.spanContext();
  return span && (span.traceFlags & TraceFlags.SAMPLED) !== 0 ? { trace_id: span.traceId } : undefined;
}

/** Counts every HTTP request under its route template, so that clients cannot create labels. Call it before routes are added. */
export function meterHttp(server: FastifyInstance, meter: RequestMeter): void {
  const count = (subject: string, { statusCode, elapsedTime }: FastifyReply): void =>
    meter.requestHandled({ subject, code: String(statusCode), seconds: elapsedTime / 1_000 });
  // One hook per route: asking each request for its route would build an object with a dozen fields.
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
