import fc from 'fast-check';
import { FairQueue, StartQueue } from './fair-queue';

const taken = (queue: FairQueue<string>): string[] => Array.from({ length: queue.size }, () => queue.shift() ?? '');

describe('FairQueue', () => {
  it('lets organizations take turns, each in its own order', () => {
    const queue = new FairQueue<string>(100);
    for (const item of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) queue.push(item[0], item);
    expect(taken(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  });

  it('delays a newly arrived organization by one item of each other, not by all of them', () => {
    const queue = new FairQueue<string>(10_000);
    for (let n = 0; n < 5_000; n += 1) queue.push('a', `a${n}`);
    queue.push('b', 'b');
    expect([queue.shift(), queue.shift()]).toContain('b');
  });

  it('drops the newest item of the organization with most, and never of one with fewer', () => {
    const queue = new FairQueue<string>(3);
    for (const item of ['a1', 'a2', 'a3']) expect(queue.push('a', item)).toBeUndefined();
    expect(queue.push('b', 'b1')).toBe('a3');
    expect(queue.push('a', 'a4')).toBe('a4');
    expect(taken(queue)).toEqual(['a1', 'b1', 'a2']);
  });

  it('never drops what must be kept', () => {
    const queue = new FairQueue<string>(2);
    for (const item of ['a1', 'a2', 'a3']) queue.keep('a', item);
    expect(queue.push('b', 'b1')).toBe('b1');
    expect(taken(queue)).toEqual(['a1', 'a2', 'a3']);
  });

  it('forgets removed items, and keeps the others’ order', () => {
    const queue = new FairQueue<string>(10);
    for (const item of ['a1', 'b1', 'a2', 'b2']) queue.push(item[0], item);
    expect([queue.remove('a1'), queue.remove('a1')]).toEqual([true, false]);
    expect(taken(queue)).toEqual(['a2', 'b1', 'b2']);
  });

  it('yields every item once, and gives nobody two turns while another waits', () => {
    const arrivals = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 60 });
    fc.assert(
      fc.property(arrivals, (organizations) => {
        const queue = new FairQueue<{ organization: number }>(1_000);
        const items = organizations.map((organization) => ({ organization }));
        for (const item of items) queue.push(item.organization, item);
        const order = items.map(() => queue.shift());
        expect(new Set(order).size).toBe(items.length);
        order.forEach((item, place) => {
          if (place === 0 || item?.organization !== order[place - 1]?.organization) return;
          expect(order.slice(place).every((later) => later?.organization === item?.organization)).toBe(true);
        });
      }),
    );
  });

  it('costs the same however many are waiting', () => {
    const msOfRounds = (waiting: number): number => {
      const queue = new FairQueue<object>(waiting);
      for (let n = 0; n < waiting; n += 1) queue.push(n % 50, {});
      const startedAt = performance.now();
      for (let n = 0; n < 2_000; n += 1) {
        const item = {};
        queue.push(n % 50, item);
        queue.remove(item);
        queue.keep(n % 50, queue.shift() ?? {});
      }
      return performance.now() - startedAt;
    };
    msOfRounds(100);
    const few = Math.min(...[1, 2, 3].map(() => msOfRounds(100)));
    const many = Math.min(...[1, 2, 3].map(() => msOfRounds(100_000)));
    // Searching all of them would cost a thousand times as much.
    expect(many).toBeLessThan(few * 50);
  });
});

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

  it('starts at once if there is little to do', () => {
    const queue = new StartQueue(10);
    queue.take(1, work('one'));
    queue.take(1, work('two'));
    expect(begun).toEqual(['one', 'two']);
  });

  it('lets an organization behind a thousand items of another go next but one', async () => {
    const queue = new StartQueue(2_000);
    for (let n = 0; n < 1_000; n += 1) queue.take('noisy', work(`noisy ${n}`));
    queue.take('quiet', work('quiet'));
    expect(begun).toHaveLength(8);
    await turnOfTheLoop();
    expect(begun.indexOf('quiet')).toBeLessThan(10);
    while (queue.waiting > 0) await turnOfTheLoop();
    expect(new Set(begun).size).toBe(1_001);
  });

  it('yields the event loop between large items', async () => {
    const queue = new StartQueue(100);
    for (let n = 0; n < 20; n += 1) queue.take('noisy', work(`noisy ${n}`, n < 8 ? 0 : 15));
    await turnOfTheLoop();
    expect(begun).toHaveLength(9);
    await turnOfTheLoop();
    expect(begun).toHaveLength(10);
  });

  it('drops the newest of the organization with most when the queue is full', () => {
    const queue = new StartQueue(3);
    for (let n = 0; n < 11; n += 1) queue.take('noisy', work(`noisy ${n}`));
    queue.take('quiet', work('quiet'));
    expect(refused).toEqual(['noisy 10']);
  });

  it('starts waiting work in order, even work that arrived while others started', async () => {
    const queue = new StartQueue(100);
    for (let n = 0; n < 9; n += 1) queue.take(1, work(`first ${n}`));
    queue.take(1, { begin: () => queue.take(1, work('inner')), refuse: () => undefined });
    queue.take(1, work('last'));
    while (queue.waiting > 0) await turnOfTheLoop();
    expect(begun.slice(-2)).toEqual(['last', 'inner']);
  });
});
