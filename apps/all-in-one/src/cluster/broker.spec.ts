import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { Controller } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AgentRuntime, examplesOf, type Principal, readAgentRuntime, type ServiceName } from '@parley/contracts';
import { BusServer, Handles, NatsTransport, newNkey, type Transport, TransportBus } from '@parley/messaging';
import { connectNats, ConnectionVariables, createLogger, loadConfiguration } from '@parley/service-kit';
import { TestNats } from '@parley/testing';
import { Home } from '../home';
import { adminVariables, connectHost, environmentOf, openBroker } from './broker';

const owner: Principal = { kind: 'wsk', keyId: 'k', orgId: 7, memberId: 'm', roleTypeId: 1 };
const logger = createLogger({ level: 'silent', isReadable: false, writesPii: false });

@Controller()
class AgentConfig {
  @Handles(readAgentRuntime)
  read() {
    return AgentRuntime.parse(examplesOf(AgentRuntime)[0]);
  }
}

/** The broker that `npm run cluster` starts, met by its own processes and by others of this machine. */
describe('the broker of a cluster', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'parley-broker-'));
  let home: Home;
  let broker: Awaited<ReturnType<typeof openBroker>>;
  const stops: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    home = await Home.take(directory);
    const output = new PassThrough();
    output.resume();
    broker = await openBroker({ environment: { NATS_SERVER: await TestNats.program() }, home }, output);
    const transport = await processOf('agent-config');
    const service = { module: class Application {}, controllers: [AgentConfig] };
    const strategy = new BusServer(transport, { service: 'agent-config', drainMs: 1_000 });
    const app = await NestFactory.createMicroservice(service, { strategy, logger: false });
    await app.listen();
    stops.push(() => app.close());
  });
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
    await broker.server?.stop();
    await home.release();
    rmSync(directory, { recursive: true });
  });

  const closing = (transport: Transport): Transport => {
    stops.push(() => transport.close());
    return transport;
  };
  const connected = async (name: ServiceName | 'admin', environment: NodeJS.ProcessEnv): Promise<Transport> =>
    closing(await connectNats(name, loadConfiguration(ConnectionVariables, environment), logger));
  /** A process of the cluster, connected with the settings that it is given. */
  const processOf = (service: ServiceName): Promise<Transport> => connected(service, environmentOf(service, broker));
  const ask = async (transport: Transport, principal: Principal = owner): Promise<unknown> => {
    const bus = new TransportBus(transport);
    try {
      return await bus.ask(readAgentRuntime, { AgentID: 1 }, { principal });
    } finally {
      bus.close();
    }
  };

  it.each([
    ['no key', () => undefined],
    ['a key of its own making', () => newNkey().seed],
  ])('refuses a process with %s', async (_what, keyOf) => {
    const { NATS_NKEY: _own, ...others } = environmentOf('gateway', broker);
    const seed = keyOf();
    const environment = { ...others, ...(seed !== undefined && { NATS_NKEY: seed }) };
    await expect(connected('gateway', environment)).rejects.toThrow(/authori[sz]ation/i);
  });

  it('gives each service a user and a key of its own', () => {
    const services: ServiceName[] = ['gateway', 'agent-config', 'telephony-bridge', 'conversation'];
    const given = services.map((service) => environmentOf(service, broker));
    expect(new Set(given.map(({ NATS_NKEY }) => NATS_NKEY)).size).toBe(services.length);
    expect(given.map(({ PARLEY_CALL_KEY }) => PARLEY_CALL_KEY !== undefined)).toEqual([true, true, true, false]);
  });

  it('carries what the gateway asks for a member, and lets in the host and the operator’s command', async () => {
    expect(await ask(await processOf('gateway'))).toMatchObject({ AgentID: expect.any(Number) });
    expect(closing(await connectHost(broker)).status()).toBe('connected');
    const lines = adminVariables(broker, 'postgres://127.0.0.1/operator').trim().split('\n');
    const variables = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
    expect((await connected('admin', variables)).status()).toBe('connected');
  });

  it('gets no work done for a member whom no gateway vouches for', async () => {
    const { NATS_NKEY: nkeySeed } = environmentOf('gateway', broker);
    const place = { servers: broker.url, name: 'forger', user: 'gateway' as const, makesStreams: false };
    const unsigned = closing(await NatsTransport.connect({ ...place, credentials: { nkeySeed: String(nkeySeed) } }));
    await expect(ask(unsigned)).rejects.toMatchObject({ code: 'INTERNAL' });
    await expect(ask(await processOf('telephony-bridge'))).rejects.toMatchObject({ code: 'INTERNAL' });
  });
});
