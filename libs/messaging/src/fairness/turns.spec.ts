import { Turns } from './turns';

const turnOfTheLoop = () => new Promise(setImmediate);

describe('work by turns', () => {
  const begun: string[] = [];
  const refused: string[] = [];
  const work = (name: string, ms = 0) => ({
    begin: () => {
      begun.push(name);
      for (const endMs = performance.now() + ms; performance.now() < endMs;);
    },
    refuse: () => void refused.push(name),
  });
  beforeEach(() => {
    begun.length = 0;
    refused.length = 0;
  });

  it('begins where it stands as long as little comes', () => {
    const turns = new Turns(10);
    turns.take(1, work('one'));
    turns.take(1, work('two'));
    expect(begun).toEqual(['one', 'two']);
  });

  it('lets an organization that came behind a thousand of another go next but one', async () => {
    const turns = new Turns(2_000);
    for (let n = 0; n < 1_000; n += 1) turns.take('noisy', work(`noisy ${n}`));
    turns.take('quiet', work('quiet'));
    expect(begun).toHaveLength(8);
    await turnOfTheLoop();
    expect(begun.indexOf('quiet')).toBeLessThan(10);
    while (turns.waiting > 0) await turnOfTheLoop();
    expect(new Set(begun).size).toBe(1_001);
  });

  it('does not keep the loop for what is large: the others are looked at between two of them', async () => {
    const turns = new Turns(100);
    for (let n = 0; n < 20; n += 1) turns.take('noisy', work(`noisy ${n}`, n < 8 ? 0 : 15));
    await turnOfTheLoop();
    expect(begun).toHaveLength(9);
    await turnOfTheLoop();
    expect(begun).toHaveLength(10);
  });

  it('turns away the youngest of whoever has most when nobody else may wait', () => {
    const turns = new Turns(3);
    for (let n = 0; n < 11; n += 1) turns.take('noisy', work(`noisy ${n}`));
    turns.take('quiet', work('quiet'));
    expect(refused).toEqual(['noisy 10']);
  });

  it('begins what came while others began after those that waited longer', async () => {
    const turns = new Turns(100);
    for (let n = 0; n < 9; n += 1) turns.take(1, work(`first ${n}`));
    turns.take(1, { begin: () => turns.take(1, work('inner')), refuse: () => undefined });
    turns.take(1, work('last'));
    while (turns.waiting > 0) await turnOfTheLoop();
    expect(begun.slice(-2)).toEqual(['last', 'inner']);
  });
});
