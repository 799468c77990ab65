import { eventually, testDatabase, type TestDatabase } from '@parley/testing';
import { Inject, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, Repository } from 'typeorm';
import { Agent, agentsSchema } from './agents.example';
import { Database, DatabaseModule } from './database.module';
import { migrateSchema } from './migrate-schema';
import { isUniqueViolation } from './queries';
import { TenantScope } from './tenancy/tenant-scope';

@Injectable()
class AgentsService {
  constructor(
    @InjectRepository(Agent) readonly agents: Repository<Agent>,
    readonly scope: TenantScope,
    @Inject(Database) readonly database: Database,
  ) {}
}

@Module({ providers: [AgentsService], exports: [AgentsService] })
class AgentsModule {}

describe('DatabaseModule', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
    await migrateSchema(agentsSchema, database.url);
  });
  afterAll(() => database.close());

  const start = async (url: string) => {
    @Module({ imports: [DatabaseModule.forSchema(agentsSchema, { url, poolMax: 2, statementTimeoutMs: 200 }), AgentsModule] })
    class Service {}
    return await NestFactory.createApplicationContext(Service, { logger: false, abortOnError: false });
  };

  it('gives repositories, scope and health to any module of the service', async () => {
    const app = await start(database.url);
    const { agents, scope, database: health } = app.get(AgentsService);
    expect(await health.isReady()).toBe(true);
    await scope.run(7, (manager) => manager.withRepository(agents).insert({ orgId: 7, displayName: 'Seven' }));
    expect(await scope.read(7, (manager) => manager.withRepository(agents).countBy({ displayName: 'Seven' }))).toBe(1);
    await app.close();
    expect(await health.isReady()).toBe(false);
  });

  it('counts the callers who wait for a turn, and those who wait for a connection of the second pool', async () => {
    const app = await start(database.url);
    const { scope, database: health } = app.get(AgentsService);
    const gate = Promise.withResolvers<void>();
    const held = () => gate.promise;
    const asked = [1, 2, 3, 4, 5].map((orgId) => scope.run(orgId, held));
    asked.push(...[1, 2, 3].map(() => scope.acrossTenants('a test waits', held)));
    await eventually('all connections are open', () => health.connections().open === 4);
    expect(health.connections()).toEqual({ open: 4, idle: 0, waiting: 4 });
    gate.resolve();
    await Promise.all(asked);
    expect(health.connections()).toEqual({ open: 4, idle: 4, waiting: 0 });
    await app.close();
  });

  it('tells a unique violation from other failures', async () => {
    const app = await start(database.url);
    const scope = app.get(TenantScope);
    const add = () => scope.run(8, (manager) => manager.insert(Agent, { orgId: 8, displayName: 'Eight' }));
    await add();
    const failure = await add().catch((error: unknown) => error);
    expect(isUniqueViolation(failure)).toBe(true);
    expect(isUniqueViolation(failure, 'agents_name_unique')).toBe(true);
    expect(isUniqueViolation(failure, 'agents_pkey')).toBe(false);
    expect(isUniqueViolation(new Error('23505'))).toBe(false);
    await app.close();
  });

  it('cancels a statement that takes too long', async () => {
    const app = await start(database.url);
    await expect(app.get(DataSource).query('SELECT pg_sleep(5)')).rejects.toThrow('statement timeout');
    await app.close();
  });

  it('refuses a role that row-level security does not bind', async () => {
    await expect(start(database.adminUrl)).rejects.toThrow('NOSUPERUSER NOBYPASSRLS');
  });
});
