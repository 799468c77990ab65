import { keys, post, type RunningGateway, runGateway } from '../../testing/running-gateway';
import { newRequestId, requestIdOf } from '../../endpoint/gateway-call';

const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('keeps the client’s own id if it is valid', () => {
  expect(requestIdOf({ headers: { 'x-request-id': 'order-4711.retry_2' } })).toBe('order-4711.retry_2');
});

test.each(['42', 'r', 'short'])('keeps the short id %j', (given) => {
  expect(requestIdOf({ headers: { 'x-request-id': given } })).toBe(given);
});

test.each(['x'.repeat(129), 'has space in it', 'line\nbreak', '<script>alert</script>', ''])('replaces the id %j', (given) => {
  expect(requestIdOf({ headers: { 'x-request-id': given } })).toMatch(uuid7);
});

test('makes ids that sort by time', () => {
  const ids = [1, 2, 1_700_000_000_000, 1_800_000_000_000].map((ms) => newRequestId(ms));
  expect(ids).toEqual([...ids].sort());
});

describe('over HTTP', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await runGateway();
  });
  afterAll(() => gateway.close());

  test.each([
    ['an answer', '/api/v1/ask', post({ question: '?' }, keys.agent)],
    ['a refusal', '/api/v1/ask', post({ question: '?' })],
    ['an unknown route', '/nowhere', {}],
    ['an answer to OPTIONS', '/api/v1/ask', { method: 'OPTIONS' }],
    ['a page', '/docs', {}],
  ])('puts the id on %s', async (_what, path, init: RequestInit) => {
    const headers = { ...(init.headers as Record<string, string>), 'x-request-id': 'client-chosen-1' };
    const response = await fetch(gateway.url + path, { ...init, headers });
    expect(response.headers.get('x-request-id')).toBe('client-chosen-1');
    const own = await fetch(gateway.url + path, init);
    expect(own.headers.get('x-request-id')).toMatch(uuid7);
  });
});
