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
    const figures = metrics.figuresOf('speech');
    const spoken = { name: 'parley_spoken_total', help: 'Characters spoken.', labels: ['provider'] } as const;
    const waiting = { name: 'parley_first_sound_seconds', help: 'Time to the first sound.', labels: ['provider'] } as const;
    figures.count(spoken, { provider: 'flite' });
    figures.count(spoken, { provider: 'flite' }, 41);
    figures.time(waiting, { provider: 'flite' }, 0.02);
    for (let n = 0; n < 1_000; n += 1) figures.count(spoken, { provider: `made-up-${n}` });
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

  it('show how much of a thing a service has at the moment, under its own name', async () => {
    const metrics = new Metrics();
    let lines = 3;
    metrics.figuresOf('speech').watch({ name: 'parley_lines_held', help: 'Lines.', labels: [] }, () => lines);
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
});
