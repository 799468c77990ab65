import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Provider, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createKey, type EventContract, type KeyKind, listKeys, type Principal, type ServiceName } from '@parley/contracts';
import { BusServer, InProcessBroker, isTemporary, type ServiceBus, type Transport, TransportBus } from '@parley/messaging';
import { Metrics, type RunningService, startService } from '@parley/service-kit';
import { testDatabase, type TestDatabase } from '@parley/testing';
import type { z } from 'zod';
import { gateway } from '../service';
import { startScriptedServices, ScriptedServices } from './scripted-services';
import { RecordedLog } from './recorded-log';
import { testSecret } from './running-gateway';

/** An organization of a test, its Owner and one agent. */
export interface TestOrganization {
  readonly orgId: number;
  readonly owner: Principal & { memberId: string };
  readonly agent: { AgentKeyID: string; AgentID: number };
}

const doorOfTests = {
  PORT: '0',
  PARLEY_SECRET_KEY: testSecret,
  FAILED_KEYS_PER_MINUTE: '100000',
  PARLEY_INITIAL_CREDITS: 'TTT_API=1000000,TTS_API=1000000,STT_API=360000',
};

interface Place {
  connect(): Promise<Transport>;
  stop(): Promise<void>;
}

/** A service simulated by a test. Closing its transport simulates its sudden death. */
interface Played {
  readonly transport: Transport;
  stop(): Promise<void>;
}

/** Real gateways on a Postgres and a broker of their own, with the other services simulated. */
export class Harness {
  readonly scripted = new ScriptedServices();
  readonly log = new RecordedLog();
  private readonly files = mkdtempSync(path.join(tmpdir(), 'parley-house-'));
  private readonly gateways: RunningService[] = [];
  private readonly stops: (() => Promise<unknown>)[] = [];
  private organizations = 0;

  private constructor(
    readonly database: TestDatabase,
    private readonly place: Place,
    readonly bus: ServiceBus,
  ) {}

  /** `absent` are services that the test simulates itself. */
  static async open(place: Place = oneProcess(), absent: readonly ServiceName[] = []): Promise<Harness> {
    const transport = await place.connect();
    const bus = new TransportBus(transport);
    const harness = new Harness(await testDatabase(), place, bus);
    harness.stops.push(async () => {
      bus.close();
      await transport.close();
    });
    harness.stops.push(await startScriptedServices(harness.scripted, () => place.connect(), absent));
    return harness;
  }

  /** A connection to the broker, which the caller closes. */
  connect(): Promise<Transport> {
    return this.place.connect();
  }

  /** Starts another gateway; returns its address. */
  async startGateway(
    environment: Record<string, string> = {},
    databaseUrl = this.database.url,
    connected?: Transport,
  ): Promise<{ url: string; service: RunningService; transport: Transport }> {
    const transport = connected ?? (await this.connect());
    const service = await startService(gateway, {
      environment: { ...doorOfTests, FILES_DIR: this.files, ...environment },
      transport,
      databaseUrl,
      logger: this.log,
      metrics: new Metrics(),
    });
    this.gateways.push(service);
    this.stops.push(() => transport.close());
    return { url: `http://127.0.0.1:${service.httpPort}`, service, transport };
  }

  /** Lets a test's controllers act as one replica of a service. */
  async play(service: ServiceName, controller: Type, providers: Provider[] = []): Promise<Played> {
    const transport = await this.place.connect();
    class Application {}
    const strategy = new BusServer(transport, { service, drainMs: 1_000 });
    const module = { module: Application, controllers: [controller], providers };
    const app = await NestFactory.createMicroservice(module, { strategy, logger: false });
    await app.listen();
    const stop = async () => {
      await app.close();
      await transport.close();
    };
    this.stops.push(stop);
    return { transport, stop };
  }

  /** A new organization, so that tests do not see each other's rows. */
  organization(): TestOrganization {
    this.organizations += 1;
    const orgId = this.organizations;
    const agent = { AgentKeyID: randomUUID(), AgentID: orgId * 10 };
    this.scripted.agents.set(agent.AgentKeyID, { orgId, agentId: agent.AgentID });
    return { orgId, owner: this.member(orgId, { roleTypeId: 1 }), agent };
  }

  /** Another member of an organization. */
  member(orgId: number, rights: Partial<Principal> = {}): Principal & { memberId: string } {
    const memberId = randomUUID();
    const member = { orgId, memberId, userId: this.scripted.members.size + 1, ...rights };
    this.scripted.members.set(memberId, member);
    return { ...member, kind: 'wsk', keyId: 'spec' };
  }

  /** A key of an organization, created by its Owner. */
  async key({ owner, agent }: TestOrganization, kind: KeyKind, more: Partial<z.input<typeof createKey.request>> = {}) {
    const body = { name: `A key for ${kind}`, kind, AgentKeyID: kind === 'agt' ? agent.AgentKeyID : null, ...more };
    return patiently(() => this.bus.ask(createKey, body, { principal: owner }));
  }

  keysOf({ owner }: TestOrganization) {
    return this.bus.ask(listKeys, {}, { principal: owner });
  }

  /** Publishes an event as another service would. */
  tell<Payload extends z.ZodType>(contract: EventContract<Payload>, orgId: number, payload: z.input<Payload>): Promise<void> {
    return this.bus.emit(contract, { id: randomUUID(), orgId, occurredAt: new Date().toISOString(), payload });
  }

  async close(): Promise<void> {
    for (const service of this.gateways) await service.stop();
    for (const stop of this.stops.reverse()) await stop();
    await this.place.stop();
    await this.database.close();
    rmSync(this.files, { recursive: true, force: true });
  }
}

const attemptsMax = 10;

/** Retries a test's preparation: a machine that stalls for seconds must not fail the test there. */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isTemporary(error) || attempt === attemptsMax) throw error;
    }
  }
}

/** A broker within this process. */
export function oneProcess(): Place {
  const broker = new InProcessBroker();
  return { connect: async () => broker.connect(), stop: async () => undefined };
}
