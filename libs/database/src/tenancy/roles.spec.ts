import { testDatabase, type TestDatabase } from '@parley/testing';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { Agent, agentsSchema } from '../agents.example';
import { connectionOptions } from '../connection-options';
import { migrateSchema } from '../migrate-schema';
import { requireBoundRole } from '../database.module';
import { roleStatements, serviceRole, systemUrl } from './roles';
import { TenantScope } from './tenant-scope';

const theirs = { ...agentsSchema, schema: 'roles_spec_theirs' };
const own = { ...agentsSchema, schema: 'roles_spec' };
const password = 'a word of the spec';

class AddMore1900000000000 {
  async up(): Promise<void> {}
  async down(): Promise<void> {}
}

const newer = { ...own, migrations: [...own.migrations, AddMore1900000000000] };

describe('the roles of a service', () => {
  let database: TestDatabase;
  let url: string;
  let dataSource: DataSource;
  let scope: TenantScope;
  const asRole = (schema: string): string => {
    const changed = new URL(database.url);
    changed.username = serviceRole(schema);
    changed.password = password;
    return changed.href;
  };
  const inSession = async <T>(address: string, work: (client: Client) => Promise<T>): Promise<T> => {
    const client = new Client({ connectionString: address, options: `-c search_path=${own.schema}` });
    await client.connect();
    return work(client).finally(() => client.end());
  };

  beforeAll(async () => {
    database = await testDatabase();
    await inSession(database.adminUrl, async (client) => {
      for (const statement of roleStatements([own.schema, theirs.schema], () => `'${password}'`)) await client.query(statement);
    });
    await migrateSchema(theirs, database.url);
    await migrateSchema(own, database.url);
    url = asRole(own.schema);
    dataSource = await new DataSource(connectionOptions(own, { url })).initialize();
    scope = new TenantScope(dataSource);
    for (const orgId of [1, 2])
      await scope.run(orgId, (manager) => manager.insert(Agent, { orgId, displayName: `agent of ${orgId}` }));
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.close();
  });

  it('are enough for its work, in one organization and across them', async () => {
    expect(await scope.read(1, (manager) => manager.count(Agent))).toBe(1);
    expect(await scope.acrossTenants('the spec counts', (manager) => manager.count(Agent))).toBe(2);
    expect(await dataSource.getRepository(Agent).count()).toBe(0);
  });

  it.each(['', '_system'])('see no other schema and change nothing of their own (role%s)', async (ending) => {
    const address = ending === '' ? url : systemUrl(url);
    const refused = [
      `SELECT * FROM ${theirs.schema}.agents`,
      `SELECT * FROM ${theirs.schema}.migrations`,
      `DELETE FROM ${own.schema}.migrations`,
      'TRUNCATE agents',
      'ALTER TABLE agents DISABLE ROW LEVEL SECURITY',
      'ALTER TABLE agents NO FORCE ROW LEVEL SECURITY',
      'DROP POLICY tenant ON agents',
      'CREATE POLICY mine ON agents USING (true)',
      `CREATE TABLE ${own.schema}.mine (id int)`,
      'CREATE SCHEMA mine',
      'CREATE ROLE mine',
      `SET ROLE ${serviceRole(theirs.schema)}`,
    ];
    for (const statement of refused)
      await expect(inSession(address, (client) => client.query(statement))).rejects.toThrow(/permission denied|must be owner/);
  });

  it('show one organization whatever a session of the service sets or says', async () => {
    const attempts = [
      `SELECT set_config('parley.across_tenants', 'yes', false)`,
      `SELECT set_config('parley.every_organization', 'yes', false)`,
      'SET row_security = off',
      'SET SESSION AUTHORIZATION DEFAULT',
      'RESET ALL',
    ];
    for (const attempt of attempts) {
      const seen = inSession(url, async (client) => {
        await client.query(attempt);
        return (await client.query('SELECT * FROM agents')).rowCount;
      });
      // Without row security Postgres refuses the query; with any other setting it finds nothing.
      expect(await seen.catch((error: unknown) => (error as Error).message)).toEqual(
        attempt.includes('row_security') ? expect.stringContaining('row-level security') : 0,
      );
    }
    for (const role of [`${serviceRole(own.schema)}_system`, 'parley_every_organization'])
      for (const way of ['SET ROLE', 'SET SESSION AUTHORIZATION'])
        await expect(inSession(url, (client) => client.query(`${way} ${role}`))).rejects.toThrow('permission denied');
  });

  it('are not mixed up: a service does not start as the role that sees every organization', async () => {
    await expect(requireBoundRole(systemUrl(url))).rejects.toThrow('row-level security does not bind');
    await requireBoundRole(url);
  });

  it('wait for the migration, and accept a newer schema than their own', async () => {
    expect(await migrateSchema(own, url)).toEqual([]);
    const waiting = migrateSchema(newer, url);
    await migrateSchema(newer, database.url);
    expect(await waiting).toEqual([]);
    expect(await migrateSchema(own, url)).toEqual([]);
  });

  it('find closed what an earlier build left open: a setting that showed every organization', async () => {
    const open = `(org_id = 0 OR current_setting('parley.across_tenants', true) = 'yes')`;
    const asOwner = await new DataSource(connectionOptions(own, { url: database.url })).initialize();
    await asOwner.query(
      `ALTER POLICY tenant ON agents USING ${open} WITH CHECK ${open}; DROP POLICY every_organization ON agents`,
    );
    await asOwner.destroy();
    const peek = () =>
      inSession(url, async (client) => {
        await client.query(`SELECT set_config('parley.across_tenants', 'yes', false)`);
        return (await client.query('SELECT * FROM agents')).rowCount;
      });
    expect(await peek()).toBe(2);
    await migrateSchema(newer, database.url);
    expect(await peek()).toBe(0);
    expect(await scope.acrossTenants('the spec counts', (manager) => manager.count(Agent))).toBe(2);
  });
});
