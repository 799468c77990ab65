import { Controller, Module } from '@nestjs/common';
import { findMembers, type Principal, type RequestContract, type saveAgent } from '@parley/contracts';
import { type AskOptions, Handles, InProcessBroker, TransportBus } from '@parley/messaging';
import {
  type AskPublicServer,
  createLogger,
  defineService,
  Metrics,
  type RunningService,
  startService,
} from '@parley/service-kit';
import { testDatabase, type TestDatabase } from '@parley/testing';
import { z } from 'zod';
import { agentConfig, AgentConfigModule } from './service';
import type { AgentConfiguration } from './config';

/** A valid body for an agent created without a template. */
export const scratch = {
  TemplateID: 0,
  AgentName: 'Maya',
  AgentDescription: 'You are the front desk of Demo Bazaar.',
  AgentTypeID: 1,
  RegionTypeID: 1,
  TimeZoneID: 1,
  IndustryTypeID: 1,
  LanguageID: 1,
  ToneID: 1,
  IconID: 1,
} satisfies z.input<typeof saveAgent.request>;

/** The part of team-sales that this service uses: every organization has members with ids up to this one. */
export const lastUserId = 100;

@Controller()
class ScriptedMembers {
  @Handles(findMembers)
  find({ userIDs }: z.output<typeof findMembers.request>): z.input<typeof findMembers.reply> {
    return { userIDs: userIDs.filter((id) => id <= lastUserId) };
  }
}

@Module({ controllers: [ScriptedMembers] })
class ScriptedTeam {}

const teamSales = defineService({ name: 'team-sales', config: z.object({}), module: () => ScriptedTeam });

/** A key of the required length. */
export const secretKey = (name: string): string => name.padEnd(32, '.');

interface InstallationOptions {
  readonly environment?: Record<string, string>;
  /** Simulates the providers' servers. */
  readonly ask?: AskPublicServer;
  /** The database of an earlier installation; by default a new one. */
  readonly database?: TestDatabase | Promise<TestDatabase>;
}

/** The whole service with a database and a broker of its own. */
export class Installation {
  readonly bus: TransportBus;
  private organizations = 0;

  private constructor(
    readonly broker: InProcessBroker,
    readonly database: TestDatabase,
    private readonly services: readonly RunningService[],
  ) {
    this.bus = new TransportBus(broker.connect());
  }

  static async start({ environment, ask, database = testDatabase() }: InstallationOptions = {}): Promise<Installation> {
    const broker = new InProcessBroker();
    const { url: databaseUrl } = await database;
    const logger = createLogger({ level: 'silent', isReadable: false, writesPii: false });
    const host = {
      environment: { PARLEY_SECRET_KEY: secretKey('spec'), ...environment },
      transport: broker.connect(),
      databaseUrl,
      logger,
      metrics: new Metrics(),
    };
    const definition = { ...agentConfig, module: (config: AgentConfiguration) => AgentConfigModule.with(config, ask) };
    const team = await startService(teamSales, { ...host, transport: broker.connect() });
    return new Installation(broker, await database, [await startService(definition, host), team]);
  }

  /** Stops the service and keeps its database for the next one. */
  async stopService(): Promise<void> {
    for (const service of this.services) await service.stop();
  }

  async stop(): Promise<void> {
    await this.stopService();
    await this.database.close();
  }

  /** A member of a new organization, so that tests do not see each other's rows. */
  member(held: Partial<Principal> = {}): Member {
    this.organizations += 1;
    const orgId = this.organizations;
    return this.memberOf({ orgId, ...held });
  }

  /** A member with this principal. */
  memberOf(held: Partial<Principal> & { orgId: number }): Member {
    const principal: Principal = { kind: 'wsk', keyId: 'spec', memberId: `member-of-${held.orgId}`, ...held };
    const ask: Member['ask'] = (contract, body, options) => this.bus.ask(contract, body, { ...options, principal });
    return { principal, ask };
  }
}

/** A member who makes requests. */
export interface Member {
  readonly principal: Principal;
  ask<Body extends z.ZodType, Reply extends z.ZodType>(
    contract: RequestContract<Body, Reply>,
    body: z.input<Body>,
    options?: AskOptions,
  ): Promise<z.output<Reply>>;
}
