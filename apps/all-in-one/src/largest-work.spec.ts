/** @quiet Judged by CPU time. */
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { createKey, createOrganization, examplesOf, type Principal, saveAgent, saveKnowledgeBase } from '@parley/contracts';
import { longestTurnMs, loopBudgetMs } from '@parley/testing';
import { startWholePlatform, type WholePlatform } from './testing/whole-platform';

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
}

/** All services run in this process: what is measured is the longest turn of any of them, the client included. */
describe('the largest valid requests do not block the event loop', () => {
  let platform: WholePlatform;
  let principal: Principal;
  let keys: { readonly owner: string; readonly agent: string };

  beforeAll(async () => {
    platform = await startWholePlatform();
    const owner = { email: `${randomUUID()}@tenant.example`, name: 'Owner' };
    const organization = {
      OrgKeyID: randomUUID(),
      OrganizationName: 'Large Stores',
      timezone: 'Asia/Kolkata',
      defaultRegion: 'IN',
      owner,
    };
    const { OrgID: orgId, memberAdminID: memberId, userID: userId } = await platform.bus.ask(createOrganization, organization);
    principal = { kind: 'wsk', keyId: 'test', orgId, memberId, userId, roleTypeId: 1 };
    const agent = saveAgent.request.parse(examplesOf(saveAgent.request)[0]);
    const { AgentKeyID } = await platform.bus.ask(saveAgent, agent, { principal });
    const made = await Promise.all([
      platform.bus.ask(createKey, { name: 'all', kind: 'wsk' }, { principal }),
      platform.bus.ask(createKey, { name: 'one', kind: 'agt', AgentKeyID }, { principal }),
    ]);
    keys = { owner: made[0].key, agent: made[1].key };
  });
  afterAll(() => platform.stop());

  const post = async (path: string, key: string, body: Buffer, headers: object = {}): Promise<Answer> => {
    const options = { method: 'POST', headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers } };
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const asking = request(`${platform.url}/api/v1/external/${path}`, options, (response) => {
      void text(response).then((answered) => resolve({ status: response.statusCode, body: answered }), reject);
    });
    asking.on('error', reject).end(body);
    return promise;
  };
  /** The fastest of five: the first run warms up the code. */
  const longestOf = async (work: () => Promise<unknown>): Promise<number> => {
    const times: number[] = [];
    while (times.length < 5) times.push(await longestTurnMs(work));
    return Math.min(...times);
  };

  const recording = () => Buffer.from(JSON.stringify({ audioBase64: Buffer.alloc(25_000_000, 'sound').toString('base64') }));

  it.each([
    ['', () => ({})],
    [', with an Idempotency-Key', () => ({ 'idempotency-key': randomUUID() })],
  ])('a recording of 25 MB as base64%s', async (_, headers) => {
    const body = recording();
    // It is not sound, which a platform without engines cannot know; all of it was read either way.
    const spent = await longestOf(async () => {
      const { code } = JSON.parse((await post('chat', keys.agent, body, headers())).body);
      expect(['PROVIDER_NOT_CONFIGURED', 'UNSUPPORTED_MEDIA_TYPE']).toContain(code);
    });
    expect(spent).toBeLessThan(loopBudgetMs);
  });

  it('a business import of 2,000 entries', async () => {
    const base = saveKnowledgeBase.request.parse(examplesOf(saveKnowledgeBase.request)[0]);
    const { KBID } = await platform.bus.ask(saveKnowledgeBase, base, { principal });
    const description = 'Boils a litre in three minutes. '.repeat(8);
    const products = Array.from({ length: 1_000 }, (_, n) => ({
      product_name: `Kettle ${n}`,
      price: n,
      currency: 'INR',
      description,
    }));
    const faqs = Array.from({ length: 1_000 }, (_, n) => ({
      Question: `When do you deliver to district ${n}?`,
      Answer: 'Within three days.',
      Alternatives: [`How long to ${n}?`],
    }));
    const body = Buffer.from(JSON.stringify({ KBID, products, services: [], faqs }));
    const spent = await longestOf(async () => {
      expect(await post('kb/import', keys.owner, body)).toMatchObject({ status: 200 });
    });
    expect(spent).toBeLessThan(loopBudgetMs);
  });
});
