import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import { z } from 'zod';
import type { Logger } from '../logging/logger';
import type { Metrics } from '../metrics/metrics';

interface MetricsDelivery {
  readonly name: string;
  readonly instanceId: string;
  /** An OTLP/HTTP collector; if absent, metrics are only available on `/metrics`. */
  readonly endpoint: string | undefined;
  readonly everyMs: number;
}

const sendTimeoutMs = 3_000;

/** Sends the metrics to a collector at an interval, and once more at the end. An unavailable collector misses some. */
export class MetricsSender {
  private readonly startUnixNano = nowUnixNano();
  private readonly timer: NodeJS.Timeout | undefined;
  private isAway = false;

  constructor(
    private readonly metrics: Metrics,
    private readonly delivery: MetricsDelivery,
    private readonly log: Logger,
  ) {
    if (delivery.endpoint !== undefined) this.timer = setInterval(() => void this.send(), delivery.everyMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    if (this.delivery.endpoint !== undefined) await this.send();
  }

  private async send(): Promise<void> {
    try {
      const url = `${this.delivery.endpoint?.replace(/\/+$/, '')}/v1/metrics`;
      const body = JSON.stringify(await this.exported());
      const signal = AbortSignal.timeout(sendTimeoutMs);
      const reply = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal });
      if (!reply.ok) throw new Error(`the collector answered ${reply.status}`);
      this.isAway = false;
    } catch (error) {
      // Logged once, because a collector may be unavailable for hours.
      if (!this.isAway) this.log.warn('The collector did not accept metrics', { error });
      this.isAway = true;
    }
  }

  private async exported(): Promise<object> {
    const window = { startUnixNano: this.startUnixNano, endUnixNano: nowUnixNano() };
    const attributes = [
      { key: 'service.name', value: { stringValue: this.delivery.name } },
      { key: 'service.namespace', value: { stringValue: 'parley' } },
      { key: 'service.instance.id', value: { stringValue: this.delivery.instanceId } },
    ];
    const metrics = otlpMetricsOf(await this.metrics.asJson(), window);
    return { resourceMetrics: [{ resource: { attributes }, scopeMetrics: [{ scope: { name: 'parley' }, metrics }] }] };
  }
}

function nowUnixNano(): string {
  return `${Date.now()}000000`;
}

type ExportedMetric = MetricObjectWithValues<MetricValue<string>>;
type Labels = Readonly<Record<string, string | number | undefined>>;

/** The period that cumulative metrics cover: from the start of the process to now. */
interface Window {
  readonly startUnixNano: string;
  readonly endUnixNano: string;
}

const cumulative = 2;

/** The metrics in the form of an OTLP export. */
function otlpMetricsOf(readings: readonly ExportedMetric[], window: Window): object[] {
  return readings.map((reading) => ({ name: reading.name, description: reading.help, ...dataOf(reading, window) }));
}

function dataOf(reading: ExportedMetric, window: Window): object {
  if (isOfType(reading, 'histogram')) return { histogram: histogramOf(reading, window) };
  const dataPoints = reading.values.map(({ labels, value }) => ({ ...pointOf(labels, window), asDouble: value }));
  if (isOfType(reading, 'counter')) {
    return { sum: { dataPoints, aggregationTemporality: cumulative, isMonotonic: true } };
  }
  return { gauge: { dataPoints } };
}

// The registry returns the type by name, though it is declared as a number.
function isOfType(reading: ExportedMetric, name: 'counter' | 'histogram'): boolean {
  return String(reading.type) === name;
}

function histogramOf(reading: ExportedMetric, window: Window): object {
  const series = Map.groupBy(reading.values, ({ labels }) => JSON.stringify(withoutBound(labels)));
  return { aggregationTemporality: cumulative, dataPoints: [...series.values()].map((values) => histogramPoint(values, window)) };
}

/** Prometheus counts everything up to a bound, OTLP what lies between two bounds, so the differences are sent. */
function histogramPoint(values: readonly MetricValue<string>[], window: Window): object {
  const buckets = values.flatMap(({ labels, value }) =>
    labels['le'] === undefined ? [] : [{ bound: boundOf(labels['le']), value }],
  );
  buckets.sort((a, b) => a.bound - b.bound);
  const ending = (suffix: string): number =>
    values.find((each) => 'metricName' in each && String(each.metricName).endsWith(suffix))?.value ?? 0;
  return {
    ...pointOf(withoutBound(values[0]?.labels ?? {}), window),
    count: String(ending('_count')),
    sum: ending('_sum'),
    explicitBounds: buckets.filter(({ bound }) => Number.isFinite(bound)).map(({ bound }) => bound),
    bucketCounts: buckets.map(({ value }, index) => String(value - (buckets[index - 1]?.value ?? 0))),
    exemplars: values.flatMap((each) => ('exemplar' in each ? exemplarsOf(each.exemplar) : [])),
  };
}

// prom-client's type for histogram values omits their exemplars.
const Exemplar = z.object({ labelSet: z.object({ trace_id: z.string() }), value: z.number(), timestamp: z.number() });

function exemplarsOf(kept: unknown): object[] {
  const { data } = Exemplar.safeParse(kept);
  if (!data) return [];
  const timeUnixNano = `${Math.round(data.timestamp * 1_000)}000000`;
  return [{ timeUnixNano, asDouble: data.value, traceId: data.labelSet.trace_id }];
}

function boundOf(le: string | number): number {
  return le === '+Inf' ? Infinity : Number(le);
}

function withoutBound({ le: _bound, ...labels }: Labels): Labels {
  return labels;
}

function pointOf(labels: Labels, { startUnixNano, endUnixNano }: Window): object {
  const attributes = Object.entries(labels).map(([key, value]) => ({ key, value: { stringValue: String(value) } }));
  return { attributes, startTimeUnixNano: startUnixNano, timeUnixNano: endUnixNano };
}
