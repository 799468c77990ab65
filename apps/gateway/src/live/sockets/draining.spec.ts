import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { eventually, TestNats } from '@parley/testing';
import type { TestOrganization } from '../../testing/harness';
import { latency, usage } from '../../testing/scripted-speech';
import { SocketClient } from '../../testing/socket-client';
import { SocketHarness } from './socket-harness.suite';

const drains = 3;
const callers = 15;
const askersInARow = 4;
const slowAnswers = 10;

/** Clients behind a load balancer: each request goes to a gateway that is ready. */
class Crowd {
  readonly statuses: number[] = [];
  private readonly waiting = new Map<string, number>();
  private isGoing = true;

  constructor(
    public doors: readonly string[],
    private readonly key: string,
  ) {}

  /** Keeps asking until the test ends. */
  async askInARow(): Promise<void> {
    for (let turn = 0; this.isGoing; turn += 1) {
      const door = this.doors[turn % this.doors.length] ?? '';
      this.waiting.set(door, this.waitingAt(door) + 1);
      this.statuses.push(await this.ask(door, 'What do you sell?').catch(() => 0));
      this.waiting.set(door, this.waitingAt(door) - 1);
      await nextTurn();
    }
  }

  async ask(door: string, question: string): Promise<number> {
    const headers = { 'x-api-key': this.key, 'content-type': 'application/json' };
    const reply = await fetch(`${door}/api/v1/ttt`, { method: 'POST', headers, body: JSON.stringify({ question }) });
    await reply.arrayBuffer();
    return reply.status;
  }

  waitingAt(door: string): number {
    return this.waiting.get(door) ?? 0;
  }

  goHome(): void {
    this.isGoing = false;
  }
}

describe('a gateway that drains under load', () => {
  let by: SocketHarness;
  let mine: TestOrganization;

  beforeAll(async () => {
    by = await SocketHarness.open({}, await TestNats.start());
    mine = by.harness.organization();
  });
  afterAll(() => by.harness.close());

  it.each(Array.from({ length: drains }, (_, drain) => drain + 1))(
    'fails no request, ends every socket with 1012, and each resumes its conversation elsewhere: %d',
    async () => {
      const leaving = await by.harness.startGateway();
      const { key } = await by.harness.key(mine, 'agt');
      const headers = { 'x-api-key': key };
      const clients = await Promise.all(
        Array.from({ length: callers }, () => SocketClient.open(`${leaving.url}/ws/sts`, { headers })),
      );
      const sessions = await Promise.all(clients.map(async (client) => (await client.start()).sessionUUID));
      const released = Promise.withResolvers<void>();
      by.conversation.answer = async function* ({ question }) {
        if (question === 'slow') await released.promise;
        yield 'Kettles.';
      };
      const crowd = new Crowd([leaving.url, by.url], key);
      const rows = Array.from({ length: askersInARow }, () => crowd.askInARow());
      const before = by.conversation.asked.length;
      const slow = Array.from({ length: slowAnswers }, () => crowd.ask(leaving.url, 'slow'));
      const slowAsked = () => by.conversation.asked.slice(before).filter(({ question }) => question === 'slow').length;
      await eventually('the slow questions are being answered', () => slowAsked() === slowAnswers);

      // Between readiness and SIGTERM the balancer sends nothing new, and what it sent has arrived.
      leaving.service.announceStop();
      crowd.doors = [by.url];
      await eventually('nothing is on its way to the one that leaves', () => crowd.waitingAt(leaving.url) === 0);
      const stopped = leaving.service.stop();
      expect((await Promise.all(clients.map(({ closed }) => closed))).map(({ code }) => code)).toEqual(clients.map(() => 1012));
      released.resolve();
      expect(await Promise.all(slow)).toEqual(slow.map(() => 200));
      await stopped;

      const again = await Promise.all(clients.map(() => SocketClient.open(`${by.url}/ws/sts`, { headers })));
      const resumed = await Promise.all(
        again.map(async (client, at) => (await client.start({ sessionUUID: sessions[at] })).sessionUUID),
      );
      expect(resumed).toEqual(sessions);
      crowd.goHome();
      await Promise.all(rows);
      expect(crowd.statuses.length).toBeGreaterThan(askersInARow);
      expect(crowd.statuses.filter((status) => status !== 200)).toEqual([]);
      await Promise.all(again.map((client) => client.close()));
    },
  );

  it.each(['spoken', 'typed'])('lets an answer that is being %s end before it closes the socket', async (how) => {
    const leaving = await by.harness.startGateway();
    const { key } = await by.harness.key(mine, 'agt');
    const { publicId } = await by.widget(mine);
    const [path, options] =
      how === 'spoken'
        ? ['sts', { headers: { 'x-api-key': key } }]
        : [`widgetchat?widget=${publicId}`, { origin: 'https://shop.example' }];
    const client = await SocketClient.open(`${leaving.url}/ws/${path}`, options);
    const quiet = await SocketClient.open(`${leaving.url}/ws/${path}`, options);
    await Promise.all([client.start(), quiet.start()]);
    const said = Promise.withResolvers<void>();
    const tail = new Uint8Array(640).fill(7);
    by.speech.hear = async ({ channel }, item) => {
      if ('signal' in item && item.signal.type === 'caller.left') channel.close('the caller left');
      if (!('signal' in item) || item.signal.type !== 'text') return;
      channel.signal({ type: 'agent.delta', text: 'Kettles and pots.' });
      await said.promise;
      channel.send(tail);
      channel.signal({ type: 'agent.done', turnUUID: randomUUID(), text: 'Kettles and pots.', usage, latency });
    };
    by.conversation.answer = async function* () {
      yield 'Kettles ';
      await said.promise;
      yield 'and pots.';
    };
    client.send({ type: 'text', text: 'What do you sell?' });
    await client.next('agent.delta');
    const stopped = leaving.service.stop();
    expect((await quiet.closed).code).toBe(1012);
    said.resolve();
    expect((await client.next('agent.done')).text).toBe('Kettles and pots.');
    expect((await client.closed).code).toBe(1012);
    await stopped;
    by.speech.reset();
  });
});
