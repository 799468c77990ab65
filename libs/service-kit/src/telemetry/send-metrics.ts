import type { Logger } from '../logging/logger';
import type { Metrics } from '../metrics/metrics';
import { otlpMetricsOf } from './otlp-metrics';

export interface MetricsDelivery {
  readonly name: string;
  /** An OTLP/HTTP collector; absent, figures are only shown on `/metrics`. */
  readonly endpoint: string | undefined;
  readonly everyMs: number;
}

const sendTimeoutMs = 3_000;

/** Sends the figures of `/metrics` to a collector now and then, and once more at the end. A collector that is away misses them. */
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
      // Once, not every time: a collector may be away for hours.
      if (!this.isAway) this.log.warn('The collector takes no metrics', { error });
      this.isAway = true;
    }
  }

  private async exported(): Promise<object> {
    const window = { startUnixNano: this.startUnixNano, endUnixNano: nowUnixNano() };
    const attributes = [
      { key: 'service.name', value: { stringValue: this.delivery.name } },
      { key: 'service.namespace', value: { stringValue: 'parley' } },
    ];
    const metrics = otlpMetricsOf(await this.metrics.figures(), window);
    return { resourceMetrics: [{ resource: { attributes }, scopeMetrics: [{ scope: { name: 'parley' }, metrics }] }] };
  }
}

function nowUnixNano(): string {
  return `${Date.now()}000000`;
}
