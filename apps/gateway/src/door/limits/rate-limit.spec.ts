import { NatsTransport } from '@parley/messaging';
import { eventually, TestNats } from '@parley/testing';
import { newKeyText } from '../access/stored-keys';
import { Harness, type TestOrganization } from '../../testing/harness';

const path = '/api/v1/external/integrations/keys';
/** So slow to come back that a test is over before another request is allowed. */
const quota = { limit: 100, windowSeconds: 86_400 };
const small = { limit: 3, windowSeconds: 60 };
const failedPerMinute = 5;
const RATE_LIMIT_PLANS = JSON.stringify({
  standard: { key: { read: quota } },
  trial: { key: { read: small } },
  family: { organization: { read: small } },
});

/** What the three headers of one number each say. */
const inNumbers = ({ headers }: Response) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`ratelimit-${name}`) ?? Number.NaN));
/** In how many seconds the limit is restored, as `RateLimit` says it. */
const secondsIn = ({ headers }: Response) => Number(/;t=(\d+)$/.exec(headers.get('ratelimit') ?? '')?.[1]);

describe('rate limits', () => {
  let harness: Harness;
  let urls: string[];
  let organizations: TestOrganization[];

  beforeAll(async () => {
    const nats = await TestNats.start();
    harness = await Harness.open({
      connect: () => NatsTransport.connect({ servers: nats.url, name: 'spec' }),
      stop: () => nats.stop(),
    });
    organizations = Array.from({ length: 5 }, () => harness.organization());
    const environment = {
      RATE_LIMIT_PLANS,
      ORGANIZATION_PLANS: '2=trial,3=family',
      FAILED_KEYS_PER_MINUTE: String(failedPerMinute),
    };
    urls = [(await harness.startGateway(environment)).url, (await harness.startGateway(environment)).url];
  });
  afterAll(() => harness.close());

  const organization = (orgId: number): TestOrganization => organizations[orgId - 1] ?? harness.organization();
  const ask = (url: string | undefined, key: string) => fetch(url + path, { headers: { 'x-api-key': key } });
  const keyOf = async (orgId: number) => (await harness.key(organization(orgId), 'wsk')).key;

  /** Asks as fast as the gateways answer, until this many are admitted and for a whole limit more; resolves with all that are. */
  const flood = async (key: string, at: (string | undefined)[], least: number) => {
    let [granted, more] = [0, quota.limit];
    const askOn = async (url: string | undefined) => {
      while (granted < least || (more -= 1) > 0) {
        const { status } = await ask(url, key);
        if (status === 200) granted += 1;
        else expect(status).toBe(429);
      }
    };
    await Promise.all(at.map(askOn));
    return granted;
  };

  it('tell a caller the remaining quota, and when to retry', async () => {
    const key = await keyOf(2);
    const first = await ask(urls[0], key);
    expect(first.headers.get('ratelimit-policy')).toBe('"key";q=3;w=60, "organization";q=6000;w=60');
    expect(first.headers.get('ratelimit')).toMatch(/^"key";r=2;t=\d+$/);
    expect(inNumbers(first)).toEqual([3, 2, secondsIn(first)]);
    let last = first;
    await eventually('the limit is reached', async () => (last = await ask(urls[0], key)).status === 429);
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(last.headers.get('ratelimit')).toMatch(/^"key";r=0;t=\d+$/);
    expect(inNumbers(last)).toEqual([3, 0, Number(last.headers.get('retry-after'))]);
    expect(await last.json()).toMatchObject({ statusCode: 429, code: 'RATE_LIMITED', message: 'Too many requests of this key.' });
  });

  it('are available in full at once on a single gateway', async () => {
    const alone = await Harness.open();
    const mine = alone.organization();
    const { url } = await alone.startGateway({ RATE_LIMIT_PLANS: JSON.stringify({ standard: { key: { read: small } } }) });
    const { key } = await alone.key(mine, 'wsk');
    const statuses = [];
    for (let asked = 0; asked <= small.limit; asked += 1) statuses.push((await ask(url, key)).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    await alone.close();
  });

  it('apply to all keys of an organization together', async () => {
    const [one, two] = [await keyOf(3), await keyOf(3)];
    const statuses = [];
    for (const key of [one, two, one, two, one, two]) statuses.push((await ask(urls[0], key)).status);
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(3);
    expect((await ask(urls[0], await keyOf(1))).status).toBe(200);
  });

  it('are exact on one gateway', async () => {
    const askers = Array.from({ length: 8 }, () => urls[0]);
    expect(await flood(await keyOf(4), askers, quota.limit)).toBe(quota.limit);
  });

  it('are exceeded by at most a twentieth over two gateways', async () => {
    const granted = await flood(await keyOf(5), [...urls, ...urls, ...urls, ...urls], 0.9 * quota.limit);
    expect(granted).toBeLessThanOrEqual(1.05 * quota.limit);
  });

  it('limit wrong keys per address, while other keys of it go on, even never used ones', async () => {
    const key = await keyOf(1);
    const sinceMs = performance.now();
    const statuses: number[] = [];
    await eventually('it has tried too many', async () => {
      statuses.push((await ask(urls[1], newKeyText('wsk'))).status);
      return statuses.at(-1) === 429;
    });
    const dueTries = failedPerMinute + ((performance.now() - sinceMs) * failedPerMinute) / 60_000;
    expect(statuses.slice(0, 2)).toEqual([401, 401]);
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(dueTries);
    expect((await ask(urls[1], key)).status).toBe(200);
    expect((await ask(urls[1], 'wsk_mistyped')).status).toBe(401);
  });
});
