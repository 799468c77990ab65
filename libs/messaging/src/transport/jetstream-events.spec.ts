import { randomUUID } from 'node:crypto';
import { TestNats } from '@parley/testing';
import { isRefusedEvent, type StoredEvent } from '../event-envelope';
import { NatsTransport } from './nats';

describe('events that are stored together', () => {
  let subject: string;
  let nats: TestNats;
  let transport: NatsTransport;
  let other: NatsTransport;

  beforeAll(async () => {
    nats = await TestNats.start();
    transport = await NatsTransport.connect({ servers: nats.url, name: 'spec' });
    other = await NatsTransport.connect({ servers: nats.url, name: 'another replica' });
  });
  beforeEach(() => (subject = `agent-config.told.${randomUUID()}`));
  afterAll(async () => {
    await transport.close();
    await other.close();
    await nats.stop();
  });

  const event = (text: string, of = subject): StoredEvent => ({ id: randomUUID(), subject: of, data: Buffer.from(text) });
  /** Everything of this test in the store, up to an event stored last. */
  const stored = async (): Promise<string[]> => {
    await transport.events.append(event('last'));
    const seen: string[] = [];
    const ended = Promise.withResolvers<void>();
    const consumption = await transport.events.consume({ subject, group: 'spec' }, async ({ data }) => {
      const text = Buffer.from(data).toString();
      if (text === 'last') ended.resolve();
      else seen.push(text);
      return 'done';
    });
    await ended.promise;
    await consumption.stop();
    return seen;
  };

  it('are all stored, in order', async () => {
    const texts = Array.from({ length: 100 }, (_, n) => `event ${n}`);
    expect(await transport.events.appendTogether(texts.map((text) => event(text)))).toBe(100);
    expect(await stored()).toEqual(texts);
  });

  it('end before one that the broker refuses: nothing is stored after it', async () => {
    const events = [event('a'), event('b'), event('c', 'nobody.keeps.this'), event('d'), event('e')];
    expect(await transport.events.appendTogether(events)).toBe(2);
    for (const each of events.slice(3)) await transport.events.append(each);
    expect(await stored()).toEqual(['a', 'b', 'd', 'e']);
  });

  it('stay with the replica that waits for what it needs, and do not use up their tries', async () => {
    await transport.events.append(event('waits'));
    const attempts: number[] = [];
    const ended = Promise.withResolvers<void>();
    const consumption = await transport.events.consume({ subject, group: 'spec' }, async ({ attempt }) => {
      attempts.push(attempt);
      if (attempts.length < 4) return { againInMs: 20, isUncounted: true };
      ended.resolve();
      return 'done';
    });
    await ended.promise;
    await consumption.stop();
    expect(attempts).toEqual([1, 1, 1, 1]);
  });

  it('go to another replica at once when the one that waits stops', async () => {
    await transport.events.append(event('waits'));
    const [held, taken] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
    const consumption = await transport.events.consume({ subject, group: 'spec' }, async () => {
      held.resolve();
      return { againInMs: 3_600_000, isUncounted: true };
    });
    await held.promise;
    await consumption.stop();
    const next = await other.events.consume({ subject, group: 'spec' }, async ({ data }) => {
      taken.resolve(Buffer.from(data).toString());
      return 'done';
    });
    expect(await taken.promise).toBe('waits');
    await next.stop();
  });

  it('are each stored once and in order, when two replicas publish at the same moment', async () => {
    const tell = async (from: NatsTransport, name: string): Promise<void> => {
      const events = Array.from({ length: 50 }, (_, n) => event(`${name} ${n}`));
      const done = await from.events.appendTogether(events);
      for (const each of events.slice(done)) await from.events.append(each);
    };
    await Promise.all([tell(transport, 'one'), tell(other, 'two')]);
    const seen = await stored();
    for (const name of ['one', 'two'])
      expect(seen.filter((text) => text.startsWith(name))).toEqual(Array.from({ length: 50 }, (_, n) => `${name} ${n}`));
    expect(seen).toHaveLength(100);
  });

  it('are not stored if the connection is gone', async () => {
    const gone = await NatsTransport.connect({ servers: nats.url, name: 'gone' });
    await gone.close();
    expect(await gone.events.appendTogether([event('f'), event('g')])).toBe(0);
  });
});

describe('events that the user may not publish', () => {
  const permitted = 'agent-config.permitted';
  const forbidden = 'agent-config.forbidden';
  let nats: TestNats;
  let transport: NatsTransport;

  beforeAll(async () => {
    nats = await TestNats.start(`authorization { users: [{ user: "ada", password: "secret",
      permissions: { publish: { deny: "parley.event.${forbidden}" } } }] }`);
    const credentials = { user: 'ada', password: 'secret' };
    const log = { error: () => undefined, warn: () => undefined, info: () => undefined };
    transport = await NatsTransport.connect({ servers: nats.url, name: 'spec', credentials, log });
    await transport.events.append(event(permitted));
  });
  afterAll(async () => {
    await transport.close();
    await nats.stop();
  });

  const event = (subject: string): StoredEvent => ({ id: randomUUID(), subject, data: Buffer.from('text') });
  const refusalOf = (subject: string) => transport.events.append(event(subject)).then(() => false, isRefusedEvent);

  it('are told from those that an unavailable broker does not store, however many are published together', async () => {
    const refused = await Promise.all([forbidden, permitted, forbidden, forbidden].map(refusalOf));
    expect(refused).toEqual([true, false, true, true]);
    expect(await refusalOf('nobody.keeps.this')).toBe(false);
    await expect(transport.events.append(event(forbidden))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it('end what is stored together', async () => {
    const events = [permitted, forbidden, permitted, forbidden, forbidden].map(event);
    expect(await transport.events.appendTogether(events)).toBe(1);
  });

  it('include one larger than the server accepts', async () => {
    const oversized = { ...event(permitted), data: Buffer.alloc(2_000_000) };
    await expect(transport.events.append(oversized)).rejects.toMatchObject({ cause: { name: 'RefusedEvent' } });
  });
});
