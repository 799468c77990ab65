import { context, trace, TraceFlags } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import fastify from 'fastify';
import { meterHttp, Metrics } from './metrics';

describe('metrics', () => {
  it('count requests by contract and outcome, and time them', async () => {
    const metrics = new Metrics();
    const meter = metrics.meterOf('speech');
    meter.requestHandled({ subject: 'speech.voices', code: 'OK', seconds: 0.003 });
    meter.requestHandled({ subject: 'speech.voices', code: 'NOT_FOUND', seconds: 0.3 });
    const text = await metrics.exposition();
    expect(text).toContain('parley_requests_total{service="speech",subject="speech.voices",code="OK"} 1');
    expect(text).toContain('parley_request_duration_seconds_bucket{le="0.005",service="speech",subject="speech.voices"} 1');
    expect(text).toContain('parley_request_duration_seconds_count{service="speech",subject="speech.voices"} 2');
  });

  it('count everything beyond the limit of subjects as other', async () => {
    const metrics = new Metrics();
    const meter = metrics.meterOf('speech');
    for (let n = 0; n < 5_000; n += 1) meter.requestHandled({ subject: `speech.made-up-${n}`, code: 'OK', seconds: 0.001 });
    const series = (await metrics.exposition()).split('\n').filter((line) => line.startsWith('parley_requests_total{'));
    expect(series).toHaveLength(601);
    expect(series.at(-1)).toContain('subject="other",code="OK"} 4400');
  });

  it('include a service’s own metrics with their labels', async () => {
    const metrics = new Metrics();
    const speech = metrics.metricsOf('speech');
    const spoken = { name: 'parley_spoken_total', help: 'Characters spoken.', labels: ['provider'] } as const;
    const waiting = { name: 'parley_first_sound_seconds', help: 'Time to the first sound.', labels: ['provider'] } as const;
    speech.count(spoken, { provider: 'flite' });
    speech.count(spoken, { provider: 'flite' }, 41);
    speech.time(waiting, { provider: 'flite' }, 0.02);
    for (let n = 0; n < 1_000; n += 1) speech.count(spoken, { provider: `made-up-${n}` });
    const text = await metrics.exposition();
    expect(text).toContain('parley_spoken_total{service="speech",provider="flite"} 42');
    expect(text).toContain('parley_first_sound_seconds_bucket{le="0.025",service="speech",provider="flite"} 1');
    expect(text.split('\n').filter((line) => line.startsWith('parley_spoken_total{')).length).toBeLessThan(610);
    expect(text).toContain('provider="other"');
  });

  it('read watched values when scraped, and omit one that cannot be read', async () => {
    const metrics = new Metrics();
    let pending: () => number = () => 12;
    metrics.watch({ service: 'speech', name: 'parley_outbox_pending', help: 'Events waiting.', read: () => pending() });
    expect(await metrics.exposition()).toContain('parley_outbox_pending{service="speech"} 12');
    pending = () => {
      throw new Error('no database');
    };
    expect(await metrics.exposition()).not.toContain('parley_outbox_pending{');
  });

  it('omit a value that nothing answers, instead of keeping the scraper waiting', async () => {
    jest.useFakeTimers();
    const metrics = new Metrics();
    const hung = new Promise<number>(() => undefined);
    metrics.watch({ service: 'speech', name: 'parley_outbox_pending', help: 'Events waiting.', read: () => hung });
    metrics.watch({ service: 'speech', name: 'parley_pool_waiting', help: 'Callers waiting.', read: () => 7 });
    const scraped = metrics.exposition();
    // Prometheus waits for ten seconds and then counts the process as down.
    await jest.advanceTimersByTimeAsync(5_000);
    jest.useRealTimers();
    const text = await scraped;
    expect(text).toContain('parley_pool_waiting{service="speech"} 7');
    expect(text).not.toContain('parley_outbox_pending{');
  });

  it('show how much of a thing a service has at the moment, under its own name', async () => {
    const metrics = new Metrics();
    let lines = 3;
    metrics.metricsOf('speech').watch({ name: 'parley_lines_held', help: 'Lines.', labels: [] }, () => lines);
    expect(await metrics.exposition()).toContain('parley_lines_held{service="speech"} 3');
    lines = 0;
    expect(await metrics.exposition()).toContain('parley_lines_held{service="speech"} 0');
  });

  it('forget a stopped service’s watched values', async () => {
    const metrics = new Metrics();
    for (const service of ['speech', 'gateway'])
      metrics.watch({ service, name: 'parley_pool', help: 'Connections.', read: () => 1 });
    metrics.unwatch('speech');
    const text = await metrics.exposition();
    expect(text).not.toContain('service="speech"');
    expect(text).toContain('parley_pool{service="gateway"} 1');
  });

  it('count HTTP by the route’s template, never by a path the client made up', async () => {
    const metrics = new Metrics();
    const server = fastify();
    meterHttp(server, metrics.meterOf('gateway'));
    server.get('/agents/:id', () => 'ok');
    const address = await server.listen({ host: '127.0.0.1', port: 0 });
    await fetch(`${address}/agents/42`);
    await fetch(`${address}/agents/42`, { method: 'HEAD' });
    await fetch(`${address}/made/up`);
    await server.close();
    const text = await metrics.exposition();
    expect(text).toContain('subject="GET /agents/:id",code="200"} 1');
    expect(text).toContain('subject="HEAD /agents/:id",code="200"} 1');
    expect(text).toContain('subject="no route",code="404"} 1');
    expect(text).not.toContain('made');
  });

  describe('for a scraper that accepts OpenMetrics', () => {
    const accept = 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.2';
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const during = (traceFlags: TraceFlags, work: () => void) =>
      context.with(trace.setSpanContext(context.active(), { traceId, spanId: '00f067aa0ba902b7', traceFlags }), work);

    beforeAll(() => context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));
    afterAll(() => context.disable());

    it('name a recorded trace in the bucket of each duration', async () => {
      const metrics = new Metrics();
      const meter = metrics.meterOf('speech');
      const figures = metrics.metricsOf('speech');
      meter.requestHandled({ subject: 'speech.say', code: 'OK', seconds: 0.002 });
      during(TraceFlags.NONE, () => meter.requestHandled({ subject: 'speech.say', code: 'OK', seconds: 0.02 }));
      during(TraceFlags.SAMPLED, () => {
        meter.requestHandled({ subject: 'speech.say', code: 'OK', seconds: 0.2 });
        meter.requestHandled({ subject: 'speech.say', code: 'OK', seconds: 99 });
        figures.time({ name: 'parley_first_sound_seconds', help: 'Time to the first sound.', labels: [] }, {}, 0.002);
      });
      const { body } = await metrics.scraped(accept);
      const traced = body.split('\n').filter((line) => line.includes(' # '));
      const labels = 'service="speech",subject="speech.say"';
      const exemplar = (value: number) => `# {trace_id="${traceId}"} ${value} `;
      expect(traced).toEqual([
        expect.stringContaining(`parley_request_duration_seconds_bucket{le="0.25",${labels}} 3 ${exemplar(0.2)}`),
        expect.stringContaining(`parley_request_duration_seconds_bucket{le="+Inf",${labels}} 4 ${exemplar(99)}`),
        expect.stringContaining(`parley_first_sound_seconds_bucket{le="0.0025",service="speech"} 1 ${exemplar(0.002)}`),
      ]);
      expect(await metrics.exposition()).not.toContain(traceId);
    });

    it('are the samples of the plain text, told by the rules of OpenMetrics', async () => {
      const metrics = new Metrics();
      metrics.meterOf('speech').requestHandled({ subject: 'speech.say', code: 'OK', seconds: 0.002 });
      metrics.watch({ service: 'speech', name: 'parley_pool', help: 'Connections.', read: () => 1 });
      const { type, body } = await metrics.scraped(accept);
      const plain = await metrics.scraped('text/plain');
      expect([type, plain.type]).toEqual([
        'application/openmetrics-text; version=1.0.0; charset=utf-8',
        'text/plain; version=0.0.4; charset=utf-8',
      ]);
      const samplesOf = (text: string) => text.split('\n').filter((line) => /^\w/.test(line));
      expect(samplesOf(body).sort()).toEqual(samplesOf(plain.body).sort());
      expect(body).toContain('# TYPE parley_requests counter\nparley_requests_total{');
      expect(body).toMatch(/^(?:\S.*\n)+# EOF\n$/);
      // prom-client would rename a counter for good.
      expect((await metrics.scraped()).body).toBe(plain.body);
    });
  });
});
