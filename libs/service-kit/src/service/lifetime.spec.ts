import { AsyncLocalStorage } from 'node:async_hooks';
import { Metrics } from '../metrics/metrics';
import { RegularTasks } from './lifetime';

const everyMs = 1_000;

describe('the regular work of a service', () => {
  const metrics = new Metrics();
  const log = { warn: jest.fn(), debug: jest.fn(), info: jest.fn(), error: jest.fn(), pii: jest.fn(), with: jest.fn() };
  let ending: AbortController;
  let tasks: RegularTasks;
  beforeEach(() => {
    jest.useFakeTimers();
    log.warn.mockClear();
    ending = new AbortController();
    tasks = new RegularTasks({ draining: ending.signal, overdue: ending.signal }, log, metrics.metricsOf('speech'));
  });
  afterEach(() => jest.useRealTimers());

  const work = (run: () => Promise<number | void>, more: { lasts?: boolean; isExpected?: () => boolean } = {}) =>
    tasks.of({ name: 'old files', everyMs, run, trouble: 'Files could not be swept', ...more });
  const failures = async (): Promise<number> => {
    const line = /^parley_regular_work_failures_total\{.*work="old files"\} (\d+)$/m.exec(await metrics.exposition());
    return Number(line?.[1] ?? 0);
  };

  it('never overlaps: what takes longer skips the runs it missed', async () => {
    const ends: (() => void)[] = [];
    work(() => new Promise((resolve) => ends.push(resolve))).start();
    await jest.advanceTimersByTimeAsync(2_500);
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await jest.advanceTimersByTimeAsync(499);
    expect(ends).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(ends).toHaveLength(2);
  });

  it('keeps no process alive', () => {
    const timers = jest.spyOn(globalThis, 'setTimeout');
    work(async () => undefined).start(everyMs);
    expect(timers.mock.results.map(({ value }) => (value as NodeJS.Timeout).hasRef())).toEqual([false]);
    timers.mockRestore();
  });

  it('waits as long as a run asks for, and not at all if it is woken during one', async () => {
    const run = jest.fn(async () => 5_000);
    const regular = work(run);
    regular.start();
    await jest.advanceTimersByTimeAsync(4_999);
    expect(run).toHaveBeenCalledTimes(1);
    run.mockImplementationOnce(async () => {
      regular.wake();
      return 5_000;
    });
    await jest.advanceTimersByTimeAsync(5);
    expect(run).toHaveBeenCalledTimes(3);
  });

  it('rests until it is started if a run asks for that, even if it is started during the run', async () => {
    const run = jest.fn(async () => Number.POSITIVE_INFINITY);
    const regular = work(run);
    regular.start();
    await jest.advanceTimersByTimeAsync(3_600_000);
    expect([run.mock.calls.length, jest.getTimerCount()]).toEqual([1, 0]);
    run.mockImplementationOnce(async () => {
      regular.start(everyMs);
      return Number.POSITIVE_INFINITY;
    });
    regular.wake();
    await jest.advanceTimersByTimeAsync(everyMs);
    expect([run.mock.calls.length, jest.getTimerCount()]).toEqual([3, 0]);
  });

  it('belongs to no request, whichever one wakes it', async () => {
    const requests = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    const regular = work(async () => void seen.push(requests.getStore()));
    await requests.run('a request', () => regular.now());
    await jest.advanceTimersByTimeAsync(everyMs);
    expect(seen).toEqual([undefined, undefined]);
  });

  it('runs at once on request, but never concurrently', async () => {
    const end = Promise.withResolvers<void>();
    const run = jest.fn(() => end.promise);
    const regular = work(run);
    const both = Promise.all([regular.now(), regular.now()]);
    end.resolve();
    await both;
    expect(run).toHaveBeenCalledTimes(1);
    await jest.advanceTimersByTimeAsync(everyMs);
    expect(run).toHaveBeenCalledTimes(2);
  });

  it('logs its first failure, counts each, and logs again after it worked in between', async () => {
    const before = await failures();
    const run = jest.fn(async () => {
      throw new Error('no Postgres');
    });
    work(run).start();
    await jest.advanceTimersByTimeAsync(4 * everyMs);
    expect(log.warn.mock.calls).toEqual([['Files could not be swept', { work: 'old files', error: new Error('no Postgres') }]]);
    expect((await failures()) - before).toBe(5);
    run.mockResolvedValueOnce(undefined as never);
    await jest.advanceTimersByTimeAsync(2 * everyMs);
    expect(log.warn).toHaveBeenCalledTimes(2);
  });

  it('does not report expected failures', async () => {
    const before = await failures();
    work(() => Promise.reject(new Error('overtaken')), { isExpected: () => true }).start();
    await jest.advanceTimersByTimeAsync(everyMs);
    expect([log.warn.mock.calls.length, (await failures()) - before]).toEqual([0, 0]);
  });

  it('ends when the service drains, while work needed by requests in flight continues to the end', async () => {
    const [sweep, lease] = [jest.fn(async () => undefined), jest.fn(async () => undefined)];
    work(sweep).start(everyMs);
    work(lease, { lasts: true }).start(everyMs);
    ending.abort();
    await tasks.onModuleDestroy();
    await jest.advanceTimersByTimeAsync(3 * everyMs);
    expect([sweep.mock.calls.length, lease.mock.calls.length]).toEqual([0, 3]);
    await tasks.onApplicationShutdown();
    await jest.advanceTimersByTimeAsync(3 * everyMs);
    expect(lease).toHaveBeenCalledTimes(3);
  });

  it('has ended only when its current run has', async () => {
    const end = Promise.withResolvers<void>();
    work(() => end.promise).start();
    await jest.advanceTimersByTimeAsync(0);
    let isOver = false;
    const stopping = tasks.onModuleDestroy().then(() => (isOver = true));
    await jest.advanceTimersByTimeAsync(everyMs);
    expect(isOver).toBe(false);
    end.resolve();
    await stopping;
    expect(isOver).toBe(true);
  });
});
