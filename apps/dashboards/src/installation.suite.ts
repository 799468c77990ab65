import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { Controller, Module } from '@nestjs/common';
import {
  AgentRuntime,
  type BodyOf,
  type EventContract,
  examplesOf,
  Fault,
  findAgents,
  findFaqs,
  listMyOrganizations,
  listRepresentatives,
  listSalesUserChoices,
  type Principal,
  readAgentRuntime,
  readTextVectors,
  readTurnFacts,
  type ReplyOf,
  type TurnFact,
} from '@parley/contracts';
import { connectionOptions, TenantScope } from '@parley/database';
import { type Call, Handles, InProcessBroker, organizationOf, type ServiceBus, TransportBus } from '@parley/messaging';
import { createLogger, defineService, Metrics, type ServiceDefinition, startService } from '@parley/service-kit';
import { testDatabase, type TestDatabase } from '@parley/testing';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { dashboards, dashboardsSchema, factTables, openMonth, Rebuilding } from './service';

/** The other services, with answers set by the test. */
class Surroundings {
  timeZone = 'Asia/Kolkata';
  /** Every organization has agents with ids up to this one. */
  readonly lastAgentId = 100;
  readonly lastFaqId = 1_000;
  team = [{ SalesUserKeyID: randomUUID(), SalesUserID: 5, name: 'Asha Patil' }];
  left: { SalesUserKeyID: string; SalesUserID: number; name: string }[] = [];
  turns: TurnFact[] = [];
  /** Whether the conversation service is unavailable. */
  isSilent = false;
  /** A simulated embedding in two dimensions: questions about delivery point one way, everything else the other. */
  vectorOf = (text: string): number[] => (text.includes('deliver') ? [1, 0] : [0, 1]);
}

/** The public id of a simulated record. */
const keyOf = (id: number): string => `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`;

/** The other services as definitions, to be started with the one under test. */
function servicesAround(around: Surroundings): ServiceDefinition[] {
  @Controller()
  class Agents {
    @Handles(findAgents)
    find({ AgentIDs }: BodyOf<typeof findAgents>): ReplyOf<typeof findAgents> {
      const known = AgentIDs.filter((id) => id <= around.lastAgentId);
      return {
        AgentIDs: known,
        agents: known.map((id) => ({ AgentID: id, AgentKeyID: keyOf(id) })),
      };
    }

    @Handles(readAgentRuntime)
    runtime({ AgentID = 0 }: BodyOf<typeof readAgentRuntime>): ReplyOf<typeof readAgentRuntime> {
      if (AgentID > around.lastAgentId) throw new Fault('NOT_FOUND');
      return { ...AgentRuntime.parse(examplesOf(AgentRuntime)[0]), AgentID, KBID: 4 };
    }
  }

  @Controller()
  class Team {
    @Handles(listMyOrganizations)
    organizations(_: object, call: Call): ReplyOf<typeof listMyOrganizations> {
      const [example] = listMyOrganizations.reply.parse(examplesOf(listMyOrganizations.reply)[0]);
      const current = { OrgID: organizationOf(call), timezone: around.timeZone, isCurrent: true };
      return example ? [{ ...example, ...current }] : [];
    }

    @Handles(listSalesUserChoices)
    choices(): ReplyOf<typeof listSalesUserChoices> {
      return around.team;
    }

    @Handles(listRepresentatives)
    representatives({ pageNo, pageSize }: BodyOf<typeof listRepresentatives>): ReplyOf<typeof listRepresentatives> {
      const page = listRepresentatives.reply.parse(examplesOf(listRepresentatives.reply)[0]);
      const rows = page.rows.flatMap((row) => around.left.map((one) => ({ ...row, ...one })));
      return { rows, totalCount: rows.length, pageNo, pageSize };
    }
  }

  @Controller()
  class Conversation {
    @Handles(readTurnFacts)
    turns({ after, limit }: BodyOf<typeof readTurnFacts>): ReplyOf<typeof readTurnFacts> {
      if (around.isSilent) throw new Fault('SERVICE_UNAVAILABLE');
      const first = Number(after.split('.')[1] ?? 0);
      const turns = around.turns.slice(first, first + limit);
      const place = turns.length > 0 ? `0.${first + turns.length}` : after;
      return { turns, after: place, hasMore: first + limit < around.turns.length, readAt: new Date().toISOString() };
    }
  }

  @Controller()
  class Knowledge {
    @Handles(findFaqs)
    find({ KBFAQIDs }: BodyOf<typeof findFaqs>): ReplyOf<typeof findFaqs> {
      const known = KBFAQIDs.filter((id) => id <= around.lastFaqId);
      return { faqs: known.map((id) => ({ KBFAQID: id, KBFAQKeyID: keyOf(id) })) };
    }

    @Handles(readTextVectors)
    vectors({ texts }: BodyOf<typeof readTextVectors>): ReplyOf<typeof readTextVectors> {
      return { space: 'made-up', paraphrase: 0.8, vectors: texts.map((text) => around.vectorOf(text)) };
    }
  }

  const served = { 'agent-config': Agents, 'team-sales': Team, conversation: Conversation, 'knowledge-ingest': Knowledge };
  return Object.entries(served).map(([name, controller]) => {
    @Module({ controllers: [controller] })
    class Neighbour {}
    return defineService({ name: name as keyof typeof served, config: z.object({}), module: () => Neighbour });
  });
}

/** The service with a database and broker of its own, among simulated services. */
export class Installation {
  readonly broker = new InProcessBroker();
  readonly bus: ServiceBus = new TransportBus(this.broker.connect());
  readonly surroundings = new Surroundings();
  readonly metrics = new Metrics();
  private readonly logger = createLogger({ level: 'error', isReadable: false, writesPii: false, destination: new PassThrough() });
  private readonly stops: (() => Promise<unknown>)[] = [];
  private lastOrgId = 0;

  private constructor(
    readonly database: TestDatabase,
    /** Sees every organization, for recounts. */
    readonly sql: Client,
  ) {}

  static async start(environment: Record<string, string> = {}): Promise<Installation> {
    const database = await testDatabase();
    const sql = new Client({ connectionString: database.adminUrl, options: '-c search_path=dashboards' });
    await sql.connect();
    const installation = new Installation(database, sql);
    for (const neighbour of servicesAround(installation.surroundings)) await installation.startOne(neighbour, {});
    await installation.startReplica(environment);
    return installation;
  }

  /** Starts another process of the service; returns a function that stops it. */
  startReplica(environment: Record<string, string> = {}): Promise<() => Promise<void>> {
    // Nothing is fetched on a schedule; tests trigger it.
    const kept = { DASHBOARDS_FACTS_MONTHS: '120', DASHBOARDS_FIGURES_MONTHS: '120' };
    return this.startOne(dashboards, { DASHBOARDS_TURNS_EVERY: '20ms', ...kept, ...environment });
  }

  async stop(): Promise<void> {
    for (const stop of this.stops.toReversed()) await stop();
    await this.sql.end();
    await this.database.close();
  }

  /** An organization used by no other test, and a workspace key of its owner. */
  organization(more: Partial<Principal> = {}): { orgId: number; owner: Principal } {
    const orgId = ++this.lastOrgId;
    return { orgId, owner: { kind: 'wsk', keyId: 'spec', orgId, userId: 1, roleTypeId: 1, ...more } };
  }

  /** Publishes an event; resolves once it has been handled. */
  async tell<Payload extends z.ZodType>(
    contract: EventContract<Payload>,
    orgId: number,
    payload: z.input<Payload>,
    { id = randomUUID(), occurredAt = new Date().toISOString() } = {},
  ): Promise<void> {
    await this.bus.emit(contract, { id, orgId, occurredAt, payload });
  }

  /** Runs a recount. */
  async recount(text: string, values: readonly unknown[]): Promise<Record<string, unknown>[]> {
    const { rows } = await this.sql.query(text, [...values]);
    return rows;
  }

  /** Creates the partitions for months (`YYYY-MM`) whose facts a test writes itself. */
  async openMonths(months: readonly string[]): Promise<void> {
    await this.asService(async (source) => {
      for (const table of factTables) for (const month of months) await openMonth(source, table, month);
    });
  }

  /** Recomputes all figures from the facts. */
  async rebuild(): Promise<void> {
    await this.asService(async (source) => {
      let counted = 0;
      for (const table of factTables)
        for await (const { facts } of new Rebuilding(source, new TenantScope(source), false).run(table)) counted += facts;
      expect(counted).toBeGreaterThan(0);
    });
  }

  private async asService(work: (source: DataSource) => Promise<void>): Promise<void> {
    const source = await new DataSource(connectionOptions(dashboardsSchema, { url: this.database.url })).initialize();
    await work(source).finally(() => source.destroy());
  }

  private async startOne(definition: ServiceDefinition, environment: Record<string, string>): Promise<() => Promise<void>> {
    const host = {
      environment,
      transport: this.broker.connect(),
      databaseUrl: this.database.url,
      logger: this.logger,
      metrics: this.metrics,
    };
    const service = await startService(definition, host);
    this.stops.push(() => service.stop());
    return () => service.stop();
  }
}
