import { isOfDeletedOrganization } from '@parley/messaging';
import { eventually, testDatabase, type TestDatabase } from '@parley/testing';
import { DataSource, type QueryRunner } from 'typeorm';
import { Agent, agentsSchema } from './agents.example';
import { Coalescer } from './coalescer';
import { connectionOptions } from './connection-options';
import { migrateSchema } from './migrate-schema';
import { DeletedOrganizations } from './deleted-organizations';
import { tenantTable } from './tenancy/roles';
import { TenantScope } from './tenancy/tenant-scope';

const gone = 1;
const stays = 2;

/** A table that refers to another, one that is kept, one of partitions, and one with sums that a trigger keeps. */
class CreateMore1700000000001 {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE notes (org_id int NOT NULL, agent_id int NOT NULL REFERENCES agents (id));
      CREATE TABLE lines (org_id int NOT NULL, line text NOT NULL);
      CREATE TABLE facts (org_id int NOT NULL, day int NOT NULL) PARTITION BY LIST (day);
      CREATE TABLE facts_1 PARTITION OF facts FOR VALUES IN (1);
      CREATE TABLE facts_2 PARTITION OF facts FOR VALUES IN (2);
      CREATE TABLE a_sums (org_id int NOT NULL, change int NOT NULL);
      CREATE FUNCTION sum_up() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
      BEGIN
        INSERT INTO a_sums SELECT org_id, -count(*) FROM gone GROUP BY org_id;
        RETURN NULL;
      END $$;
      CREATE TRIGGER sums AFTER DELETE ON facts REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION sum_up()`);
    for (const table of ['notes', 'lines', 'facts', 'a_sums']) await tenantTable(runner, table);
  }

  async down(): Promise<void> {}
}

const schema = { ...agentsSchema, migrations: [...agentsSchema.migrations, CreateMore1700000000001], keptOfDeleted: ['lines'] };

describe('a deleted organization', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let scope: TenantScope;
  let deleted: DeletedOrganizations;

  beforeEach(async () => {
    database = await testDatabase();
    await migrateSchema(schema, database.url);
    dataSource = await new DataSource(connectionOptions(schema, { url: database.url, poolMax: 3 })).initialize();
    scope = new TenantScope(dataSource);
    deleted = new DeletedOrganizations(scope, schema.keptOfDeleted);
    for (const orgId of [gone, stays]) await fill(orgId);
  });
  afterEach(async () => {
    await dataSource.destroy();
    await database.close();
  });

  const fill = (orgId: number) =>
    scope.run(orgId, async (manager) => {
      const { id } = await manager.save(Agent, { orgId, displayName: 'Maya' });
      await manager.query('INSERT INTO notes VALUES ($1, $2)', [orgId, id]);
      await manager.query(`INSERT INTO lines VALUES ($1, 'kept')`, [orgId]);
      await manager.query('INSERT INTO facts VALUES ($1, 1), ($1, 2)', [orgId]);
      await manager.query(
        `INSERT INTO outbox (id, subject, org_id, payload, bytes) VALUES (gen_random_uuid(), 'x', $1, '{}', 2)`,
        [orgId],
      );
    });
  const erase = async () => {
    while ((await deleted.eraseSome(gone)) > 0);
  };

  it('loses its rows in every table, those that others refer to included, and in every partition; no other loses any', async () => {
    const before = await deleted.count(stays);
    expect(before).toEqual({ agents: 1, notes: 1, facts: 2, outbox: 1 });
    await deleted.learn(gone, {});
    await deleted.beginErasing(gone);
    await erase();
    expect(await deleted.count(gone)).toEqual({});
    expect(await deleted.count(stays)).toEqual(before);
    // A transaction of any other test on the same Postgres, begun before, holds it up.
    await eventually('it is settled', () => deleted.isSettled(gone));
    expect(await scope.run(gone, (manager) => manager.query('SELECT line FROM lines'))).toEqual([{ line: 'kept' }]);
  });

  it('gets no rows any more, whichever comes first: its deletion or what is written for it', async () => {
    await deleted.learn(gone, {});
    const late = (displayName: string) => scope.run(gone, (manager) => manager.insert(Agent, { orgId: gone, displayName }));
    await late('while its work ends');
    await deleted.beginErasing(gone);
    const refusal: unknown = await late('too late').catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'NOT_FOUND', message: 'This organization was deleted.' });
    expect(isOfDeletedOrganization(refusal)).toBe(true);
    const across = scope.acrossTenants('a test', (manager) => manager.insert(Agent, { orgId: gone, displayName: 'across' }));
    await expect(across).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await scope.run(gone, (manager) => manager.query(`INSERT INTO lines VALUES ($1, 'kept too')`, [gone]));
    await scope.run(stays, (manager) => manager.insert(Agent, { orgId: stays, displayName: 'another' }));
    await erase();
    expect(await deleted.count(gone)).toEqual({});
  });

  it('is refused alone in a batch that holds rows of others', async () => {
    await deleted.learn(gone, {});
    await deleted.beginErasing(gone);
    const lane = new Coalescer<number, void>(
      (orgIds) =>
        scope.acrossTenants('a test', async (manager) => {
          for (const orgId of orgIds) await manager.query('INSERT INTO facts VALUES ($1, 1)', [orgId]);
          return orgIds.map(() => undefined);
        }),
      { batchMax: 10, waitingMax: 10 },
    );
    const outcomes = await Promise.allSettled([stays, gone, stays].map((orgId) => lane.submit(orgId, 60_000)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await deleted.count(stays))['facts']).toBe(4);
  });

  it('is not settled while a transaction is open that began to write before', async () => {
    await deleted.learn(gone, {});
    const [written, commit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const writing = scope.run(gone, async (manager) => {
      await manager.insert(Agent, { orgId: gone, displayName: 'slow' });
      written.resolve();
      await commit.promise;
    });
    await written.promise;
    await deleted.beginErasing(gone);
    await erase();
    expect(await deleted.isSettled(gone)).toBe(false);
    const later = `UPDATE deleted_organizations SET erasing_since = erasing_since - interval '11 minutes'`;
    await scope.acrossTenants('a test', (manager) => manager.query(later));
    expect(await deleted.isSettled(gone)).toBe(true);
    await scope.acrossTenants('a test', (manager) => manager.query(later.replace('- interval', '+ interval')));
    commit.resolve();
    await writing;
    // Other tests at this server may have older transactions.
    await eventually('it is settled', () => deleted.isSettled(gone));
    expect(await deleted.count(gone)).toEqual({ agents: 1 });
  });

  it('stays deleted for whoever goes on after a crash, with what was kept for later steps', async () => {
    await deleted.learn(gone, { name: 'Corner Shop' });
    await deleted.keep(gone, { users: [1] });
    await deleted.beginErasing(gone);
    await deleted.eraseSome(gone);
    const next = new DeletedOrganizations(scope, schema.keptOfDeleted);
    await next.learn(gone, { name: 'another' });
    await next.keep(gone, { users: [] });
    expect(await next.due()).toMatchObject([{ orgId: gone, doneOn: null, record: { name: 'Corner Shop', users: [1] } }]);
    await next.noteDone(gone);
    await next.drop(gone, 'users');
    expect(await next.find(gone)).toMatchObject({ doneOn: expect.any(Date), record: { name: 'Corner Shop' } });
    expect(await next.due()).toHaveLength(1);
  });

  it('is refused by a table that a later migration adds, and by one that an older build made', async () => {
    const added = { ...schema, migrations: [...schema.migrations, CreateLater1700000000002] };
    await migrateSchema(added, database.url);
    await deleted.learn(gone, {});
    await deleted.beginErasing(gone);
    await expect(scope.run(gone, (manager) => manager.query('INSERT INTO later VALUES ($1)', [gone]))).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

class CreateLater1700000000002 {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE later (org_id int NOT NULL)');
    await tenantTable(runner, 'later');
  }

  async down(): Promise<void> {}
}
