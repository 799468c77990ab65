import { once } from 'node:events';
import { Controller } from '@nestjs/common';
import { examplesOf, revokeKey, watchCalls, watchTodayCounts } from '@parley/contracts';
import { type Call, Handles } from '@parley/messaging';
import { eventually, recordOf } from '@parley/testing';
import type { z } from 'zod';
import type { TestOrganization } from '../testing/harness';
import { SocketHarness } from './sockets/socket-harness.suite';

const aborted = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, 'abort');
};

@Controller()
class Bridge {
  @Handles(watchCalls)
  async *watch(_body: object, { signal }: Call): AsyncGenerator<z.input<typeof watchCalls.item>> {
    yield { type: 'counts', change: 1, counts: { activeCalls: 0, limit: 10, byAgent: [] } };
    await aborted(signal);
  }
}

@Controller()
class Dashboards {
  @Handles(watchTodayCounts)
  async *watch(_body: object, { signal }: Call): AsyncGenerator<z.input<typeof watchTodayCounts.item>> {
    yield watchTodayCounts.item.parse(examplesOf(watchTodayCounts.item)[0]);
    await aborted(signal);
  }
}

describe('open connections per key', () => {
  let by: SocketHarness;
  let mine: TestOrganization;
  let leaving: AbortController;

  beforeAll(async () => {
    by = await SocketHarness.open({
      LIVE_STREAMS_PER_KEY: '2',
      LIVE_STREAMS_PER_ORGANIZATION: '3',
      LONG_REQUESTS_PER_KEY: '2',
      LONG_REQUESTS_PER_ORGANIZATION: '3',
      LONG_REQUESTS_PER_ADDRESS: '4',
    });
    await by.harness.play('telephony-bridge', Bridge);
    await by.harness.play('dashboards', Dashboards);
  });
  beforeEach(() => {
    mine = by.harness.organization();
    leaving = new AbortController();
    by.conversation.asked.length = 0;
    by.conversation.answer = async function* (_asked, { signal }) {
      yield 'Let me see. ';
      await aborted(signal);
    };
  });
  afterEach(() => leaving.abort());
  afterAll(() => by.harness.close());

  const watch = (key: string) =>
    fetch(`${by.url}/api/v1/external/dashboard-count/live`, { headers: { 'x-api-key': key }, signal: leaving.signal });
  const ask = (key: string, more: object = {}, signal = leaving.signal) =>
    fetch(`${by.url}/api/v1/external/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify({ question: 'When?', ...more }),
      signal,
    });
  /** Questions that are not answered yet; resolves once this many reached the service. */
  const holding = async (key: string, count: number): Promise<Promise<Response | undefined>[]> => {
    const before = by.conversation.asked.length;
    const asked = Array.from({ length: count }, () => ask(key).catch(() => undefined));
    await eventually('the questions are under way', () => by.conversation.asked.length === before + count);
    return asked;
  };
  const refusalOf = async (response: Response) => ({
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    ...recordOf(await response.json()),
  });
  const tooMany = (of: string, what: string) => ({
    status: 429,
    retryAfter: '5',
    code: 'RATE_LIMITED',
    message: expect.stringMatching(new RegExp(`${of} .*${what}`)),
  });
  const agentKey = async (of = mine) => (await by.harness.key(of, 'agt')).key;
  const memberKey = async () => (await by.harness.key(mine, 'wsk')).key;

  it('limit streams per key and per organization', async () => {
    const [key, other] = [await memberKey(), await memberKey()];
    const open = [await watch(key), await watch(key), await watch(other)];
    expect(open.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await refusalOf(await watch(key))).toMatchObject(tooMany('key', '2 live streams'));
    expect(await refusalOf(await watch(other))).toMatchObject(tooMany('organization', '3 live streams'));
    await open[0]?.body?.cancel();
    await eventually('a place is free', async () => (await watch(other)).status === 200);
  });

  it('limit long requests per key, organization and address', async () => {
    const [key, other] = [await agentKey(), await agentKey()];
    void (await holding(key, 2));
    expect(await refusalOf(await ask(key))).toMatchObject(tooMany('key', '2 long requests'));
    void (await holding(other, 1));
    expect(await refusalOf(await ask(other))).toMatchObject(tooMany('organization', '3 long requests'));
    const elsewhere = await agentKey(by.harness.organization());
    void (await holding(elsewhere, 1));
    expect(await refusalOf(await ask(elsewhere))).toMatchObject(tooMany('address', '4 long requests'));
  });

  it.each<[string, (key: string) => Promise<unknown>]>([
    [
      'an answer',
      async (key) => {
        by.conversation.answer = async function* () {
          yield 'Now.';
        };
        return (await ask(key)).text();
      },
    ],
    [
      'a failure',
      async (key) => {
        by.conversation.answer = async function* () {
          yield 'No';
          throw new Error('broken');
        };
        return (await ask(key)).text();
      },
    ],
    ['a refusal of its body', async (key) => (await ask(key, { question: 7 })).text()],
    [
      'a disconnected stream',
      async (key) => {
        const stream = await ask(key, { responseMode: 'stream' });
        return stream.body?.cancel();
      },
    ],
    [
      'a client that disconnects before the answer',
      async (key) => {
        const hangUp = new AbortController();
        const before = by.conversation.asked.length;
        const asked = ask(key, {}, hangUp.signal).catch(() => undefined);
        await eventually('it is under way', () => by.conversation.asked.length > before);
        hangUp.abort();
        return asked;
      },
    ],
  ])('are free again after %s', async (_end, one) => {
    const key = await agentKey();
    for (let time = 0; time < 4; time += 1) await one(key);
    await eventually('nothing is held', async () => {
      by.conversation.answer = async function* () {
        yield 'Now.';
      };
      const answers = await Promise.all([ask(key), ask(key)]);
      return answers.every(({ status }) => status === 200);
    });
  });

  it('end with the key: waiting callers get an error, and nothing just breaks off', async () => {
    const { key, IntegrationKeyID } = await by.harness.key(mine, 'agt');
    const [asked] = await holding(key, 1);
    await by.harness.bus.ask(revokeKey, { IntegrationKeyID }, { principal: mine.owner });
    const answer = await asked;
    expect(answer && (await refusalOf(answer))).toMatchObject({
      status: 401,
      code: 'API_KEY_INVALID',
      message: expect.stringContaining('the key has ended'),
    });
  });
});
