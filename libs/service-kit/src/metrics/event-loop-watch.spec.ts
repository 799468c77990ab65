import { eventually } from '@parley/testing';
import type { Logger } from '../logging/logger';
import { EventLoopWatch } from '../process/process-parts';

function recordingLog(): { log: Logger; warned: Promise<object> } {
  const { promise, resolve } = Promise.withResolvers<object>();
  const silent = (): void => undefined;
  const log: Logger = {
    debug: silent,
    info: silent,
    error: silent,
    warn: (_message, fields = {}) => resolve(fields),
    with: () => log,
  };
  return { log, warned: promise };
}

describe('the watch over the event loop', () => {
  it('warns when something blocked it for longer than the threshold', async () => {
    const { log, warned } = recordingLog();
    using _watch = new EventLoopWatch(log, 50, 200);
    let isWarned = false;
    void warned.then(() => (isWarned = true));
    // It sees a turn of the loop that is late only after one that was not.
    await eventually('it warns', () => {
      const until = performance.now() + 120;
      while (performance.now() < until);
      return isWarned;
    });
    expect(await warned).toMatchObject({ thresholdMs: 50, delayMs: expect.any(Number) });
  });

  it('wakes an idle process every ten seconds, and looks at a loop with work every second', () => {
    jest.useFakeTimers({ doNotFake: ['performance'] });
    const use = { idle: 0, active: 0, utilization: 0 };
    const looked = jest.spyOn(performance, 'eventLoopUtilization').mockImplementation(() => ({ ...use }));
    try {
      using _watch = new EventLoopWatch(recordingLog().log, 50);
      looked.mockClear();
      jest.advanceTimersByTime(61_000);
      // A look asks twice: for now, and for what was since. The first one is a second after the start.
      expect(looked).toHaveBeenCalledTimes(14);
      expect(jest.getTimerCount()).toBe(1);
      use.utilization = 1;
      jest.advanceTimersByTime(10_000);
      looked.mockClear();
      jest.advanceTimersByTime(10_000);
      expect(looked).toHaveBeenCalledTimes(20);
    } finally {
      looked.mockRestore();
      jest.useRealTimers();
    }
  });
});
