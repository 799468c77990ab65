import { timingSources, simulateInterruption } from './simulated-interruption';

describe('history after an interruption', () => {
  it('holds what was played, at most one word less, never more', async () => {
    const runs = [];
    for (let seed = 1; seed <= 40; seed++) runs.push(await simulateInterruption(seed));
    const judged = runs.filter(({ timingSource }) => timingSource !== 'uneven, untimed');
    expect(new Set(runs.map(({ timingSource }) => timingSource))).toEqual(new Set(timingSources));
    expect(judged.filter(({ storedWords }) => storedWords > 0).length).toBeGreaterThan(15);
    expect(judged.filter(({ storedWords, heardWords }) => storedWords > heardWords || storedWords < heardWords - 1)).toEqual([]);
    expect(runs.filter(({ isPrefix }) => !isPrefix)).toEqual([]);
  });
});
