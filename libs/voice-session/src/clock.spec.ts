import { realClock } from './clock';

describe('realClock', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('fires within 8 ms of a deadline, and once for all deadlines that are due together', () => {
    const woken: string[] = [];
    const atMs = Math.ceil(realClock.now() / 8) * 8 + 8_000;
    for (const name of ['one', 'two']) realClock.wakeAt(atMs + (name === 'one' ? 1 : 4), () => woken.push(name));
    realClock.wakeAt(atMs + 12, () => woken.push('three'));
    const forget = realClock.wakeAt(atMs + 20, () => woken.push('four'));
    jest.advanceTimersToNextTimer();
    expect(woken).toEqual(['one', 'two']);
    expect(realClock.now() - atMs).toBeLessThanOrEqual(9);
    jest.advanceTimersToNextTimer();
    expect(woken).toEqual(['one', 'two', 'three']);
    forget();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('wakes repeated waiters, past deadlines, and those beside one that throws', () => {
    const woken: number[] = [];
    const again = (): void => {
      woken.push(realClock.now());
      if (woken.length < 3) realClock.wakeAt(realClock.now() - 1, again);
    };
    realClock.wakeAt(realClock.now() + 5, () => {
      throw new Error('one that fails');
    });
    realClock.wakeAt(realClock.now() + 5, again);
    expect(() => jest.advanceTimersByTime(16)).toThrow('one that fails');
    jest.advanceTimersByTime(40);
    expect(woken).toHaveLength(3);
    expect(jest.getTimerCount()).toBe(0);
  });
});
