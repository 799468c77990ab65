/** @waits brokers go away for seconds */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import path from 'node:path';
import { killHard, TestNats, typeScriptProcess } from '@parley/testing';
import { NatsTransport, type Transport, TransportBus } from './index';
import { agentSaved, greet, hang, look, talk, busyWork } from './suite/services';
import { Harness } from './suite/harness';

/** Noticed by the connection itself, not by the peer's silence, which is reported differently. */
const lost = { message: 'the connection was lost' };

describe('a NATS server that fails', () => {
  let nats: TestNats;
  let harness: Harness;

  beforeEach(async () => {
    nats = await TestNats.start();
    const log = { error: () => undefined, warn: () => undefined, info: () => undefined };
    const connect = () => NatsTransport.connect({ servers: nats.url, name: 'faults', log });
    harness = new Harness({ connect, stop: () => nats.stop() });
  });

  afterEach(async () => {
    await harness.leave();
    await nats.stop();
  });

  it('fails requests in progress at once, refuses new ones, and recovers by itself', async () => {
    await harness.start('agent-config');
    const bus = await harness.caller();
    const asked = settled(bus.ask(busyWork, {}));
    const reading = settled(readAll(bus.stream(hang, {}), () => harness.workLog.write('read')));
    const { channel } = await bus.open(talk, { room: 'blue' });
    await harness.workLog.has('is busy');
    await harness.workLog.has('read');

    await nats.crash();
    await expect(asked).resolves.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1, cause: lost });
    await expect(reading).resolves.toMatchObject({ code: 'SERVICE_UNAVAILABLE', cause: lost });
    await expect(channel.closed).resolves.toEqual({ reason: 'SERVICE_UNAVAILABLE' });
    await expect(bus.ask(greet, { name: 'Ada' })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await expect(bus.emit(agentSaved, savedEvent(1))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(bus.transport.status()).toBe('reconnecting');
    await harness.workLog.has('hang stopped');

    await nats.restart();
    await connected(bus.transport);
    await expect(answered(() => bus.ask(greet, { name: 'Ada' }))).resolves.toMatchObject({ text: 'Hello Ada' });
  });

  it('is reported once when it goes, and once with the seconds when it is back, however often it is tried meanwhile', async () => {
    const lines: { level: string; fields: object; message: string }[] = [];
    const note = (level: string) => (fields: object, message: string) => void lines.push({ level, fields, message });
    const log = { error: note('error'), warn: note('warn'), info: note('info') };
    const transport = await NatsTransport.connect({ servers: nats.url, name: 'observed', log });
    const bus = new TransportBus(transport, log);
    const server = nats.url.replace('nats://', '');
    for (const _time of [1, 2]) {
      await nats.crash();
      await becomes(transport, 'reconnecting');
      for (const name of ['Ada', 'Bob']) await expect(bus.ask(greet, { name })).rejects.toMatchObject({ dependency: 'nats' });
      await expect(bus.emit(agentSaved, savedEvent(1))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      await nats.restart();
      await connected(transport);
    }
    const outage = [
      { level: 'warn', fields: { nats: server }, message: 'The connection to NATS was lost' },
      { level: 'info', fields: { nats: server, seconds: expect.any(Number) }, message: 'The connection to NATS is back' },
    ];
    expect(lines).toEqual([...outage, ...outage]);
    bus.close();
    await transport.close();
    expect(lines).toHaveLength(4);
  });

  it('keeps events stored before it was killed', async () => {
    const bus = await harness.caller();
    const away = await harness.start('dashboards');
    await away.close();
    const before = savedEvent(1);
    await bus.emit(agentSaved, before);
    await nats.crash();
    await nats.restart();
    await connected(bus.transport);
    await harness.start('dashboards');
    await harness.workLog.has(`event ${before.id}`);
  });

  it('leaves its consumers working once it is back', async () => {
    await harness.start('dashboards');
    const bus = await harness.caller();
    await nats.crash();
    await nats.restart();
    await connected(bus.transport);
    const after = savedEvent(2);
    await answered(() => bus.emit(agentSaved, after));
    await harness.workLog.has(`event ${after.id}`);
  });

  it('is noticed when it falls silent, before its peers’ silence is', async () => {
    await harness.start('agent-config');
    const bus = await harness.caller();
    const asked = settled(bus.ask(busyWork, {}));
    await harness.workLog.has('is busy');
    nats.freeze();
    await expect(asked).resolves.toMatchObject({ code: 'SERVICE_UNAVAILABLE', cause: lost });
    nats.thaw();
    await connected(bus.transport);
    await expect(answered(() => bus.ask(greet, { name: 'Ada' }))).resolves.toMatchObject({ text: 'Hello Ada' });
  });
});

describe('a replica that is killed', () => {
  it('is noticed by its silence, and the next question goes to another replica', async () => {
    const nats = await TestNats.start();
    const connect = () => NatsTransport.connect({ servers: nats.url, name: 'caller' });
    const harness = new Harness({ connect, stop: () => nats.stop() });
    const replica = typeScriptProcess('libs/messaging/src/suite/replica.ts', 'replica', nats.url);
    try {
      await once(replica.stdout, 'data');
      const bus = await harness.caller();
      const asked = settled(bus.ask(busyWork, {}));
      await once(replica.stdout, 'data');
      await killHard(replica);
      const cause = { message: `${busyWork.subject} fell silent` };
      await expect(asked).resolves.toMatchObject({ code: 'SERVICE_UNAVAILABLE', cause });
      await harness.start('agent-config', 'other');
      await expect(bus.ask(greet, { name: 'Ada' })).resolves.toMatchObject({ by: 'other' });
    } finally {
      await killHard(replica);
      await harness.leave();
      await nats.stop();
    }
  });
});

describe('a replica that is killed during a read', () => {
  it('is replaced by another one, and the caller gets an answer', async () => {
    const nats = await TestNats.start();
    const connect = () => NatsTransport.connect({ servers: nats.url, name: 'caller' });
    const harness = new Harness({ connect, stop: () => nats.stop() });
    const replica = typeScriptProcess('libs/messaging/src/suite/replica.ts', 'replica', nats.url);
    try {
      await once(replica.stdout, 'data');
      const bus = await harness.caller();
      const asked = bus.ask(look, { deaf: 'killed' });
      await once(replica.stdout, 'data');
      await harness.start('agent-config', 'other');
      await killHard(replica);
      await expect(asked).resolves.toMatchObject({ by: 'other' });
    } finally {
      await killHard(replica);
      await harness.leave();
      await nats.stop();
    }
  });
});

it('a NATS server with the settings of an installation leaves a client that hangs', async () => {
  const installed = await readFile(path.join(__dirname, '../../../deploy/stores/nats.conf'), 'utf8');
  const nats = await TestNats.start(installed.match(/^ping_.*$/gm)?.join('\n'));
  // It subscribes, as a replica does, and answers no ping.
  const client = new Socket().setEncoding('utf8').connect(nats.port, '127.0.0.1');
  let heard = '';
  client.on('data', (text: string) => (heard += text));
  client.write('CONNECT {"verbose":false}\r\nSUB questions replicas 1\r\n');
  await once(client, 'close');
  expect(heard).toContain('Stale Connection');
  await nats.stop();
});

function savedEvent(agentId: number) {
  return { id: randomUUID(), orgId: 42, occurredAt: new Date().toISOString(), payload: { agentId } };
}

function settled(work: Promise<unknown>): Promise<unknown> {
  return work.catch((error: unknown) => error);
}

async function readAll(items: AsyncIterable<unknown>, onItem: () => void): Promise<void> {
  for await (const _ of items) onItem();
}

const connected = (transport: Transport): Promise<void> => becomes(transport, 'connected');

async function becomes(transport: Transport, status: ReturnType<Transport['status']>): Promise<void> {
  while (transport.status() !== status) await once(AbortSignal.timeout(20), 'abort');
}

// Connections return independently; callers have to retry until the service's is back too.
async function answered<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch {
      await once(AbortSignal.timeout(50), 'abort');
    }
  }
}
