import { DatabaseError } from 'pg';
import { Coalescer } from './coalescer';

const limits = { batchMax: 3, waitingMax: 5 };
const refusal = Object.assign(new DatabaseError('no', 0, 'error'), { code: '23514' });
const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });

describe('Coalescer', () => {
  it('flushes together what arrives during a flush, and gives each caller its own result', async () => {
    const batches: number[][] = [];
    const first = Promise.withResolvers<void>();
    const lane = new Coalescer<number, string>(async (items) => {
      batches.push(items);
      if (batches.length === 1) await first.promise;
      return items.map((item) => `did ${item}`);
    }, limits);
    const one = lane.submit(1, 1_000);
    await Promise.resolve();
    await Promise.resolve();
    const rest = [2, 3, 4, 5].map((item) => lane.submit(item, 1_000));
    first.resolve();
    expect(await Promise.all([one, ...rest])).toEqual(['did 1', 'did 2', 'did 3', 'did 4', 'did 5']);
    expect(batches).toEqual([[1], [2, 3, 4], [5]]);
  });

  it('writes what no caller waits for with the next flush, or soon by itself', async () => {
    const batches: number[][] = [];
    const lane = new Coalescer<number, number>(async (items) => {
      batches.push(items);
      return items;
    }, limits);
    const later = lane.submitLater(1, 1_000);
    await lane.submit(2, 1_000);
    expect([batches, await later]).toEqual([[[2, 1]], 1]);
    expect(await Promise.all([lane.submitLater(3, 1_000), lane.submitLater(4, 1_000)])).toEqual([3, 4]);
    expect(batches).toEqual([
      [2, 1],
      [3, 4],
    ]);
  });

  it('writes what nobody waited for at once, as soon as somebody does', async () => {
    jest.useFakeTimers();
    try {
      const batches: number[][] = [];
      const lane = new Coalescer<number, number>(async (items) => {
        batches.push(items);
        return items;
      }, limits);
      const afterMs = async (ms: number): Promise<number[][]> => {
        await jest.advanceTimersByTimeAsync(ms);
        return [...batches];
      };
      void lane.submitLater(1, 1_000);
      lane.flushNow();
      expect(await afterMs(60)).toEqual([[1]]);
      void lane.submitLater(2, 1_000);
      expect([await afterMs(60), await afterMs(40)]).toEqual([[[1]], [[1], [2]]]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('waits a moment for more after a shared flush, but not if enough are waiting', async () => {
    jest.useFakeTimers();
    try {
      const batches: number[][] = [];
      const first = Promise.withResolvers<void>();
      const flush = async (items: number[]): Promise<number[]> => {
        batches.push(items);
        if (batches.length === 1) await first.promise;
        return items;
      };
      const lane = new Coalescer<number, number>(flush, { batchMax: 50, waitingMax: 100 });
      const submit = (...items: number[]) => Promise.all(items.map((item) => lane.submit(item, 1_000)));
      const alone = submit(1);
      await jest.advanceTimersByTimeAsync(0);
      const shared = submit(2, 3, 4, 5);
      first.resolve();
      await Promise.all([alone, shared]);
      const [one, another] = [submit(6), submit(7)];
      await jest.advanceTimersByTimeAsync(0);
      expect(batches).toEqual([[1], [2, 3, 4, 5]]);
      await jest.advanceTimersByTimeAsync(5);
      await Promise.all([one, another]);
      expect(batches).toEqual([[1], [2, 3, 4, 5], [6, 7]]);
      await submit(8, 9, 10, 11);
      await submit(...Array.from({ length: 12 }, (_, n) => n));
      expect(batches.map(({ length }) => length)).toEqual([1, 4, 2, 4, 12]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('refuses what does not fit into its queue, with Retry-After', async () => {
    const open = Promise.withResolvers<void>();
    const lane = new Coalescer<number, number>(async (items) => open.promise.then(() => items), limits);
    const waiting = Array.from({ length: 5 }, (_, n) => lane.submit(n, 1_000));
    await expect(lane.submit(9, 1_000)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 });
    open.resolve();
    await Promise.all(waiting);
  });

  it('lets organizations take turns, and refuses items of the one with most', async () => {
    const batches: string[][] = [];
    const first = Promise.withResolvers<void>();
    const flush = async (items: string[]): Promise<string[]> => {
      batches.push(items);
      if (batches.length === 1) await first.promise;
      return items;
    };
    const lane = new Coalescer<string, string>(flush, { batchMax: 2, waitingMax: 5 }, ([organization]) => organization);
    const submitted = [lane.submit('a0', 1_000)];
    await Promise.resolve();
    await Promise.resolve();
    for (const item of ['a1', 'a2', 'a3', 'a4', 'a5', 'b1']) submitted.push(lane.submit(item, 1_000));
    first.resolve();
    const outcomes = await Promise.allSettled(submitted);
    expect(outcomes.map(({ status }) => status)).toEqual([...Array(5).fill('fulfilled'), 'rejected', 'fulfilled']);
    expect(batches).toEqual([['a0'], ['a1', 'b1'], ['a2', 'a3'], ['a4']]);
  });

  it('isolates an item that Postgres refuses, and reports the reason', async () => {
    const lane = new Coalescer<number, number>(async (items) => {
      if (items.includes(2)) throw refusal;
      return items;
    }, limits);
    const outcomes = await Promise.allSettled([1, 2, 3].map((item) => lane.submit(item, 1_000)));
    expect(outcomes).toEqual([
      { status: 'fulfilled', value: 1 },
      { status: 'rejected', reason: refusal },
      { status: 'fulfilled', value: 3 },
    ]);
  });

  it('finds the bad one among many in a few flushes', async () => {
    let flushes = 0;
    const lane = new Coalescer<number, number>(
      async (items) => {
        flushes += 1;
        if (items.includes(37)) throw refusal;
        return items;
      },
      { batchMax: 64, waitingMax: 64 },
    );
    const outcomes = await Promise.allSettled(Array.from({ length: 64 }, (_, item) => lane.submit(item, 30_000)));
    expect(outcomes.flatMap(({ status }, item) => (status === 'rejected' ? [item] : []))).toEqual([37]);
    expect(flushes).toBeLessThan(64 / 3);
  });

  it('retries while Postgres is down', async () => {
    let attempts = 0;
    const lane = new Coalescer<number, number>(async (items) => {
      attempts += 1;
      if (attempts < 3) throw away;
      return items;
    }, limits);
    expect(await lane.submit(7, 5_000)).toBe(7);
    expect(attempts).toBe(3);
  });

  it('gives up on an item whose patience has ended', async () => {
    const lane = new Coalescer<number, number>(() => Promise.reject(away), limits);
    await expect(lane.submit(7, 30)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  describe('in a process that was stopped for longer than anybody has patience', () => {
    afterEach(() => jest.restoreAllMocks());

    /** Wakes 25 seconds later, on both clocks. */
    const stop = (): void => {
      const [wall, monotonic] = [Date.now.bind(Date), performance.now.bind(performance)];
      jest.spyOn(Date, 'now').mockImplementation(() => wall() + 25_000);
      jest.spyOn(performance, 'now').mockImplementation(() => monotonic() + 25_000);
    };

    it('retries what was in progress, and tries what was waiting', async () => {
      const batches: number[][] = [];
      const lane = new Coalescer<number, number>(
        async (items) => {
          batches.push(items);
          if (batches.length > 1) return items;
          stop();
          throw away;
        },
        { batchMax: 1, waitingMax: 5 },
      );
      expect(await Promise.all([lane.submit(7, 2_000), lane.submit(8, 2_000)])).toEqual([7, 8]);
      expect(batches).toEqual([[7], [7], [8]]);
    });

    it('gives up once the rest of its patience has passed', async () => {
      let attempts = 0;
      const lane = new Coalescer<number, number>(async () => {
        attempts += 1;
        if (attempts === 1) stop();
        throw away;
      }, limits);
      await expect(lane.submit(7, 600)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      expect(attempts).toBeGreaterThan(1);
    });
  });
});
