import path from 'node:path';
import { runInCall } from '@parley/messaging';
import { z } from 'zod';
import { childProcess, EnginePool } from './index';

describe('EnginePool', () => {
  let started = 0;
  let pool: EnginePool<{ task: number | string }, z.ZodObject<{ answer: z.ZodNumber }>>;

  const options = {
    provider: 'doubler',
    places: 2,
    queueMax: 4,
    jobMs: 2000,
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

  it('answers each job with its own reply, on no more engines than it has places', async () => {
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
    await expect(pool.run({ task: 'hang' })).rejects.toMatchObject({
      retryable: true,
      message: expect.stringContaining('2000 ms'),
    });
    expect(await pool.run({ task: 21 })).toEqual({ answer: 42 });
  });

  it('passes a refusal on and keeps the engine', async () => {
    await expect(pool.run({ task: 'refuse' })).rejects.toMatchObject({ retryable: false, message: 'doubler: will not' });
    await pool.run({ task: 1 });
    expect(started).toBe(1);
  });

  it('believes no reply of another shape', async () => {
    await expect(pool.run({ task: 'nonsense' })).rejects.toThrow();
    expect(await pool.run({ task: 21 })).toEqual({ answer: 42 });
  });

  it('refuses work once it is closed', async () => {
    await pool.close();
    await expect(pool.run({ task: 1 })).rejects.toThrow('is closed');
  });

  it('lets organizations take turns: a hundred jobs of one hold up another by those that are under way', async () => {
    const order: string[] = [];
    const asked = (orgId: number, task: number) => {
      const principal = { kind: 'system', keyId: 'spec', orgId } as const;
      const call = { requestId: 'spec', principal, deadlineAtMs: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
      return runInCall(call, () => pool.run({ task })).then(() => order.push(`${orgId}`));
    };
    const roomy = new EnginePool({ ...options, queueMax: 200 });
    pool = roomy;
    const all = Array.from({ length: 30 }, (_, task) => asked(1, task));
    await Promise.all([...all, asked(2, 1)]);
    expect(order.indexOf('2')).toBeLessThan(5);
  });
});
