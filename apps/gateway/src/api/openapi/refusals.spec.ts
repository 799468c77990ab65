import { type FaultCode, faultCodes } from '@parley/contracts';
import { recordOf } from '@parley/testing';
import { rawAnswer, rawRequest } from '../../testing/raw-request';
import { keys, post, type RunningGateway, runGateway, sampleTable } from '../../testing/running-gateway';
import { publicRoutes } from '../routes/route-table';
import { openApiJson } from './api-document';

const document = (table = sampleTable) => recordOf(JSON.parse(openApiJson(table)));

/** What the document promises for one status of an operation, or for one that belongs to no operation. */
function declared(api: Record<string, unknown>, [method, path]: [string, string], status: number, code: FaultCode) {
  const components = recordOf(api.components);
  const operation = recordOf(recordOf(recordOf(api.paths)[path] ?? {})[method] ?? {});
  const own = recordOf(recordOf(operation.responses ?? {})[status] ?? {});
  const name = typeof own.$ref === 'string' ? own.$ref.split('/').at(-1) : `${status}.${code}`;
  const { headers = {}, content = {} } = recordOf(recordOf(components.responses)[name ?? ''] ?? {});
  const { examples = {} } = recordOf(recordOf(content)['application/json'] ?? {});
  return { headers: Object.keys(recordOf(headers)).map((each) => each.toLowerCase()), codes: Object.keys(recordOf(examples)) };
}

let gateway: RunningGateway;
let hasty: RunningGateway;
beforeAll(async () => {
  gateway = await runGateway({ environment: { BODY_LIMIT_BYTES: '2048' } });
  hasty = await runGateway({
    environment: { HEADERS_TIMEOUT: '150ms', REQUEST_TIMEOUT: '300ms', TIMEOUT_CHECK_INTERVAL: '30ms' },
  });
});
afterAll(async () => {
  await gateway.close();
  await hasty.close();
});

const announced = [
  ...['ratelimit', 'ratelimit-policy', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'],
  ...['retry-after', 'allow', 'x-request-id'],
];
const ask: [string, string] = ['post', '/api/v1/ask'];
const question = (body: unknown, key?: string, headers = {}) => ['/api/v1/ask', post(body, key, headers)] as const;

test.each([
  [400, 'VALIDATION_FAILED', ask, question({}, keys.agent)],
  [400, 'MALFORMED_JSON', ask, question('{', keys.agent)],
  [401, 'API_KEY_INVALID', ask, question({}, 'agt_wrong')],
  [403, 'SCOPE_MISSING', ask, question({}, keys.owner)],
  [413, 'PAYLOAD_TOO_LARGE', ask, question({ question: 'x'.repeat(3000) }, keys.agent)],
  [415, 'UNSUPPORTED_MEDIA_TYPE', ask, question('x', keys.agent, { 'content-type': 'text/plain' })],
  [404, 'ROUTE_NOT_FOUND', ['get', '/api/v1/nowhere'], ['/api/v1/nowhere', {}]],
  [405, 'METHOD_NOT_ALLOWED', ['put', '/api/v1/ask'], ['/api/v1/ask', { method: 'PUT' }]],
] as const)('declares what a %i %s carries', async (status, code, operation, [path, init]) => {
  const response = await fetch(gateway.url + path, init);
  expect([response.status, await response.json()]).toMatchObject([status, { code }]);
  const { headers, codes } = declared(document(), [...operation], status, code);
  expect(codes).toContain(code);
  expect(headers).toEqual(expect.arrayContaining(announced.filter((name) => response.headers.has(name))));
});

const head = (more: string) => `POST /api/v1/ask HTTP/1.1\r\nHost: x\r\nx-api-key: ${keys.agent}\r\n${more}`;

test.each([
  [408, 'REQUEST_TIMEOUT', head('Content-Length: 100\r\nContent-Type: application/json\r\n\r\n{')],
  [417, 'EXPECTATION_FAILED', head('Connection: close\r\nExpect: more\r\n\r\n')],
  [431, 'HEADERS_TOO_LARGE', head(`X-Bomb: ${'b'.repeat(20_000)}\r\n\r\n`)],
] as const)('declares %i %s, which any operation may answer', async (status, code, sent) => {
  const answer = rawAnswer(await rawRequest(hasty.port, sent));
  expect(answer).toMatchObject({ status, body: { code } });
  const api = document(publicRoutes);
  const operations = Object.entries(recordOf(api.paths)).flatMap(([path, methods]) =>
    Object.keys(recordOf(methods)).map((method): [string, string] => [method, path]),
  );
  expect(operations.length).toBeGreaterThan(100);
  const without = operations.filter((each) => !declared(api, each, status, code).codes.includes(code));
  expect(without).toEqual([]);
  // Its limits are not known yet.
  expect(answer.headers).not.toContain('ratelimit');
  expect(declared(api, ['post', '/api/v1/ttt'], status, code).headers).toEqual(['x-request-id']);
});

test('says what answers a method that a path does not have', () => {
  const { description } = recordOf(document(publicRoutes).info);
  expect(description).toMatch(/`METHOD_NOT_ALLOWED`[^.]*`Allow`/);
});

test('lists every code of the catalogue under a response, but for clients that have left', () => {
  const told = new Set(
    Object.values(recordOf(recordOf(document(publicRoutes).components).responses)).flatMap((response) =>
      Object.keys(recordOf(recordOf(recordOf(recordOf(response).content)['application/json']).examples)),
    ),
  );
  expect(faultCodes.filter((code) => !told.has(code))).toEqual(['CANCELLED']);
});

test('declares the empty answer to a client that has a lookup, and its ETag', async () => {
  const headers = { 'x-api-key': keys.owner };
  const first = await fetch(`${gateway.url}/api/v1/things`, { headers });
  const etag = first.headers.get('etag') ?? '';
  expect((await fetch(`${gateway.url}/api/v1/things`, { headers: { ...headers, 'if-none-match': etag } })).status).toBe(304);
  const { get } = recordOf(recordOf(recordOf(document().paths)['/api/v1/things']));
  expect(recordOf(get)).toMatchObject({ responses: { 200: { headers: { ETag: {} } }, 304: { headers: { ETag: {} } } } });
  expect(recordOf(get).parameters).toContainEqual({ $ref: '#/components/parameters/IfNoneMatch' });
});
