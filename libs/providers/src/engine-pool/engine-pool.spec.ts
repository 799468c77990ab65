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
  const doubler = {
    reply: z.object({ answer: z.number() }),
    start: async (pace: Pace) => childProcess(path.join(__dirname, 'crashing.fixture.ts'), [], pace),
  };

  it('yields while others want engines too, and no longer than that', () => {
    const spent = time();
    spent.add(1, 800);
    expect(spent.paceOf(1)).toBe('ordinary');
    spent.add(2, 300);
    expect([spent.paceOf(1), spent.paceOf(2), spent.paceOf(3)]).toEqual(['yielding', 'ordinary', 'ordinary']);
    spent.add(2, 400);
    expect(spent.paceOf(1)).toBe('ordinary');
    spent.add(1, 1_400);
    expect(spent.paceOf(1)).toBe('yielding');
    nowMs += 3_001;
    spent.add(1, 1_000);
    expect(spent.paceOf(1)).toBe('ordinary');
  });

  it('is noticed within a second, however much another had asked before', () => {
    const spent = time();
    spent.add(1, 866); // What is remembered of two engines without a pause.
    // One works for 40 ms in each tenth of a second now, the other in parallel without a pause.
    for (let tenths = 0; tenths < 10; tenths += 1) {
      nowMs += 100;
      spent.add(1, 40);
      spent.add(2, 100);
    }
    expect([spent.paceOf(1), spent.paceOf(2)]).toEqual(['ordinary', 'yielding']);
  });

  it('is noticed within half a second, if it had no jobs while another worked', () => {
    const spent = time();
    for (let tenths = 0; tenths < 100; tenths += 1) {
      nowMs += 100;
      spent.ask(1).end(50);
    }
    // One goes on as before, while the other suddenly asks for a job every 40 ms of an engine that does one in 50.
    const asked: { readonly end: (ms: number) => void }[] = [];
    for (let passedMs = 0; passedMs < 400; passedMs += 40) {
      nowMs += 40;
      asked.push(spent.ask(2));
      if (passedMs % 80 === 0) asked.shift()?.end(50);
      if (passedMs % 120 === 0) spent.ask(1).end(50);
    }
    expect([spent.paceOf(1), spent.paceOf(2)]).toEqual(['ordinary', 'yielding']);
  });

  it('counts what waits in full, however long it waits', () => {
    const spent = time();
    spent.ask(1).end(1_000);
    const waiting = Array.from({ length: 10 }, () => spent.ask(1));
    nowMs += 10_000;
    spent.add(2, 100);
    expect(spent.paceOf(1)).toBe('yielding');
    for (const { leave } of waiting) leave();
    expect(spent.paceOf(1)).toBe('ordinary');
  });

  it('is whoever has most waiting, where engines work as much for others', () => {
    const spent = time();
    const ask = (orgId: number, jobs: number) => Array.from({ length: jobs }, () => spent.ask(orgId));
    for (let job = 0; job < 50; job += 1) spent.ask(job % 2).end(50);
    expect([spent.paceOf(0), spent.paceOf(1)]).toEqual(['ordinary', 'ordinary']);
    const waiting = ask(1, 60);
    expect([spent.paceOf(0), spent.paceOf(1)]).toEqual(['ordinary', 'yielding']);
    for (const { leave } of waiting) leave();
    expect([spent.paceOf(0), spent.paceOf(1)]).toEqual(['ordinary', 'ordinary']);
  });

  it('does not yield for a job now and then', () => {
    const spent = time();
    spent.add(1, 250);
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
      reply: doubler.reply,
      start: async (pace) => {
        started.push(pace);
        return doubler.start(pace);
      },
    });
    const priorityOf = (orgId: number) => asOrganization(orgId, () => pool.run({ task: 'priority' }));
    const [quiet, loud] = [await priorityOf(2), await priorityOf(1)];
    expect(loud.answer).toBe(quiet.answer + 10);
    expect([await priorityOf(1), await priorityOf(2)]).toEqual([loud, quiet]);
    expect(started).toEqual(['ordinary', 'yielding']);
    await pool.close();
  });

  it('is whoever had most of the processor, however long jobs of others took beside it', async () => {
    const spent = time();
    const gate = new FairGate({ provider: 'spec', places: 2, queueMax: 4, time: spent });
    const worked = (orgId: number, cpuMs: number) =>
      asOrganization(orgId, () =>
        gate.pass(async (_pace, count) => {
          await new Promise(setImmediate);
          count(cpuMs);
        }),
      );
    await Promise.all([worked(1, 900), worked(2, 200)]);
    expect([spent.paceOf(1), spent.paceOf(2)]).toEqual(['yielding', 'ordinary']);
  });

  it('learns from each engine what a job has cost it, and not what its start did', async () => {
    const spent = time();
    const pool = new EnginePool({
      ...{ provider: 'doubler', places: 1, queueMax: 4, jobMs: 1_800_000, time: spent },
      ...doubler,
    });
    // So many milliseconds its fixture says that it had in all, by each reply.
    for (const cpuMs of [10_000, 10_500]) await asOrganization(1, () => pool.run({ task: cpuMs }));
    const ended = jest.fn();
    jest.spyOn(spent, 'ask').mockReturnValue({ end: ended, leave: () => undefined });
    await asOrganization(1, () => pool.run({ task: 10_800 }));
    expect(ended.mock.calls).toEqual([[300]]);
    await pool.close();
  });

  it('is told that engines are busy where its own had too little of the processor to answer in time', async () => {
    using waits = new LongWaits();
    const spent = time();
    spent.add(1, 10_000_000);
    spent.add(2, 10);
    const pool = new EnginePool({
      ...{ provider: 'doubler', places: 1, queueMax: 4, jobMs: 1_800_000, time: spent },
      ...doubler,
    });
    const late = asOrganization(1, () => pool.run({ task: 'hang' }));
    await eventually('it is given to an engine', () => waits.held === 1);
    waits.end();
    await expect(late).rejects.toMatchObject({ retryable: true, isBusy: true });
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

  /** A field of each thread's line in /proc, counted as in its manual. */
  const fieldsOfThreads = (field: number): number[] =>
    readdirSync('/proc/self/task').map((thread) =>
      Number(readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ')[1]?.split(' ')[field - 3]),
    );

  itOnLinux('gives its thread a lower priority, on Linux', async () => {
    const own = getPriority();
    const line = await threadAtWork();
    expect(fieldsOfThreads(19)).toContain(10 + own);
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

describe('an organization that lately had more of the engines', () => {
  afterEach(() => jest.useRealTimers());

  const spentBy = (ms: Readonly<Record<number, number>>): EngineTime => {
    const time = new EngineTime(() => 0);
    for (const [orgId, spent] of Object.entries(ms)) time.add(Number(orgId), spent);
    return time;
  };
  const gateWith = (time: EngineTime) => {
    const gate = new FairGate({ provider: 'spec', places: 1, sparePlaces: 1, queueMax: 10, time });
    const begun: string[] = [];
    const begin = (orgId: number, name: string) => {
      const end = Promise.withResolvers<void>();
      const done = asOrganization(orgId, () =>
        gate.pass(() => {
          begun.push(name);
          return end.promise;
        }),
      );
      return { end: end.resolve, done };
    };
    return { begin, begun };
  };
  const turn = () => new Promise(setImmediate);

  it('begins no job beside one of another, which may begin beside its own', async () => {
    const { begin, begun } = gateWith(spentBy({ 1: 5_000, 2: 500 }));
    const quiet = begin(2, 'quiet');
    const loud = begin(1, 'loud');
    await turn();
    expect(begun).toEqual(['quiet']);
    quiet.end();
    await turn();
    expect(begun).toEqual(['quiet', 'loud']);
    const again = begin(2, 'quiet again');
    await turn();
    expect(begun).toEqual(['quiet', 'loud', 'quiet again']);
    for (const job of [loud, again]) job.end();
    await Promise.all([quiet, loud, again].map(({ done }) => done));
  });

  it('takes no place from others by what it has in progress', async () => {
    const { begin, begun } = gateWith(spentBy({ 1: 5_000, 2: 500, 3: 100 }));
    const jobs = [begin(1, 'loud'), begin(2, 'quiet'), begin(3, 'another')];
    await turn();
    expect(begun).toEqual(['loud', 'quiet', 'another']);
    for (const job of jobs) job.end();
    await Promise.all(jobs.map(({ done }) => done));
  });

  it.each([
    ['about as much', { 1: 600, 2: 500 }],
    ['a job now and then', { 1: 100, 2: 1 }],
  ])('is held up by nobody where it had %s', async (_what, spent) => {
    const { begin, begun } = gateWith(spentBy(spent));
    const jobs = [begin(2, 'one'), begin(1, 'other')];
    await turn();
    expect(begun).toEqual(['one', 'other']);
    for (const job of jobs) job.end();
    await Promise.all(jobs.map(({ done }) => done));
  });

  it('waits only a moment for a job that takes long', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const { begin, begun } = gateWith(spentBy({ 1: 5_000, 2: 500 }));
    const jobs = [begin(2, 'long'), begin(1, 'loud')];
    await jest.advanceTimersByTimeAsync(49);
    expect(begun).toEqual(['long']);
    await jest.advanceTimersByTimeAsync(1);
    expect(begun).toEqual(['long', 'loud']);
    for (const job of jobs) job.end();
    await Promise.all(jobs.map(({ done }) => done));
    expect(jest.getTimerCount()).toBe(0);
  });
});
