import { randomUUID } from 'node:crypto';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection, nkeyAuthenticator, nkeys } from '@nats-io/transport-node';
import { contractByName, serviceNames } from '@parley/contracts';
import { TestNats } from '@parley/testing';
import { callers } from '../access/signed-principals';
import { cancelSubject } from '../endpoint';
import { limits } from '../limits';
import { NatsTransport } from '../transport/nats';
import type { MessageLog } from '../transport/transport';
import { messageUses } from '../uses/message-uses';
import { type BrokerUser, brokerUsers, formerAsks, prepareEvents, renderNatsUsers, rightsOf } from './message-rights';

const seeds = new Map(brokerUsers.map((user) => [user, nkeys.createUser()]));
const pairOf = (user: BrokerUser) => seeds.get(user) ?? nkeys.createUser();
const seedOf = (user: BrokerUser) => Buffer.from(pairOf(user).getSeed()).toString();

/** Every subject that means anything to someone, and some that no one may use. */
const everySubject = [
  ...[...contractByName.values()].flatMap(({ kind, subject }) =>
    kind === 'event' ? [`parley.event.${subject}`, `parley.heard.${subject}`] : [subject],
  ),
  ...serviceNames.map(cancelSubject),
  ...serviceNames.map((name) => `parley.dead.${name}.x`),
  ...brokerUsers.map((user) => `parley.inbox.${user}.abc.1`),
  ...['EVENTS_gateway', 'DEAD_LETTERS', 'OTHER'].flatMap((stream) => [
    `$JS.API.STREAM.CREATE.${stream}`,
    `$JS.API.STREAM.DELETE.${stream}`,
    `$JS.API.STREAM.MSG.GET.${stream}`,
    `$JS.API.CONSUMER.CREATE.${stream}`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.a`,
    `$JS.API.DIRECT.GET.${stream}`,
  ]),
  '$SYS.REQ.SERVER.PING',
  'anything.else',
  '>',
];

describe('the users of a broker', () => {
  let nats: TestNats;
  const opened: NatsConnection[] = [];

  beforeAll(async () => {
    nats = await TestNats.start(renderNatsUsers(messageUses, (user) => pairOf(user).getPublicKey()));
    await prepareEvents({ servers: nats.url, credentials: { nkeySeed: seedOf('setup') } });
  });
  afterEach(() => Promise.all(opened.splice(0).map((connection) => connection.close())));
  afterAll(() => nats.stop());

  const connected = async (user: BrokerUser): Promise<NatsConnection> => {
    const connection = await connect({
      servers: nats.url,
      authenticator: nkeyAuthenticator(Buffer.from(seedOf(user))),
      inboxPrefix: `parley.inbox.${user}`,
    });
    opened.push(connection);
    return connection;
  };
  /** What the server refuses while some work is done. */
  const refusedDuring = async (connection: NatsConnection, work: () => void): Promise<string[]> => {
    const refused: string[] = [];
    const status = connection.status()[Symbol.asyncIterator]();
    const listening = (async () => {
      for (let next = await status.next(); !next.done; next = await status.next())
        if (next.value.type === 'error') refused.push(/"([^"]+)"/.exec(next.value.error.message)?.[1] ?? '');
    })();
    work();
    await connection.flush();
    await connection.close();
    await listening;
    return [...new Set(refused)].sort();
  };
  const not = (allowed: readonly string[]) => everySubject.filter((subject) => !allowed.some(matches(subject))).sort();

  it.each(serviceNames)('%s publishes what its contracts need, and nothing else', async (service) => {
    const connection = await connected(service);
    const subjects = everySubject.filter((subject) => subject !== '>');
    const refused = await refusedDuring(connection, () => {
      for (const subject of subjects) connection.publish(subject);
    });
    expect(refused).toEqual(not(rightsOf(service, messageUses).publish).filter((subject) => subject !== '>'));
    const others = contractsOf((owner) => owner !== service).filter((subject) => !refused.includes(subject));
    expect(others.sort()).toEqual(asked(service).sort());
  });

  it.each(serviceNames)('%s hears its own subjects, and nothing else', async (service) => {
    const connection = await connected(service);
    const refused = await refusedDuring(connection, () => {
      for (const subject of everySubject) connection.subscribe(subject, { callback: () => undefined });
    });
    expect(refused).toEqual(not(rightsOf(service, messageUses).subscribe));
    expect(refused).toEqual(expect.arrayContaining(contractsOf((owner) => owner !== service)));
  });

  it('what the previous release asks is still permitted, and not asked by this one', () => {
    const former = callers.flatMap((user) => (formerAsks[user] ?? []).map((name) => ({ user, name })));
    for (const { user, name } of former) {
      expect(rightsOf(user, messageUses).publish).toContain(contractByName.get(name)?.subject);
      expect(messageUses[user].asks).not.toContain(name);
    }
    expect(former).toContainEqual({ user: 'conversation', name: 'transcribeRecording' });
  });

  it('refuses a connection without a key, with another key, or by name', async () => {
    const options = { servers: nats.url, reconnect: false };
    await expect(connect(options)).rejects.toThrow(/auth/i);
    const other = nkeyAuthenticator(nkeys.createUser().getSeed());
    await expect(connect({ ...options, authenticator: other })).rejects.toThrow(/auth/i);
    await expect(connect({ ...options, user: 'gateway', pass: 'gateway' })).rejects.toThrow(/auth/i);
  });

  it('gives streams their configured share of the store, even if they exist already', async () => {
    const credentials = { nkeySeed: seedOf('setup') };
    const bytesMax = async (): Promise<number> => {
      const { streams } = await jetstreamManager(await connected('setup'), { checkAPI: false });
      return (await streams.info('EVENTS_agent-config')).config.max_bytes;
    };
    const eventBytesMax = 8 * 1024 * 1024;
    await prepareEvents({ servers: nats.url, credentials, eventBytesMax });
    expect(await bytesMax()).toBe(eventBytesMax);
    await prepareEvents({ servers: nats.url, credentials });
    expect(await bytesMax()).toBe(limits.eventBytesMax);
  });

  const transportOf = (user: BrokerUser, { url: servers } = nats, log?: MessageLog) =>
    NatsTransport.connect({
      ...{ servers, name: user, user, credentials: { nkeySeed: seedOf(user) }, makesStreams: false },
      ...(log && { log }),
    });

  it('a service starts over a broker that has lost its streams, and hears events once the migration has run', async () => {
    const empty = await TestNats.start(renderNatsUsers(messageUses, (user) => pairOf(user).getPublicKey()));
    const said: string[] = [];
    const log: MessageLog = { error: () => undefined, warn: (_fields, message) => said.push(message), info: () => undefined };
    const [consumer, teller] = await Promise.all([
      transportOf('agent-config', empty, log),
      transportOf('knowledge-ingest', empty),
    ]);
    const subject = contractByName.get('knowledgeChanged')?.subject ?? '';
    const heard = Promise.withResolvers<string>();
    const consumption = await consumer.events.consume({ subject, group: 'agent-config' }, async ({ data }) => {
      heard.resolve(Buffer.from(data).toString());
      return 'done';
    });
    await prepareEvents({ servers: empty.url, credentials: { nkeySeed: seedOf('setup') } });
    await teller.events.append({ id: randomUUID(), subject, data: Buffer.from('news') });
    expect(await heard.promise).toBe('news');
    expect(said).toEqual(['NATS has no such stream of events: run the migration, which makes it']);
    await consumption.stop();
    await Promise.all([consumer.close(), teller.close()]);
    await empty.stop();
  });

  it('an event reaches the service that consumes it, though neither may make a stream', async () => {
    const [consumer, teller] = await Promise.all([transportOf('agent-config'), transportOf('knowledge-ingest')]);
    const subject = contractByName.get('knowledgeChanged')?.subject ?? '';
    const heard = Promise.withResolvers<string>();
    const consumption = await consumer.events.consume({ subject, group: 'agent-config' }, async ({ data }) => {
      // The publishing above stored empty ones.
      if (data.length > 0) heard.resolve(Buffer.from(data).toString());
      return 'done';
    });
    await teller.events.append({ id: randomUUID(), subject, data: Buffer.from('news') });
    expect(await heard.promise).toBe('news');
    await consumption.stop();
    await Promise.all([consumer.close(), teller.close()]);
  });
});

function asked(service: (typeof serviceNames)[number]): string[] {
  const names = [...messageUses[service].asks, ...(formerAsks[service] ?? [])];
  const subjects = names.map((name) => contractByName.get(name)?.subject ?? '');
  return subjects.filter((subject) => !subject.startsWith(`${service}.`));
}

function contractsOf(which: (owner: string) => boolean): string[] {
  const contracts = [...contractByName.values()].filter(({ kind }) => kind !== 'event');
  return contracts.map(({ subject }) => subject).filter((subject) => which(subject.slice(0, subject.indexOf('.'))));
}

/** Whether a subject is one that a pattern of NATS allows. */
function matches(subject: string) {
  return (pattern: string): boolean => (pattern.endsWith('.>') ? subject.startsWith(pattern.slice(0, -1)) : pattern === subject);
}
