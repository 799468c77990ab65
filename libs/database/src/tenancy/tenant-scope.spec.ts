import { runInCall } from '@parley/messaging';
import { testDatabase, type TestDatabase } from '@parley/testing';
import fc from 'fast-check';
import { DataSource, type EntityManager } from 'typeorm';
import { Agent, agentsSchema } from '../agents.example';
import { connectionOptions } from '../connection-options';
import { migrateSchema } from '../migrate-schema';
import { prepared, type Statement } from '../queries';
import { TenantScope } from './tenant-scope';

const mine = 1;
const theirs = 2;
const names = async (manager: EntityManager) =>
  (await manager.find(Agent, { order: { id: 'ASC' } })).map((agent) => agent.displayName);

describe('TenantScope', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let scope: TenantScope;

  beforeAll(async () => {
    database = await testDatabase();
    await migrateSchema(agentsSchema, database.url);
    dataSource = await new DataSource(connectionOptions(agentsSchema, { url: database.url, poolMax: 2 })).initialize();
    scope = new TenantScope(dataSource);
  });
  beforeEach(async () => {
    await scope.acrossTenants('a clean table for the next test', (manager) => manager.query('DELETE FROM agents'));
    await scope.run(mine, (manager) => manager.insert(Agent, { orgId: mine, displayName: 'Mira' }));
    await scope.run(theirs, (manager) => manager.insert(Agent, { orgId: theirs, displayName: 'Theo' }));
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.close();
  });

  it('shows the rows of its own organization and no other', async () => {
    expect(await scope.run(mine, names)).toEqual(['Mira']);
    expect(await scope.read(theirs, names)).toEqual(['Theo']);
  });

  it('shows nothing outside of a scope, also on a connection that had one before', async () => {
    for (let round = 0; round < 4; round += 1) expect(await names(dataSource.manager)).toEqual([]);
    expect(await dataSource.query('UPDATE agents SET display_name = $1 RETURNING id', ['stolen'])).toEqual([[], 0]);
  });

  it('takes no row outside of a scope, nor one of another organization', async () => {
    const row = { orgId: theirs, displayName: 'Planted' };
    await expect(dataSource.manager.insert(Agent, row)).rejects.toThrow('row-level security');
    await expect(scope.run(mine, (manager) => manager.insert(Agent, row))).rejects.toThrow('row-level security');
    expect(await scope.run(theirs, names)).toEqual(['Theo']);
  });

  it('refuses with Retry-After while every connection is busy, and admits the retry', async () => {
    const options = connectionOptions(agentsSchema, { url: database.url, poolMax: 1, acquireTimeoutMs: 1_000 });
    const narrow = await new DataSource(options).initialize();
    const crowded = new TenantScope(narrow);
    const [begun, leave] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const long = crowded.run(mine, async () => {
      begun.resolve();
      await leave.promise;
    });
    await begun.promise;
    await expect(crowded.read(mine, names)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 });
    leave.resolve();
    await long;
    expect(await crowded.read(mine, names)).toEqual(['Mira']);
    await narrow.destroy();
  });

  it('holds a transaction of one statement to its organization, and keeps nothing of one that fails', async () => {
    const statement = { name: 'all-names', text: 'SELECT display_name AS name FROM agents', values: [] };
    expect(await scope.once(mine, statement)).toEqual([{ name: 'Mira' }]);
    expect(await scope.once(theirs, statement)).toEqual([{ name: 'Theo' }]);
    const text = "WITH renamed AS (UPDATE agents SET display_name = 'Lost') SELECT 1 / $1::int";
    for (let round = 0; round < 3; round += 1)
      await expect(scope.once(mine, { name: 'failing', text, values: [0] })).rejects.toThrow('division by zero');
    expect(await scope.once(mine, statement)).toEqual([{ name: 'Mira' }]);
    expect(await names(dataSource.manager)).toEqual([]);
  });

  it('holds each statement of a common transaction to its own organization, and keeps all of them or none', async () => {
    const part = (orgId: number, text: string, ...values: unknown[]) => ({ orgId, statement: { name: text, text, values } });
    const names = 'SELECT display_name AS name FROM agents';
    const renaming = 'UPDATE agents SET display_name = display_name || $1';
    const seen = await scope.together([part(mine, renaming, '!'), part(theirs, names), part(mine, names)]);
    expect(seen).toEqual([[], [{ name: 'Theo' }], [{ name: 'Mira!' }]]);
    const failing = [part(mine, renaming, '?'), part(mine, 'SELECT 1 / $1::int', 0), part(theirs, renaming, '?')];
    await expect(scope.together(failing)).rejects.toThrow('division by zero');
    const planting = part(mine, 'INSERT INTO agents (org_id, display_name) VALUES ($1, $2)', theirs, 'Planted');
    await expect(scope.together([part(theirs, renaming, '?'), planting])).rejects.toThrow('row-level security');
    expect(await scope.together([part(theirs, names), part(mine, names)])).toEqual([[{ name: 'Theo' }], [{ name: 'Mira!' }]]);
  });

  it('keeps nothing of a common transaction with a value that cannot be written, and lets no part of it into another', async () => {
    const endless: Record<string, unknown> = {};
    endless['itself'] = endless;
    const part = (text: string, ...values: unknown[]) => ({ orgId: mine, statement: { name: text, text, values } });
    const renaming = part('UPDATE agents SET display_name = display_name || $1', '?');
    for (let round = 0; round < 3; round += 1)
      await expect(scope.together([renaming, part('SELECT $1::json', endless)])).rejects.toThrow();
    const names = part('SELECT display_name AS name FROM agents');
    expect(await scope.together([names])).toEqual([[{ name: 'Mira' }]]);
  });

  it.each(['session', 'transaction'] as const)(
    'gives each trip its own rows, also without values, pooled by %s',
    async (pooling) => {
      const options = connectionOptions(agentsSchema, { url: database.url, poolMax: 1, pooling });
      const pooled = await new DataSource(options).initialize();
      const tenants = new TenantScope(pooled);
      const why = 'a test looks across organizations';
      const trip = (name: string, text: string, values: unknown[] = []) => tenants.acrossTenantsOnce(why, { name, text, values });
      for (const one of [1, 2, 3]) {
        expect(await trip('no rows', 'SELECT 1 AS one WHERE false')).toEqual([]);
        expect(await trip('a row', 'SELECT $1::int AS one', [one])).toEqual([{ one }]);
        expect(await trip('two rows', 'SELECT generate_series(1, 2) AS one')).toEqual([{ one: 1 }, { one: 2 }]);
        expect(await tenants.acrossTenants(why, (manager) => manager.query('SELECT 2 AS two'))).toEqual([{ two: 2 }]);
      }
      await pooled.destroy();
    },
  );

  it.each(['session', 'transaction'] as const)(
    'answers a named statement alike after any failures of it, in a trip or in a transaction, pooled by %s',
    async (pooling) => {
      const options = connectionOptions(agentsSchema, { url: database.url, poolMax: 1, pooling });
      const pooled = await new DataSource(options).initialize();
      const tenants = new TenantScope(pooled);
      const why = 'a test divides';
      // Each sequence begins with a statement that the connection does not know.
      let sequences = 0;
      const by = (value: number) => ({ name: `divide-${sequences}`, text: 'SELECT 1 / $1::int AS one', values: [value] });
      const ways = {
        trip: (value: number) => tenants.acrossTenantsOnce<{ one: number }>(why, by(value)),
        transaction: (value: number) => tenants.acrossTenants(why, (manager) => prepared<{ one: number }>(manager, by(value))),
        commit: async (value: number) => {
          await tenants.acrossTenantsEndingWith(why, async () => ({ result: undefined, last: [by(value)] }));
          return [{ one: 1 }];
        },
      };
      const asked = fc.tuple(fc.constantFrom('trip' as const, 'transaction' as const, 'commit' as const), fc.constantFrom(0, 1));
      await fc.assert(
        fc.asyncProperty(fc.array(asked, { minLength: 1, maxLength: 8 }), async (sequence) => {
          sequences += 1;
          for (const [way, value] of sequence) {
            const answer = ways[way](value);
            if (value === 1) expect(await answer).toEqual([{ one: 1 }]);
            else await expect(answer).rejects.toThrow('division by zero');
          }
        }),
        { numRuns: 40 },
      );
      await pooled.destroy();
    },
  );

  it('prepares its statements once for each connection, and none where a pooler hands connections on', async () => {
    const text = 'SELECT count(*)::int AS count FROM pg_prepared_statements WHERE name = $1';
    const counting = { name: 'count-prepared', text, values: ['count-prepared'] };
    const counts = async (of: TenantScope) => [await of.once(mine, counting), await of.once(mine, counting)].flat();
    const options = connectionOptions(agentsSchema, { url: database.url, poolMax: 1, pooling: 'transaction' });
    const pooled = await new DataSource(options).initialize();
    expect(await counts(new TenantScope(pooled))).toEqual([{ count: 0 }, { count: 0 }]);
    await pooled.destroy();
    expect(await counts(scope)).toEqual([{ count: 1 }, { count: 1 }]);
  });

  it('finds rows of a common transaction by their keys, also by a plan that was made while the table was small', async () => {
    const text = 'EXPLAIN SELECT display_name FROM unnest($1::int[]) AS wanted (id) JOIN agents USING (id)';
    const wanted = Array.from({ length: 1000 }, (_, id) => id);
    const [plan = []] = await scope.together([{ orgId: mine, statement: { name: 'explain', text, values: [wanted] } }]);
    expect(JSON.stringify(plan)).toContain('Index');
    expect(JSON.stringify(plan)).not.toContain('Seq Scan');
  });

  it('writes nothing for a question that only reads, which another replica may be asked as well', async () => {
    const call = { requestId: 'r', deadlineAtMs: Date.now() + 60_000, signal: new AbortController().signal, onlyReads: true };
    const text = "UPDATE agents SET display_name = 'Twice'";
    await runInCall(call, async () => {
      await expect(scope.run(mine, (manager) => manager.query(text))).rejects.toThrow('read-only transaction');
      await expect(scope.once(mine, { name: 'twice', text, values: [] })).rejects.toThrow('read-only transaction');
      expect(await scope.run(mine, names)).toEqual(['Mira']);
      expect(await scope.once(mine, { name: 'look', text: 'SELECT 1 AS one', values: [] })).toEqual([{ one: 1 }]);
    });
    await scope.once(mine, { name: 'after', text, values: [] });
    expect(await scope.run(mine, names)).toEqual(['Twice']);
  });

  it('moves no row to another organization', async () => {
    const move = scope.run(mine, (manager) => manager.update(Agent, { displayName: 'Mira' }, { orgId: theirs }));
    await expect(move).rejects.toThrow('row-level security');
  });

  it('depends on the policy alone: without it, every row shows', async () => {
    await dataSource.query('ALTER TABLE agents DISABLE ROW LEVEL SECURITY');
    expect(await scope.run(mine, names)).toEqual(['Mira', 'Theo']);
    await dataSource.query('ALTER TABLE agents ENABLE ROW LEVEL SECURITY');
    expect(await scope.run(mine, names)).toEqual(['Mira']);
  });

  it('keeps 200 interleaved scopes on two connections apart', async () => {
    const seen = await Promise.all(
      Array.from({ length: 200 }, (_, index) => (index % 2 ? scope.read(mine, names) : scope.run(theirs, names))),
    );
    expect(seen).toEqual(Array.from({ length: 200 }, (_, index) => [index % 2 ? 'Mira' : 'Theo']));
  });

  it('writes all or nothing', async () => {
    const broken = scope.run(mine, async (manager) => {
      await manager.insert(Agent, { orgId: mine, displayName: 'Half' });
      throw new Error('changed my mind');
    });
    await expect(broken).rejects.toThrow('changed my mind');
    expect(await scope.run(mine, names)).toEqual(['Mira']);
  });

  it('tells the caller when a swallowed failure undid the work', async () => {
    const swallowing = scope.run(mine, async (manager) => {
      await manager.insert(Agent, { orgId: mine, displayName: 'Lost' });
      await manager.query('SELECT 1 / 0').catch(() => undefined);
    });
    await expect(swallowing).rejects.toThrow('rolled back');
    expect(await scope.run(mine, names)).toEqual(['Mira']);
  });

  it('sends last statements with the COMMIT: all of them are kept, or none', async () => {
    const adding = (displayName: string, orgId: number | string = mine) => ({
      name: `add-agent-${typeof orgId}`,
      text: 'INSERT INTO agents (org_id, display_name) VALUES ($1, $2)',
      values: [orgId, displayName],
    });
    const ending = (...last: Statement[]) =>
      scope.acrossTenantsEndingWith('agents of the whole installation', async (manager) => ({
        result: await names(manager),
        last,
      }));
    expect(await ending(adding('One'), adding('Two'))).toEqual(['Mira', 'Theo']);
    expect(await scope.run(mine, names)).toEqual(['Mira', 'One', 'Two']);
    await expect(ending(adding('Three'), adding('Four', 'no number'))).rejects.toThrow('invalid input syntax');
    expect(await ending()).toEqual(expect.not.arrayContaining(['Three']));
    const failing = scope.acrossTenantsEndingWith('a change of mind', async () => Promise.reject(new Error('changed my mind')));
    await expect(failing).rejects.toThrow('changed my mind');
  });

  it('nests transactions of the work as savepoints', async () => {
    await scope.run(mine, async (manager) => {
      const inner = manager.transaction(async (nested) => {
        await nested.insert(Agent, { orgId: mine, displayName: 'Inner' });
        throw new Error('only the inner part');
      });
      await expect(inner).rejects.toThrow('only the inner part');
      await manager.save(Object.assign(new Agent(), { orgId: mine, displayName: 'Outer' }));
    });
    expect(await scope.run(mine, names)).toEqual(['Mira', 'Outer']);
  });

  it('refuses to write while reading', async () => {
    const write = scope.read(mine, (manager) => manager.insert(Agent, { orgId: mine, displayName: 'Sneaked' }));
    await expect(write).rejects.toThrow('read-only');
  });

  it('leaves no transaction open behind work that throws before it waits for anything', async () => {
    const thrown = (): never => {
      throw new TypeError('nobody is allowed to');
    };
    for (let round = 0; round < 3; round += 1) {
      await expect(scope.read(mine, thrown)).rejects.toThrow('nobody is allowed to');
      await expect(scope.acrossTenantsEndingWith('a common ending', thrown)).rejects.toThrow('nobody is allowed to');
    }
    // Any connection of the pool writes, and sees nothing outside of a scope.
    const written = ['Tara', 'Tej', 'Tom', 'Tina'].map((displayName) =>
      scope.run(theirs, (manager) => manager.insert(Agent, { orgId: theirs, displayName })),
    );
    await expect(Promise.all(written)).resolves.toHaveLength(4);
    expect(await names(dataSource.manager)).toEqual([]);
  });

  it('lets no statement of work that failed already out on a connection that is another’s by then', async () => {
    const late = Promise.withResolvers<unknown>();
    const next = Promise.withResolvers<void>();
    const failing = scope.read(mine, async (manager) => {
      const straggler = async (): Promise<void> => {
        await manager.query('SELECT 1');
        await next.promise;
        late.resolve(await prepared(manager, { name: 'late', text: 'SELECT display_name AS name FROM agents', values: [] }));
      };
      await Promise.all([straggler().catch(late.resolve), Promise.reject(new Error('another part failed'))]);
    });
    await expect(failing).rejects.toThrow('another part failed');
    await scope.run(theirs, async (manager) => {
      await manager.query('SELECT 1');
      next.resolve();
      expect(await late.promise).toBeInstanceOf(Error);
    });
  });

  it.each([0, -1, 1.5, Number.NaN])('refuses %p as an organization', async (orgId) => {
    expect(() => scope.run(orgId, names)).toThrow('positive integer');
  });

  it('crosses tenants only on purpose, with a reason', async () => {
    expect(await scope.acrossTenants('count for the bill', names)).toEqual(['Mira', 'Theo']);
    expect(() => scope.acrossTenants(' ', names)).toThrow('reason');
    expect(await names(dataSource.manager)).toEqual([]);
  });
});
