/** @quiet Judged by CPU time. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { longestTurnMs, loopBudgetMs } from './longest-turn';

const cpuMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** Asking for the time is mostly the system's own time on some machines, so both count, as in what is tested. */
const busy = (ms: number) => {
  const until = cpuMs() + ms;
  while (cpuMs() < until);
};

describe('the longest turn of the loop', () => {
  it('is the longest that work kept others waiting', async () => {
    expect(await longestTurnMs(() => busy(150))).toBeGreaterThan(loopBudgetMs);
    const inParts = await longestTurnMs(async () => {
      for (let part = 0; part < 10; part++) {
        busy(15);
        await new Promise(setImmediate);
      }
    });
    expect(inParts).toBeGreaterThan(10);
    expect(inParts).toBeLessThan(loopBudgetMs);
  });

  it('does not count the collection of a heap that is large for other reasons', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const heap = Array.from({ length: 2_000_000 }, (_, index) => ({ index, text: `${index}` }));
    let tookMs = 0;
    const spent = await longestTurnMs(() => {
      const since = cpuMs();
      collect();
      tookMs = cpuMs() - since;
    });
    expect(heap).toHaveLength(2_000_000);
    expect(spent).toBeLessThan(tookMs / 2);
  });
});
