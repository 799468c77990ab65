import { randomUUID } from 'node:crypto';
import { on } from 'node:events';
import { PassThrough } from 'node:stream';
import { type EventContract, type Principal, type streamTurn } from '@parley/contracts';
import { InProcessBroker, type ServiceBus, TransportBus } from '@parley/messaging';
import type { LanguageModel } from '@parley/ports';
import { BuiltinModel } from '@parley/providers/builtin-model';
import { createLogger, defineService, Metrics, type RunningService, startService } from '@parley/service-kit';
import { testDatabase, type TestDatabase, wholeAnswer } from '@parley/testing';
import type { z } from 'zod';
import { conversation, ConversationModule } from './service';
import { Models } from './answers/configured-models';
import { anAgent, Surroundings } from './surroundings.suite';

/** An organization with one agent, and a caller. */
export interface Shop {
  readonly agent: ReturnType<typeof anAgent>;
  /** An agent key of that agent. */
  readonly caller: Principal;
  /** A workspace key of its owner. */
  readonly owner: Principal;
}

/** The service with its own database and broker, among fakes of the other services. */
export class Installation {
  readonly logged = new PassThrough({ encoding: 'utf8' });
  readonly broker = new InProcessBroker();
  readonly bus: ServiceBus = new TransportBus(this.broker.connect());
  readonly surroundings = new Surroundings();
  readonly metrics = new Metrics();
  /** The model that answers, in every replica. */
  model: LanguageModel = new BuiltinModel();
  private readonly logger = createLogger({ level: 'info', isReadable: false, writesPii: true, destination: this.logged });
  private readonly running: RunningService[] = [];
  private lastId = 0;

  private constructor(readonly database: TestDatabase) {}

  static async start(environment: Record<string, string> = {}): Promise<Installation> {
    const installation = new Installation(await testDatabase());
    for (const neighbour of installation.surroundings.services()) await installation.startService(neighbour, {});
    await installation.startReplica(environment);
    return installation;
  }

  /** Starts one more process of the service. */
  startReplica(environment: Record<string, string> = {}): Promise<RunningService> {
    const models: Models = { of: async () => this.model };
    return this.startService(
      defineService({ ...conversation, module: (config) => ConversationModule.with(config, models) }),
      environment,
    );
  }

  async stop(): Promise<void> {
    for (const service of this.running.toReversed()) await service.stop();
    await this.database.close();
  }

  /** A new organization, so that tests do not see each other's rows. */
  shop(changes: Parameters<typeof anAgent>[0] = {}): Shop {
    const orgId = ++this.lastId;
    const agent = anAgent({ AgentID: orgId + 1000, AgentKeyID: randomUUID(), ...changes });
    this.surroundings.agents.set(orgId, [...(this.surroundings.agents.get(orgId) ?? []), agent]);
    return {
      agent,
      caller: { kind: 'agt', keyId: 'spec', orgId, agentId: agent.AgentID },
      owner: { kind: 'wsk', keyId: 'spec', orgId, userId: 1, roleTypeId: 1 },
    };
  }

  ask(principal: Principal, question: string, more: Partial<z.input<typeof streamTurn.request>> = {}) {
    return wholeAnswer(this.bus, { question, ...more }, { principal });
  }

  /** The emitted events of a contract, in order. */
  eventsOf<Payload extends z.ZodType>({ subject, payload }: EventContract<Payload>): z.output<Payload>[] {
    return this.surroundings.heard.filter((event) => event.subject === subject).map((event) => payload.parse(event.payload));
  }

  /** The next one to be emitted from now on. */
  async nextEvent<Payload extends z.ZodType>(contract: EventContract<Payload>): Promise<z.output<Payload>> {
    for await (const [event] of on(this.surroundings.hearing, 'event')) {
      if (event.subject === contract.subject) return contract.payload.parse(event.payload);
    }
    throw new Error('the events ended');
  }

  private async startService(
    definition: Parameters<typeof startService>[0],
    environment: Record<string, string>,
  ): Promise<RunningService> {
    const host = {
      environment,
      transport: this.broker.connect(),
      databaseUrl: this.database.url,
      logger: this.logger,
      metrics: this.metrics,
    };
    const service = await startService(definition, host);
    this.running.push(service);
    return service;
  }
}
