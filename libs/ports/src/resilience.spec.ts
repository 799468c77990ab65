import { CircuitBreaker, ProviderFailure, SharedBreakers } from './provider-failure';
import { FirstFailure, firstThatWorks, lateness, retrying, within } from './resilience';

describe('within', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('resolves to the work’s result, and leaves no timer behind', async () => {
    expect(await within(1_000, Promise.resolve('done'), () => 'late')).toBe('done');
    await expect(within(1_000, Promise.reject(new Error('failed')), () => 'late')).rejects.toThrow('failed');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('resolves to what `late` returns or throws, and ignores the work afterwards', async () => {
    const work = Promise.withResolvers<string>();
    const answered = within(1_000, work.promise, () => 'late');
    const thrown = within(1_000, work.promise, () => {
      throw new Error('too late');
    });
    const refused = expect(thrown).rejects.toThrow('too late');
    await jest.advanceTimersByTimeAsync(1_000);
    expect(await answered).toBe('late');
    await refused;
    work.reject(new Error('nobody hears this'));
    await Promise.resolve();
  });

  it('is over at once when told to stop, before or during the work, and leaves no timer behind', async () => {
    const { promise: never } = Promise.withResolvers<string>();
    expect(await within(1_000, never, () => 'stopped', AbortSignal.abort())).toBe('stopped');
    const stop = new AbortController();
    const outcome = within(1_000, never, () => 'stopped', stop.signal);
    stop.abort();
    expect(await outcome).toBe('stopped');
    expect(jest.getTimerCount()).toBe(0);
  });
});

it('reports the first failure of an outage, and the first after a recovery', () => {
  const reported: unknown[] = [];
  const failure = new FirstFailure((error) => reported.push(error));
  for (const error of ['first', 'second', 'third']) failure.failed(error);
  expect(reported).toEqual(['first']);
  for (const error of ['fourth', 'fifth']) {
    failure.recovered();
    failure.failed(error);
  }
  expect(reported).toEqual(['first', 'fourth', 'fifth']);
});

describe('a circuit breaker', () => {
  const late = lateness({ provider: 'a provider', timeoutMs: 8_000 });
  const slow = (breaker: CircuitBreaker) => {
    const { promise, reject } = Promise.withResolvers<never>();
    const outcome = breaker.run(() => promise).catch((failure: unknown) => failure);
    return () => {
      reject(late);
      return outcome;
    };
  };

  it('opens when all requests fail', async () => {
    const breaker = new CircuitBreaker();
    await Promise.all([slow(breaker), slow(breaker), slow(breaker)].map((fail) => fail()));
    expect(breaker.waitMs).toBeGreaterThan(0);
    // Who is refused meanwhile is told why: a limit of the account would be BUSY.
    const attempt = jest.fn();
    const refused = firstThatWorks([{ engine: 'slow', breaker }], attempt);
    await expect(refused).rejects.toMatchObject({ kind: 'TIMEOUT', message: expect.stringContaining('is not asked') });
    expect(attempt).not.toHaveBeenCalled();
  });

  it('stays closed for others if an engine that answers them is too slow for some, however many fail at once', async () => {
    const breaker = new CircuitBreaker();
    const heavy = Array.from({ length: 6 }, () => slow(breaker));
    await breaker.run(async () => 'a light one is answered meanwhile');
    expect(await Promise.all(heavy.map((fail) => fail()))).toEqual(heavy.map(() => late));
    expect(breaker.waitMs).toBe(0);
  });
});

describe('the circuit breakers of an engine that tenants share', () => {
  const down = new ProviderFailure('a provider', '500', { retryable: true });
  const fail = (breaker: CircuitBreaker) => breaker.run(() => Promise.reject(down)).catch(() => undefined);
  const work = (breaker: CircuitBreaker) => breaker.run(async () => 'done');
  const areOpen = (breakers: SharedBreakers, tenants: readonly number[]) => tenants.map((one) => breakers.of(one).waitMs > 0);

  it('open for the one whose requests fail, however many, and for nobody else', async () => {
    const breakers = new SharedBreakers();
    for (let request = 0; request < 12; request++) await fail(breakers.of(1));
    expect(areOpen(breakers, [1, 2, 3])).toEqual([true, false, false]);
    await fail(breakers.of(2));
    await work(breakers.of(3));
    expect(areOpen(breakers, [1, 2, 3])).toEqual([true, false, false]);
  });

  it('open for all once as many in a row fail as failures open one, and tell them why', async () => {
    const breakers = new SharedBreakers();
    for (const tenant of [1, 2, 3]) await fail(breakers.of(tenant));
    expect(areOpen(breakers, [1, 2, 3, 4])).toEqual([true, true, true, true]);
    expect(breakers.of(4).kind).toBe('UNAVAILABLE');
  });

  it('let one request of anybody try after the rest, and close for all whose own requests did not fail as often', async () => {
    jest.useFakeTimers();
    try {
      const breakers = new SharedBreakers();
      for (const tenant of [1, 2, 2, 2, 3]) await fail(breakers.of(tenant));
      jest.advanceTimersByTime(10_000);
      expect(areOpen(breakers, [1, 2, 3, 4])).toEqual([false, false, false, false]);
      const probe = Promise.withResolvers<string>();
      const probing = breakers.of(4).run(() => probe.promise);
      expect(areOpen(breakers, [1, 2, 3, 4])).toEqual([true, true, true, true]);
      probe.resolve('done');
      await probing;
      expect(areOpen(breakers, [1, 2, 3, 4])).toEqual([false, false, false, false]);
      await fail(breakers.of(2));
      expect(areOpen(breakers, [1, 2, 3, 4])).toEqual([false, true, false, false]);
      jest.advanceTimersByTime(10_000);
      await work(breakers.of(2));
      await fail(breakers.of(2));
      expect(areOpen(breakers, [2])).toEqual([false]);
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('retrying', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('waits as long as the provider asks, and no longer', async () => {
    const busy = new ProviderFailure('a provider', 'busy', { retryable: true, retryAfterMs: 700 });
    const attempt = jest.fn<Promise<string>, []>().mockRejectedValueOnce(busy).mockResolvedValue('done');
    const outcome = retrying(attempt);
    await jest.advanceTimersByTimeAsync(699);
    expect(attempt).toHaveBeenCalledTimes(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(await outcome).toBe('done');
  });

  it('leaves a wait beyond its patience to the caller', async () => {
    const busy = new ProviderFailure('a provider', 'busy', { retryable: true, retryAfterMs: 1_001 });
    const attempt = jest.fn<Promise<string>, []>().mockRejectedValue(busy);
    await expect(retrying(attempt)).rejects.toBe(busy);
    expect(attempt).toHaveBeenCalledTimes(1);
  });
});
