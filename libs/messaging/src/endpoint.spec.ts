import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Addressed } from './endpoint';
import { FairQueue } from './fairness/fair-queue';
import { Heartbeats } from './wire/heartbeats';

setFlagsFromString('--expose-gc');
const collect: (options?: { type: 'minor' }) => void = runInNewContext('gc');

const rounds = 40;
const itemsARound = 500;
const underWay = 16;
const roundsUntilOld = 4;
const kilobyte = (): number[] => new Array<number>(128).fill(0.5);

const oldBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')?.space_used_size ?? 0;

/** How many bytes outlive quick collections when 20,000 items of 1 kB come and go, 16 at a time. `come` returns what lets one go. */
function survivingBytes(come: (item: number[], address: string) => () => void): number {
  const leave: (() => void)[] = [];
  collect();
  const before = oldBytes();
  // One stays until it counts as old, and is garbage then.
  const leaveOld = come(kilobyte(), 'inbox.old');
  for (let item = 0; item < rounds * itemsARound; item += 1) {
    leave.push(come(kilobyte(), `inbox.${item.toString(36)}`));
    if (leave.length > underWay) leave.shift()?.();
    if (item === roundsUntilOld * itemsARound) leaveOld();
    if (item % itemsARound === 0) collect({ type: 'minor' });
  }
  return oldBytes() - before;
}

const megabyte = 1_048_576;

describe('what requests leave behind', () => {
  it('is collected quickly when their addresses are closed', () => {
    const addressed = new Addressed<number[]>();
    const survived = survivingBytes((item, address) => {
      addressed.add(address, item);
      return () => addressed.remove(address);
    });
    expect(survived).toBeLessThan(2 * megabyte);
  });

  it('is collected quickly when nobody watches them any more', () => {
    const heartbeats = new Heartbeats();
    const survived = survivingBytes((item) => {
      const watch = heartbeats.watch({ beat: () => item.pop() });
      return () => watch.stop();
    });
    heartbeats.close();
    expect(survived).toBeLessThan(2 * megabyte);
  });

  it('is collected quickly when a queue was empty meanwhile', () => {
    const queue = new FairQueue<number[]>(100);
    const survived = survivingBytes((item) => {
      queue.push(item, item);
      queue.push(undefined, kilobyte());
      return () => {
        while (queue.size > 0) queue.shift();
      };
    });
    expect(survived).toBeLessThan(2 * megabyte);
  });
});

describe('Addressed', () => {
  it('finds what was added and not removed, whatever shares its place', () => {
    const addressed = new Addressed<number>();
    for (let n = 0; n < 2_000; n += 1) addressed.add(`a.${n}`, n);
    for (let n = 0; n < 2_000; n += 3) addressed.remove(`a.${n}`);
    addressed.remove('a.0');
    expect([addressed.get('a.0'), addressed.get('a.1'), addressed.get('a.1999'), addressed.get('b')]).toEqual([
      undefined,
      1,
      1999,
      undefined,
    ]);
    expect(addressed.size).toBe(addressed.values().length);
    expect(addressed.values().toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 2_000 }, (_, n) => n).filter((n) => n % 3 > 0),
    );
  });
});
