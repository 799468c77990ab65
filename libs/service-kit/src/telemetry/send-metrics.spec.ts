import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { json } from 'node:stream/consumers';
import { context, trace, TraceFlags } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { createLogger } from '../logging/logger';
import { Metrics } from '../metrics/metrics';
import { MetricsSender } from './send-metrics';

const log = createLogger({ level: 'silent', isReadable: false, writesPii: false });

const speech = { name: 'speech', instanceId: '5f0c' };

interface Export {
  resourceMetrics: {
    resource: { attributes: { key: string; value: { stringValue: string } }[] };
    scopeMetrics: { metrics: Metric[] }[];
  }[];
}
interface Metric {
  name: string;
  sum?: { isMonotonic: boolean; dataPoints: { asDouble: number; attributes: { key: string }[] }[] };
  histogram?: {
    dataPoints: {
      count: string;
      sum: number;
      explicitBounds: number[];
      bucketCounts: string[];
      exemplars: { traceId: string; asDouble: number; timeUnixNano: string }[];
    }[];
  };
}

async function collector(): Promise<{ url: string; received: Promise<Export>; server: Server }> {
  const { promise, resolve } = Promise.withResolvers<Export>();
  const server = createServer((request, response) => {
    if (request.url !== '/v1/metrics') return response.writeHead(404).end();
    return void json(request).then((body) => {
      resolve(body as Export);
      response.writeHead(200).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}/`, received: promise, server };
}

describe('metrics for a collector', () => {
  it('are those of /metrics, with buckets counted between their bounds', async () => {
    const { url, received, server } = await collector();
    const metrics = new Metrics();
    const meter = metrics.meterOf('speech');
    for (const seconds of [0.002, 0.002, 0.2, 99]) meter.requestHandled({ subject: 'speech.say', code: 'OK', seconds });
    const sender = new MetricsSender(metrics, { ...speech, endpoint: url, everyMs: 3_600_000 }, log);
    await sender.stop();
    const [exported] = (await received).resourceMetrics;
    expect(exported?.resource.attributes).toEqual([
      { key: 'service.name', value: { stringValue: 'speech' } },
      { key: 'service.namespace', value: { stringValue: 'parley' } },
      { key: 'service.instance.id', value: { stringValue: '5f0c' } },
    ]);
    const sent = exported?.scopeMetrics[0]?.metrics ?? [];
    const handled = sent.find(({ name }) => name === 'parley_requests_total')?.sum;
    expect(handled).toMatchObject({ isMonotonic: true, dataPoints: [{ asDouble: 4 }] });
    const [duration] = sent.find(({ name }) => name === 'parley_request_duration_seconds')?.histogram?.dataPoints ?? [];
    expect(duration).toMatchObject({ count: '4', sum: 99.204 });
    const counts = duration?.bucketCounts.map(Number) ?? [];
    expect(counts).toHaveLength((duration?.explicitBounds.length ?? 0) + 1);
    expect(counts.reduce((total, count) => total + count, 0)).toBe(4);
    expect(counts[duration?.explicitBounds.indexOf(0.0025) ?? -1]).toBe(2);
    expect(counts.at(-1)).toBe(1);
    // No trace was recorded.
    expect(duration?.exemplars).toEqual([]);
    server.close();
  });

  it('name the recorded trace of a request in each bucket, and no other', async () => {
    const { url, received, server } = await collector();
    const metrics = new Metrics();
    const meter = metrics.meterOf('speech');
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const during = (traceFlags: TraceFlags, seconds: number) =>
      context.with(trace.setSpanContext(context.active(), { traceId, spanId: '00f067aa0ba902b7', traceFlags }), () =>
        meter.requestHandled({ subject: 'speech.say', code: 'OK', seconds }),
      );
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    const before = Date.now();
    during(TraceFlags.NONE, 0.02);
    for (const seconds of [0.2, 99]) during(TraceFlags.SAMPLED, seconds);
    context.disable();
    await new MetricsSender(metrics, { ...speech, endpoint: url, everyMs: 3_600_000 }, log).stop();
    const sent = (await received).resourceMetrics[0]?.scopeMetrics[0]?.metrics ?? [];
    const [duration] = sent.find(({ name }) => name === 'parley_request_duration_seconds')?.histogram?.dataPoints ?? [];
    const exemplars = duration?.exemplars ?? [];
    expect(exemplars).toEqual([0.2, 99].map((asDouble) => expect.objectContaining({ traceId, asDouble })));
    for (const { timeUnixNano } of exemplars) {
      expect(timeUnixNano).toMatch(/^\d{19}$/);
      expect(Math.round(Number(timeUnixNano) / 1e6)).toBeGreaterThanOrEqual(before);
    }
    server.close();
  });

  it('are sent nowhere without a collector, and a collector that is away does no harm', async () => {
    await new MetricsSender(new Metrics(), { ...speech, endpoint: undefined, everyMs: 1_000 }, log).stop();
    await new MetricsSender(new Metrics(), { ...speech, endpoint: 'http://127.0.0.1:9', everyMs: 1_000 }, log).stop();
  });
});
