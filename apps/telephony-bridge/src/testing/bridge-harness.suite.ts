import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { Writable } from 'node:stream';
import { type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type Principal, type RequestContract, saveCarrierAccount, saveNumber, sessionMeterLost } from '@parley/contracts';
import { type AskOptions, BusServer, InProcessBroker, type Transport, TransportBus } from '@parley/messaging';
import type { CarrierDescriptor } from '@parley/ports';
import { createLogger, Metrics, type RunningService, startService } from '@parley/service-kit';
import { eventually, testDatabase, type TestDatabase } from '@parley/testing';
import { Client } from 'pg';
import type { z } from 'zod';
import { WebhookReach } from '../campaigns/webhooks/webhook-sender';
import type { TelephonyConfiguration } from '../config';
import { telephonyBridge, TelephonyBridgeModule } from '../service';
import { fakeCarrier } from './fake-carrier';
import { FakeNetwork } from './fake-network';
import { ScriptedServices } from './scripted-services';

const secretKey = 'spec'.padEnd(32, '.');

/** The bridge with its own database, among scripted services. */
export class BridgeHarness {
  readonly scripted = new ScriptedServices();
  readonly bus: TransportBus;
  /** All lines logged by the replica. */
  readonly log: string[] = [];
  private looking: Promise<Client> | undefined;
  private readonly stops: (() => Promise<unknown>)[] = [];
  private organizations = 0;
  private port = 0;

  private constructor(
    readonly database: TestDatabase,
    readonly network: FakeNetwork,
    readonly connect: () => Promise<Transport>,
    private readonly callers: Transport,
    private readonly carriers: readonly CarrierDescriptor[],
    private readonly reach: WebhookReach,
  ) {
    this.bus = new TransportBus(callers);
  }

  static async open(
    environment: Record<string, string> = {},
    place?: () => Promise<Transport>,
    carriers: readonly CarrierDescriptor[] = [],
    reach = new WebhookReach(),
  ): Promise<BridgeHarness> {
    const broker = new InProcessBroker();
    const connect = place ?? (async () => broker.connect());
    const [database, network, callers] = await Promise.all([testDatabase(), FakeNetwork.start(), connect()]);
    const harness = new BridgeHarness(database, network, connect, callers, carriers, reach);
    for (const [service, controller] of harness.scripted.controllers()) await harness.play(service, controller);
    harness.port = await freePort();
    harness.scripted.meterLost = (orgId, payload) => {
      const event = { id: randomUUID(), orgId, occurredAt: new Date().toISOString(), payload };
      void harness.bus.emit(sessionMeterLost, event).catch(() => undefined);
    };
    if (!('NO_BRIDGE' in environment)) await harness.bridge(environment);
    return harness;
  }

  /** Starts one more replica. Carriers reach the first one. */
  async bridge(environment: Record<string, string> = {}, port = this.port): Promise<RunningService> {
    const carriers = [fakeCarrier, ...this.carriers];
    const definition = {
      ...telephonyBridge,
      module: (config: TelephonyConfiguration) => TelephonyBridgeModule.with(config, carriers, this.reach),
    };
    const transport = await this.connect();
    const destination = new Writable({ write: (line, _encoding, done) => (this.log.push(String(line)), done()) });
    const logger = createLogger({ level: 'debug', isReadable: false, writesPii: false, destination });
    // The fake network is on this machine.
    const usual = { CALL_DRAIN: '200ms', CARRIERS_IN_PRIVATE_NETWORKS: 'true' };
    const host = {
      environment: { PARLEY_SECRET_KEY: secretKey, TELEPHONY_PORT: String(port), ...usual, ...environment },
      transport,
      databaseUrl: this.database.url,
      logger,
      metrics: new Metrics(),
    };
    const service = await startService(definition, host);
    this.stops.unshift(async () => {
      await service.stop();
      await transport.close();
    });
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** A member of a new organization with an account, by default of the fake carrier, and a number that agent 12 answers. */
  async shop(
    held: Partial<Principal> = {},
    { carrier, credentials }: Pick<z.input<typeof saveCarrierAccount.request>, 'carrier' | 'credentials'> = {
      carrier: 'fake',
      credentials: { api: this.network.api, secret: this.network.secret },
    },
  ): Promise<Shop> {
    const member = this.member(held);
    const account = await member.ask(saveCarrierAccount, { carrier, AccountName: 'Main', credentials });
    const number = await member.ask(saveNumber, {
      CarrierAccountKeyID: account.CarrierAccountKeyID,
      number: `+9120255${String(10_000 + member.principal.orgId)}`,
      AgentID: 12,
      isDefault: 1,
    });
    const path = `${this.url}/telephony/${account.carrier}/${account.CarrierAccountKeyID}`;
    return { ...member, account, number, webhooks: { answer: `${path}/answer`, status: `${path}/status` } };
  }

  /** A member of a new organization, so that tests do not see each other's rows. */
  member(held: Partial<Principal> = {}): Member {
    this.organizations += 1;
    return this.memberOf({ orgId: this.organizations, ...held });
  }

  memberOf(held: Partial<Principal> & { orgId: number }): Member {
    const principal: Principal = { kind: 'wsk', keyId: 'spec', memberId: `member-of-${held.orgId}`, ...held };
    return { principal, ask: (contract, body, options) => this.bus.ask(contract, body, { ...options, principal }) };
  }

  /** The bridge's own tables, without row-level security. */
  async sql(): Promise<Client> {
    const client = new Client({ connectionString: this.database.adminUrl, options: '-c search_path=telephony' });
    await client.connect();
    this.stops.push(() => client.end());
    return client;
  }

  /** Resolves once the bridge has stored the carrier's id of a call: from then on it can match the carrier's reports. */
  async noted(callId: string): Promise<void> {
    const client = await (this.looking ??= this.sql());
    const isNoted = async () =>
      ((await client.query('SELECT 1 FROM calls WHERE carrier_call_id = $1', [callId])).rowCount ?? 0) > 0;
    await eventually(`${callId} is noted`, isNoted);
  }

  async close(): Promise<void> {
    for (const stop of this.stops.splice(0)) await stop();
    this.bus.close();
    await this.callers.close();
    this.network.stop();
    await this.database.close();
  }

  private async play(
    service: ReturnType<ScriptedServices['controllers']>[number][0],
    controller: new () => object,
  ): Promise<void> {
    class Application {}
    const transport = await this.connect();
    const strategy = new BusServer(transport, { service });
    const app: INestMicroservice = await NestFactory.createMicroservice(
      { module: Application, controllers: [controller] },
      { strategy, logger: false },
    );
    await app.listen();
    this.stops.push(
      () => app.close(),
      () => transport.close(),
    );
  }
}

export interface Member {
  readonly principal: Principal;
  ask<Body extends z.ZodType, Reply extends z.ZodType>(
    contract: RequestContract<Body, Reply>,
    body: z.input<Body>,
    options?: AskOptions,
  ): Promise<z.output<Reply>>;
}

export interface Shop extends Member {
  readonly account: z.output<typeof saveCarrierAccount.reply>;
  readonly number: z.output<typeof saveNumber.reply>;
  readonly webhooks: { readonly answer: string; readonly status: string };
}

/** A port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
