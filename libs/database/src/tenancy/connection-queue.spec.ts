import { ConnectionQueue } from './tenant-scope';

const [noisy, quiet] = [1, 2];

/** Work that stays until it is let go, in the order in which it was begun. */
class Held {
  readonly begun: string[] = [];
  private readonly ends: (() => void)[] = [];

  work(name: string): () => Promise<void> {
    return () => {
      this.begun.push(name);
      return new Promise((resolve) => this.ends.push(resolve));
    };
  }

  async endOne(): Promise<void> {
    this.ends.shift()?.();
    await new Promise(setImmediate);
  }
}

/** No one hears of what is still in progress at the end of a test. */
const ask = (turns: ConnectionQueue, orgId: number, work: () => Promise<void>) =>
  void turns.pass(orgId, work).catch(() => undefined);

describe('connections by turns', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] }));
  afterEach(() => jest.useRealTimers());

  it('leave some to other organizations, however much one asks', () => {
    const turns = new ConnectionQueue(5, 60_000);
    const held = new Held();
    for (let n = 0; n < 100; n += 1) ask(turns, noisy, held.work(`noisy ${n}`));
    ask(turns, quiet, held.work('quiet'));
    expect(held.begun).toEqual(['noisy 0', 'noisy 1', 'noisy 2', 'quiet']);
  });

  it('go to an organization that came after hundreds of others’ before all but one of them', async () => {
    const turns = new ConnectionQueue(1, 60_000);
    const held = new Held();
    for (let n = 0; n < 300; n += 1) ask(turns, noisy, held.work(`noisy ${n}`));
    ask(turns, quiet, held.work('quiet'));
    for (let n = 0; n < 3; n += 1) await held.endOne();
    expect(held.begun).toEqual(['noisy 0', 'noisy 1', 'quiet', 'noisy 2']);
  });

  it('are used to the last by many organizations, and none twice', async () => {
    const turns = new ConnectionQueue(4, 60_000);
    const held = new Held();
    const all = Promise.all([1, 2, 3, 4, 5, 6].map((orgId) => turns.pass(orgId, held.work(`${orgId}`))));
    expect(held.begun).toHaveLength(4);
    for (let n = 0; n < 6; n += 1) await held.endOne();
    expect(held.begun).toEqual(['1', '2', '3', '4', '5', '6']);
    await all;
  });

  it('are not waited for beyond the patience, and come back from work that fails', async () => {
    const turns = new ConnectionQueue(1, 1_000);
    const held = new Held();
    const breaking = Promise.withResolvers<never>();
    const failing = turns.pass(noisy, () => breaking.promise);
    const late = turns.pass(quiet, held.work('late'));
    const settled = Promise.allSettled([failing, late]);
    jest.advanceTimersByTime(2_000);
    breaking.reject(new Error('broken'));
    expect(await settled).toMatchObject([
      { reason: { message: 'broken' } },
      { reason: { message: 'timeout exceeded when trying to connect' } },
    ]);
    ask(turns, quiet, held.work('next'));
    expect(held.begun).toEqual(['next']);
  });
});
