import { randomUUID } from 'node:crypto';
import { type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createOrganization, type Principal, readMemberPrincipal } from '@parley/contracts';
import { DatabaseModule, migrateSchema, OutboxModule } from '@parley/database';
import { BusServer, InProcessBroker, MessagingModule, type ServiceBus, TransportBus } from '@parley/messaging';
import { testDatabase, type TestDatabase } from '@parley/testing';
import { teamSchema } from './database/schema';
import { teamSales } from './service';

/** An organization of a test, with the principal of its first Owner. */
export interface TestOrganization {
  readonly OrgID: number;
  readonly OrgKeyID: string;
  readonly owner: Principal;
  readonly ownerEmail: string;
}

/** The whole service on a database and a broker of its own. */
export class Installation {
  readonly broker = new InProcessBroker();
  readonly bus: ServiceBus = new TransportBus(this.broker.connect());
  private readonly stops: (() => Promise<unknown>)[] = [];

  private constructor(readonly database: TestDatabase) {}

  static async start(environment: Record<string, string> = {}): Promise<Installation> {
    const database = await testDatabase();
    await migrateSchema(teamSchema, database.url);
    const installation = new Installation(database);
    await installation.startReplica(environment);
    return installation;
  }

  /** One more process of the service; answers how to stop it. */
  async startReplica(environment: Record<string, string> = {}): Promise<() => Promise<void>> {
    const transport = this.broker.connect();
    const strategy = new BusServer(transport, { service: 'team-sales', drainMs: 1_000 });
    const app = await NestFactory.createMicroservice(this.application(environment, transport), { strategy, logger: false });
    await app.listen();
    let stopped: Promise<void> | undefined;
    const stop = () => (stopped ??= app.close());
    this.stops.push(stop);
    return stop;
  }

  private application(environment: Record<string, string>, transport: ReturnType<InProcessBroker['connect']>): DynamicModule {
    @Module({})
    class Application {}
    const database = DatabaseModule.forSchema(teamSchema, { url: this.database.url });
    const messaging = MessagingModule.forTransport(transport, { service: 'team-sales' });
    const service = teamSales.module(teamSales.config.parse(environment));
    return { module: Application, global: true, imports: [messaging, database, OutboxModule, service], exports: [OutboxModule] };
  }

  async stop(): Promise<void> {
    for (const stop of this.stops) await stop();
    await this.database.close();
  }

  /** A fresh organization, so that tests do not meet each other's rows. */
  async organization(owner = { email: `owner-${randomUUID()}@example.com`, name: 'Asha Kulkarni' }): Promise<TestOrganization> {
    const created = await this.bus.ask(createOrganization, {
      OrgKeyID: randomUUID(), OrganizationName: 'Demo Bazaar', timezone: 'Asia/Kolkata', defaultRegion: 'IN', owner,
    });
    return { ...created, owner: await this.principalOf(created.OrgID, created.memberAdminID), ownerEmail: owner.email };
  }

  /** Who a workspace key of this member speaks for, as the gateway would say it. */
  async principalOf(orgId: number, memberId: string): Promise<Principal> {
    return { kind: 'wsk', keyId: 'spec', ...(await this.bus.ask(readMemberPrincipal, { orgId, memberId })) };
  }
}
