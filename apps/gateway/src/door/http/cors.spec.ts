import { keys, post, type RunningGateway, runGateway } from '../../testing/running-gateway';

const origin = 'https://app.example.com';
const preflight = { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } };

test('pages of other origins may not call unless configured', async () => {
  const gateway = await runGateway();
  const response = await fetch(`${gateway.url}/api/v1/ask`, preflight);
  expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  await gateway.close();
});

describe('with origins configured', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await runGateway({ environment: { CORS_ORIGINS: `${origin}, https://other.example.com` } });
  });
  afterAll(() => gateway.close());

  test('allows their preflight without a key, and answers with a request id', async () => {
    const response = await fetch(`${gateway.url}/api/v1/ask`, preflight);
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe(origin);
    expect(response.headers.get('access-control-allow-headers')).toContain('x-api-key');
    expect(response.headers.get('x-request-id')).toBeTruthy();
  });

  test.each([
    ['an answer', '/api/v1/ask', post({ question: '?' }, keys.agent, { origin })],
    ['a refusal', '/api/v1/ask', post({}, undefined, { origin })],
    ['an unknown route', '/nowhere', { headers: { origin } }],
  ])('lets their pages read %s', async (_what, path, init) => {
    const response = await fetch(gateway.url + path, init);
    expect(response.headers.get('access-control-allow-origin')).toBe(origin);
    const exposed = response.headers.get('access-control-expose-headers');
    for (const name of ['x-request-id', 'ratelimit', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'])
      expect(exposed?.split(/, */)).toContain(name);
  });

  test('ignores other origins', async () => {
    const response = await fetch(`${gateway.url}/api/v1/ask`, {
      ...preflight,
      headers: { ...preflight.headers, origin: 'https://evil.example' },
    });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });
});
