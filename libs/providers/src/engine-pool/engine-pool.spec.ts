/** @waits priorities are told apart, and the other unit tests have the lowest already */
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import path from 'node:path';
import { runInCall } from '@parley/messaging';
import { eventually, LongWaits } from '@parley/testing';
import { z } from 'zod';
import { childProcess, EnginePool, EngineTime, FairGate, type Pace, workerThread } from './index';

// Priorities of threads are read from /proc.
const itOnLinux = process.platform === 'linux' ? it : it.skip;

const asOrganization = <T>(orgId: number, work: () => Promise<T>): Promise<T> => {
  const principal = { kind: 'system', keyId: 'spec', orgId } as const;
  const call = { requestId: 'spec', principal, deadlineAtMs: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
  return runInCall(call, work);
};

describe('EnginePool', () => {
  let started = 0;
  let pool: EnginePool<{ task: number | string }, z.ZodObject<{ answer: z.ZodNumber }>>;

  const options = {
    provider: 'doubler',
    places: 2,
    queueMax: 4,
    jobMs: 1_800_000,
    reply: z.object({ answer: z.number() }),
    start: async () => {
      started += 1;
      return childProcess(path.join(__dirname, 'crashing.fixture.ts'), []);
    },
  };

  beforeEach(() => {
    started = 0;
    pool = new EnginePool(options);
  });
  afterEach(() => pool.close());

  it('gives each job its own reply, on no more engines than it has places', async () => {
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((job) => pool.run({ task: job })));
    expect(answers.map(({ answer }) => answer)).toEqual([2, 4, 6, 8, 10, 12]);
    expect(started).toBe(2);
  });

  it('loses only the job of an engine that crashes, and replaces the engine', async () => {
    await expect(pool.run({ task: 'crash' })).rejects.toMatchObject({
      retryable: true,
      message: expect.stringContaining('code 3'),
    });
    expect(await pool.run({ task: 21 })).toEqual({ answer: 42 });
    expect(started).toBe(2);
  });

  it('kills an engine that hangs', async () => {
    using waits = new LongWaits();
    const hanging = pool.run({ task: 'hang' });
    await eventually('it is given to an engine', () => waits.held === 1);
    waits.end();
    await expect(hanging).rejects.toMatchObject({ retryable: true, message: expect.stringContaining('did not answer within') });
    expect(await pool.run({ task: 21 })).toEqual({ answer: 42 });
  });

  it('passes a refusal on and keeps the engine', async () => {
    await expect(pool.run({ task: 'refuse' })).rejects.toMatchObject({ retryable: false, message: 'doubler: will not' });
    await pool.run({ task: 1 });
    expect(started).toBe(1);
  });

  it('rejects a malformed reply', async () => {
    await expect(pool.run({ task: 'nonsense' })).rejects.toThrow();
    expect(await pool.run({ task: 21 })).toEqual({ answer: 42 });
  });

  it('refuses work once it is closed', async () => {
    await pool.close();
    await expect(pool.run({ task: 1 })).rejects.toThrow('is closed');
  });

  it('lets organizations take turns: a hundred jobs of one delay another only by those in progress', async () => {
    const order: string[] = [];
    const asked = (orgId: number, task: number) =>
      asOrganization(orgId, () => pool.run({ task })).then(() => order.push(`${orgId}`));
    // Of two engines one may be fast and the other not yet started: jobs end in the order in which they began with one only.
    pool = new EnginePool({ ...options, places: 1, queueMax: 200 });
    const all = Array.from({ length: 100 }, (_, task) => asked(1, task));
    await Promise.all([...all, asked(2, 1)]);
    expect(order.indexOf('2')).toBeLessThanOrEqual(2);
  });
});

describe('an organization that works engines more than others do', () => {
  let nowMs = 0;
  const time = () => new EngineTime(() => nowMs);

  it('yields while others want engines too, and no longer than that', () => {
    const spent = time();
    spent.add(1, 2_000);
    expect(spent.paceOf(1)).toBe('ordinary');
    spent.add(2, 800);
    expect([spent.paceOf(1), spent.paceOf(2), spent.paceOf(3)]).toEqual(['yielding', 'ordinary', 'ordinary']);
    spent.add(2, 1_000);
    expect(spent.paceOf(1)).toBe('ordinary');
    spent.add(1, 4_000);
    nowMs += 9_000;
    expect(spent.paceOf(1)).toBe('ordinary');
  });

  it('does not yield for a job now and then', () => {
    const spent = time();
    spent.add(1, 500);
    spent.add(2, 50);
    expect(spent.paceOf(1)).toBe('ordinary');
  });

  it('gets engines of lower priority than the others, which it leaves to them', async () => {
    const spent = time();
    // However long a process takes to start here, it is less.
    spent.add(1, 10_000_000);
    spent.add(2, 10);
    const started: Pace[] = [];
    const pool = new EnginePool({
      ...{ provider: 'doubler', places: 1, sparePlaces: 1, queueMax: 4, jobMs: 120_000, time: spent },
      reply: z.object({ answer: z.number() }),
      start: async (pace) => {
        started.push(pace);
        return childProcess(path.join(__dirname, 'crashing.fixture.ts'), [], pace);
      },
    });
    const priorityOf = (orgId: number) => asOrganization(orgId, () => pool.run({ task: 'priority' }));
    const [quiet, loud] = [await priorityOf(2), await priorityOf(1)];
    expect(loud.answer).toBe(quiet.answer + 5);
    expect([await priorityOf(1), await priorityOf(2)]).toEqual([loud, quiet]);
    expect(started).toEqual(['ordinary', 'yielding']);
    await pool.close();
  });

  const threadAtWork = async () => {
    const line = workerThread(path.join(__dirname, '../flite/flite.worker.ts'), undefined, 'yielding');
    const refused = new Promise((resolve) => line.onMessage(resolve));
    line.send({ text: '', voice: 'slt', pace: 1 });
    expect(await refused).toEqual({ failure: expect.any(String) });
    return line;
  };

  it('takes no priority from the process that its thread shares', async () => {
    const own = getPriority();
    const line = await threadAtWork();
    expect(getPriority()).toBe(own);
    line.kill();
  });

  itOnLinux('gives its thread a lower priority, on Linux', async () => {
    const prioritiesOfThreads = (): number[] =>
      readdirSync('/proc/self/task').map((thread) =>
        Number(readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ')[1]?.split(' ')[16]),
      );
    const own = getPriority();
    const line = await threadAtWork();
    expect(prioritiesOfThreads()).toContain(5 + own);
    line.kill();
  });
});

describe('a job that waits long', () => {
  afterEach(() => jest.useRealTimers());

  it('is refused as one too many, which is no failure of the engine, and leaves the queue', async () => {
    jest.useFakeTimers();
    const gate = new FairGate({ provider: 'spec', places: 1, queueMax: 10, waitMsMax: 4_000 });
    const end = Promise.withResolvers<void>();
    const working = gate.pass(() => end.promise);
    const done: string[] = [];
    const late = gate.pass(async () => done.push('late'));
    const begun = gate.pass(async () => done.push('begun'), undefined, 'begun');
    const refused = expect(late).rejects.toMatchObject({ retryable: true, isBusy: true });
    await jest.advanceTimersByTimeAsync(4_000);
    await refused;
    end.resolve();
    await Promise.all([working, begun]);
    expect(done).toEqual(['begun']);
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('FairGate with a spare place', () => {
  it('makes no organization wait for another’s job, and gives no second job the spare place', async () => {
    const gate = new FairGate({ provider: 'spec', places: 1, sparePlaces: 1, queueMax: 10 });
    const begun: string[] = [];
    const ends: Record<string, () => void> = {};
    const job = (orgId: number, name: string) =>
      asOrganization(orgId, () =>
        gate.pass(async () => {
          begun.push(name);
          await new Promise<void>((resolve) => (ends[name] = resolve));
        }),
      );
    const end = async (name: string) => {
      ends[name]?.();
      await new Promise(setImmediate);
    };
    const jobs = [job(1, 'a1'), job(1, 'a2'), job(2, 'b1'), job(2, 'b2'), job(3, 'c1')];
    await new Promise(setImmediate);
    expect(begun).toEqual(['a1', 'b1']);
    await end('b1');
    // The spare place is free again: organizations with a running job are skipped.
    expect(begun).toEqual(['a1', 'b1', 'b2']);
    await end('b2');
    expect(begun.at(-1)).toBe('c1');
    await end('c1');
    expect(begun).toHaveLength(4);
    await end('a1');
    expect(begun.at(-1)).toBe('a2');
    await end('a2');
    await Promise.all(jobs);
  });
});
