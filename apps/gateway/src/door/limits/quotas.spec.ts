import { Broadcasts } from '@parley/messaging';
import { QuotaEventsController } from './quota-events.controller';
import { Quotas, tickMs } from './quotas';

const policy = { limit: 100, intervalMs: 100 };
const bucket = { name: 'key 1 read', policy };
/** What a limit gives in a time: a burst, then one each interval. */
const dueIn = (ms: number) => policy.limit + Math.floor(ms / policy.intervalMs);

/** Gateways on one clock, whose messages to each other take a while. */
function scripted(count: number, newsMs = 30) {
  let nowMs = 1_000_000;
  const gateways = Array.from({ length: count }, (_, id) => ({ id: `g${id}`, quotas: new Quotas(() => nowMs), granted: 0 }));
  for (const { quotas } of gateways) quotas.gateways = count;
  const post: { atMs: number; deliver: () => void }[] = [];
  const endTick = () => {
    for (const from of gateways) {
      const takings = from.quotas.endTick();
      const deliver = () => gateways.filter((to) => to !== from).forEach(({ quotas }) => quotas.hear(from.id, takings));
      post.push({ atMs: nowMs + newsMs, deliver });
    }
  };
  /** Asks every gateway this often each millisecond. */
  const flood = (ms: number, asks: (gateway: number) => number) => {
    for (const endMs = nowMs + ms; nowMs < endMs; nowMs += 1) {
      if (nowMs % tickMs === 0) endTick();
      while (post[0] && post[0].atMs <= nowMs) post.shift()?.deliver();
      gateways.forEach((gateway, index) => {
        for (let ask = 0; ask < asks(index); ask += 1) if (gateway.quotas.take([bucket])[0]?.isGranted) gateway.granted += 1;
      });
    }
    return gateways.reduce((sum, { granted }) => sum + granted, 0);
  };
  return { flood, gateways };
}

describe('a limit', () => {
  it('is exact on one gateway', () => {
    expect(scripted(1).flood(10_000, () => 3)).toBe(dueIn(10_000 - 1));
  });

  it.each([2, 4])('is never exceeded by %i gateways flooded at once, and is used up', (count) => {
    const granted = scripted(count).flood(10_000, () => 3);
    expect(granted).toBeLessThanOrEqual(dueIn(10_000));
    expect(granted).toBeGreaterThan(0.9 * dueIn(10_000));
  });

  it('is available in full at the one gateway of two that is asked', () => {
    const granted = scripted(2).flood(10_000, (gateway) => (gateway === 0 ? 3 : 0));
    expect(granted).toBeGreaterThan(0.95 * dueIn(10_000));
    expect(granted).toBeLessThanOrEqual(dueIn(10_000));
  });

  it('is exceeded by at most 5 % when a second gateway joins later', () => {
    const { flood } = scripted(2);
    flood(3_000, (gateway) => (gateway === 0 ? 3 : 0));
    expect(flood(7_000, () => 3)).toBeLessThanOrEqual(1.05 * dueIn(10_000));
  });

  it('admits somebody even with more gateways than allowed requests', () => {
    const quotas = new Quotas(() => 5_000);
    quotas.gateways = 4;
    expect(quotas.take([{ name: 'x', policy: { limit: 1, intervalMs: 1_000 } }])[0]).toMatchObject({ isGranted: true });
    expect(quotas.take([{ name: 'x', policy: { limit: 1, intervalMs: 1_000 } }])[0]).toMatchObject({ isGranted: false });
  });

  it('takes nothing from one limit when another refuses', () => {
    const quotas = new Quotas(() => 5_000);
    const small = { name: 'small', policy: { limit: 1, intervalMs: 1_000 } };
    quotas.take([small]);
    for (let ask = 0; ask < 10; ask += 1) quotas.take([bucket, small]);
    expect(quotas.hasLeft(bucket)).toMatchObject({ remaining: policy.limit - 1 });
  });

  it('says when to retry', () => {
    const quotas = new Quotas(() => 5_000);
    const small = { name: 'small', policy: { limit: 1, intervalMs: 4_000 } };
    expect(quotas.take([small])[0]).toEqual({ isGranted: true, remaining: 0, resetMs: 4_000, retryMs: 0 });
    expect(quotas.take([small])[0]).toEqual({ isGranted: false, remaining: 0, resetMs: 4_000, retryMs: 4_000 });
  });

  it('is forgotten once it is full again, and the number in memory is limited', () => {
    let nowMs = 5_000;
    const quotas = new Quotas(() => nowMs);
    for (let n = 0; n < 100_500; n += 1) quotas.take([{ name: `key ${n} read`, policy }]);
    expect(quotas.size).toBe(100_000);
    nowMs += 10_000;
    for (let tick = 0; tick < 60; tick += 1) quotas.endTick();
    expect(quotas.size).toBe(0);
  });
});

class RecordedNews extends Broadcasts {
  readonly saidAtMs: number[] = [];

  override announce(): void {
    this.saidAtMs.push(Date.now());
  }

  override onMissed(): () => void {
    return () => undefined;
  }
}

describe('gateways’ reports to each other', () => {
  const nothing = { buckets: [], counts: [], intervalsMs: [] };
  let news: RecordedNews;
  let controller: QuotaEventsController;
  beforeEach(() => {
    jest.useFakeTimers({ now: 1_000_000 });
    news = new RecordedNews();
    controller = new QuotaEventsController(new Quotas(), news);
    void controller.onApplicationBootstrap();
  });
  afterEach(() => {
    controller.beforeApplicationShutdown();
    jest.useRealTimers();
  });

  it('are rare while there is no other, and sent every second while there is', async () => {
    await jest.advanceTimersByTimeAsync(20_000);
    expect(news.saidAtMs.length).toBeLessThanOrEqual(5);
    const before = news.saidAtMs.length;
    for (let second = 0; second < 20; second += 1) {
      controller.hear({ gateway: 'another', ...nothing });
      await jest.advanceTimersByTimeAsync(1_000);
    }
    expect(news.saidAtMs.length - before).toBeGreaterThanOrEqual(18);
  });

  it('are sent at once when another gateway appears', async () => {
    await jest.advanceTimersByTimeAsync(2_000);
    const before = news.saidAtMs.length;
    controller.hear({ gateway: 'another', ...nothing });
    await jest.advanceTimersByTimeAsync(2 * tickMs);
    expect(news.saidAtMs.length).toBe(before + 1);
  });
});
