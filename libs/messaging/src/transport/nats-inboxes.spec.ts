import { connect, type NatsConnection } from '@nats-io/transport-node';
import { eventually, TestNats } from '@parley/testing';
import { PlainPrincipals } from '../access/signed-principals';
import { Harness } from '../suite/harness';
import { greet } from '../suite/services';
import { encodeRequest, textOf } from '../wire/body';
import { decodeFrame, encodeFrame } from '../wire/frame';
import { NatsTransport } from './nats';
import { inboxRoot } from './transport';

describe('answers over NATS', () => {
  let nats: TestNats;
  let harness: Harness;
  let plain: NatsConnection;

  beforeAll(async () => {
    nats = await TestNats.start();
  });
  afterAll(() => nats.stop());
  beforeEach(async () => {
    harness = new Harness({
      connect: () => NatsTransport.connect({ servers: nats.url, name: 'inboxes' }),
      stop: () => nats.stop(),
    });
    plain = await connect({ servers: nats.url });
  });
  afterEach(async () => {
    await harness.leave();
    await plain.close();
  });

  it('have one subject for each process that asks, however much it asks', async () => {
    const subjects: string[] = [];
    plain.subscribe(`${inboxRoot}.>`, { callback: (_error, { subject }) => void subjects.push(subject) });
    await plain.flush();
    await harness.start('agent-config');
    const [one, other] = [await harness.caller(), await harness.caller()];
    const answers = await Promise.all(
      ['Ada', 'Bo', 'Cy', 'Di'].flatMap((name) => [one.ask(greet, { name }), other.ask(greet, { name })]),
    );
    await plain.flush();
    expect(answers.map(({ text }) => text)).toEqual(
      ['Ada', 'Ada', 'Bo', 'Bo', 'Cy', 'Cy', 'Di', 'Di'].map((name) => `Hello ${name}`),
    );
    expect([subjects.length, new Set(subjects).size]).toEqual([8, 2]);
  });

  it('cannot be forged by a service that was asked something else', async () => {
    const bus = await harness.caller();
    const addresses: string[] = [];
    const answerOf = (text: string) => encodeFrame('reply', 0, JSON.stringify({ text, by: 'it' }));
    plain.subscribe(greet.subject, {
      callback: (_error, { reply = '', data }) => {
        addresses.push(reply);
        if (textOf(data).includes('Ada')) plain.publish(reply, answerOf('asked'));
      },
    });
    await plain.flush();
    await bus.ask(greet, { name: 'Ada' });
    const asking = bus.ask(greet, { name: 'Bo' });
    await eventually('it is asked', () => addresses.length === 2);
    const [seen = '', asked = ''] = addresses;
    const wordAt = seen.lastIndexOf('.') + 1;
    const [inbox, word] = [seen.slice(0, wordAt), seen.slice(wordAt)];
    for (const forged of successorsOf(word, 2_000)) plain.publish(inbox.slice(0, -1), answerOf('forged'), { reply: forged });
    plain.publish(asked, answerOf('answered'));
    await expect(asking).resolves.toMatchObject({ text: 'answered' });
  });

  it('go to no address but that of an inbox', async () => {
    await harness.start('agent-config');
    const heard: string[] = [];
    plain.subscribe('parley.>', { callback: (_error, { subject }) => void heard.push(subject) });
    const question = encodeRequest({ requestId: 'r-1', leftMs: 5_000 }, '{"name":"Ada"}', new PlainPrincipals());
    for (const reply of ['parley.event.agent-config.changed', `${inboxRoot}s.a`, `${inboxRoot}.a.b`])
      plain.publish(greet.subject, question, { reply });
    await eventually('the inbox is answered', () => heard.length > 0);
    expect(heard).toEqual([`${inboxRoot}.a.b`]);
  });

  it('go to the address itself where a process of an earlier version asks', async () => {
    await harness.start('agent-config');
    const reply = `${inboxRoot}.gateway.abc.1`;
    const answered = new Promise<string>((resolve) => {
      plain.subscribe(reply, { callback: (_error, { data }) => resolve(textOf(decodeFrame(data)?.body ?? data)) });
    });
    const headers = { requestId: 'r-1', leftMs: 5_000 };
    plain.publish(greet.subject, encodeRequest(headers, '{"name":"Ada"}', new PlainPrincipals()), { reply });
    await expect(answered).resolves.toContain('Hello Ada');
  });

  it('arrive from a process of an earlier version, which sends them to the address itself', async () => {
    plain.subscribe(greet.subject, {
      callback: (_error, { reply = '' }) =>
        plain.publish(reply, encodeFrame('reply', 0, JSON.stringify({ text: 'Hello', by: 'before' }))),
    });
    await plain.flush();
    const bus = await harness.caller();
    await expect(bus.ask(greet, { name: 'Ada' })).resolves.toEqual({ text: 'Hello', by: 'before' });
  });
});

/** What would follow a word if words were counted. */
function successorsOf(word: string, count: number): string[] {
  const [mark, number] = [word.slice(0, 1), Number.parseInt(word.slice(1), 36)];
  return Array.from({ length: count }, (_, place) => `${mark}${(number + place + 1).toString(36)}`);
}
