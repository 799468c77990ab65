import { rawAnswer, rawRequest } from '../../testing/raw-request';
import { keys, post, type RunningGateway, runGateway } from '../../testing/running-gateway';

let gateway: RunningGateway;
/** Gives up so soon that nobody on a busy machine would be served: for those who never finish. */
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

function errorShape(statusCode: number, code: string) {
  return {
    statusCode,
    error: expect.any(String),
    code,
    message: expect.any(String),
    details: expect.any(Array),
    requestId: expect.any(String),
  };
}

async function expectFault(path: string, init: RequestInit, [status, code]: [number, string]): Promise<Response> {
  const response = await fetch(gateway.url + path, init);
  expect(response.status).toBe(status);
  const body: unknown = await response.json();
  expect(body).toEqual(errorShape(status, code));
  expect(body).toHaveProperty('requestId', response.headers.get('x-request-id'));
  return response;
}

test('refuses malformed JSON', () => expectFault('/api/v1/ask', post('{"question":', keys.agent), [400, 'MALFORMED_JSON']));

test.each(['{"__proto__":{"admin":true},"question":"?"}', '{"constructor":{"prototype":{"x":1}}}'])(
  'refuses the poisoned body %s',
  async (body) => {
    await expectFault('/api/v1/ask', post(body, keys.agent), [400, 'MALFORMED_JSON']);
    const told = await fetch(`${gateway.url}/api/v1/ask`, post(body, keys.agent));
    expect(await told.json()).toMatchObject({ message: expect.stringContaining('may not be called __proto__') });
  },
);

test('refuses deeply nested JSON before it is parsed', async () => {
  const nested = (levels: number) => `{"question":"?","deep":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  const headers = { 'idempotency-key': 'deep' };
  await expectFault('/api/v1/ask', post(nested(900), keys.agent, headers), [400, 'MALFORMED_JSON']);
  const response = await fetch(`${gateway.url}/api/v1/ask`, post(nested(198), keys.agent));
  expect(response.status).toBe(200);
});

test('refuses lists longer than the endpoint takes before it is parsed', async () => {
  const parts = (count: number) => `[${Array.from({ length: count }, () => 1).join(',')}]`;
  const save = (name: string, count: number) => post(`{"name":"x","${name}":${parts(count)}}`, keys.owner);
  expect((await fetch(`${hasty.url}/api/v1/big`, save('parts', 1_500))).status).toBe(200);
  const refused = await fetch(`${hasty.url}/api/v1/big`, save('parts', 1_501));
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ code: 'MALFORMED_JSON', message: expect.stringContaining('1500 items') });
  const asked = post(`{"question":"?","deep":${parts(1_001)}}`, keys.agent);
  expect(await (await fetch(`${hasty.url}/api/v1/ask`, asked)).json()).toMatchObject({
    message: expect.stringContaining('1000 items'),
  });
});

test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml'])('refuses the content type %s', (type) =>
  expectFault('/api/v1/ask', post('question=1', keys.agent, { 'content-type': type }), [415, 'UNSUPPORTED_MEDIA_TYPE']),
);

test('names the accepted content type', async () => {
  const told = await fetch(`${gateway.url}/api/v1/ask`, post('question=1', keys.agent, { 'content-type': 'text/plain' }));
  expect(await told.json()).toMatchObject({ message: 'This endpoint takes application/json.' });
});

test.each([
  ['bytes that are not UTF-8', Buffer.from([...Buffer.from('{"question":"'), 0xff, 0xfe, ...Buffer.from('"}')])],
  ['a character that is cut off', Buffer.from([...Buffer.from('{"question":"?"}'), 0xe2, 0x82])],
])('refuses %s', async (_what, body) => {
  const response = await fetch(`${gateway.url}/api/v1/ask`, { ...post('', keys.agent), body });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: 'MALFORMED_JSON', message: 'The body is not UTF-8.' });
});

test.each<Record<string, string>>([
  { 'content-encoding': 'gzip' },
  { 'content-encoding': 'br' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': 'application/json;charset="iso-8859-1"' },
])('refuses JSON sent as something else: %j', (headers) =>
  expectFault('/api/v1/ask', post('{"question":"?"}', keys.agent, headers), [415, 'UNSUPPORTED_MEDIA_TYPE']),
);

test('accepts JSON with a charset', async () => {
  const headers = { 'content-type': 'application/json; charset=UTF-8' };
  const response = await fetch(`${gateway.url}/api/v1/ask`, post('{"question":"कब?"}', keys.agent, headers));
  expect(response.status).toBe(200);
});

test('refuses a body over the limit', () =>
  expectFault('/api/v1/ask', post({ question: 'x'.repeat(3000) }, keys.agent), [413, 'PAYLOAD_TOO_LARGE']));

test('refuses a body over the limit that does not declare its length', async () => {
  const head = [
    'POST /api/v1/ask HTTP/1.1',
    'Host: x',
    'Connection: close',
    'Content-Type: application/json',
    'Transfer-Encoding: chunked',
    `x-api-key: ${keys.agent}`,
  ];
  const chunk = `1000\r\n${'x'.repeat(4096)}\r\n`;
  const answer = await rawRequest(gateway.port, `${head.join('\r\n')}\r\n\r\n${chunk}0\r\n\r\n`);
  expect(rawAnswer(answer)).toMatchObject({ status: 413, body: errorShape(413, 'PAYLOAD_TOO_LARGE') });
});

test('accepts a larger body if the row says so', async () => {
  const response = await fetch(`${gateway.url}/api/v1/big`, post({ name: 'n', note: 'x'.repeat(3000) }));
  expect(response.status).toBe(200);
  await expectFault('/api/v1/big', post({ name: 'n', note: 'x'.repeat(5000) }), [413, 'PAYLOAD_TOO_LARGE']);
});

test('treats an empty body as no fields', async () => {
  const response = await expectFault('/api/v1/ask', post('', keys.agent), [400, 'VALIDATION_FAILED']);
  expect(response.headers.get('content-type')).toContain('application/json');
});

test('distinguishes an unknown route from a wrong method', async () => {
  await expectFault('/api/v1/nowhere', { method: 'GET' }, [404, 'ROUTE_NOT_FOUND']);
  await expectFault('/api/v1/nowhere', post({}), [404, 'ROUTE_NOT_FOUND']);
  const fixed = await expectFault('/api/v1/things', { method: 'PUT' }, [405, 'METHOD_NOT_ALLOWED']);
  expect(fixed.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST');
  const variable = await expectFault('/api/v1/things/3', { method: 'GET' }, [405, 'METHOD_NOT_ALLOWED']);
  expect(variable.headers.get('allow')).toBe('DELETE, OPTIONS');
});

test('names what an endpoint takes if a body has no content type', async () => {
  const init = { method: 'POST', headers: { 'x-api-key': keys.agent }, body: new TextEncoder().encode('{"question":"?"}') };
  const response = await fetch(`${gateway.url}/api/v1/ask`, init);
  expect([response.status, await response.json()]).toMatchObject([415, { message: 'This endpoint takes application/json.' }]);
});

test('answers OPTIONS with the methods of the path', async () => {
  const response = await fetch(`${gateway.url}/api/v1/things`, { method: 'OPTIONS' });
  expect(response.status).toBe(204);
  expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST');
  await expectFault('/api/v1/nowhere', { method: 'OPTIONS' }, [404, 'ROUTE_NOT_FOUND']);
});

test('answers HEAD like GET without a body', async () => {
  const head = await fetch(`${gateway.url}/api/v1/things`, { method: 'HEAD', headers: { 'x-api-key': keys.owner } });
  const get = await fetch(`${gateway.url}/api/v1/things`, { headers: { 'x-api-key': keys.owner } });
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect(head.headers.get('content-length')).toBe(String((await get.text()).length));
  const refused = await fetch(`${gateway.url}/api/v1/things`, { method: 'HEAD' });
  expect([refused.status, await refused.text()]).toEqual([401, '']);
});

test('refuses a URL that is not validly encoded', () =>
  expectFault('/api/v1/things/%E0%A4%A', { method: 'DELETE' }, [400, 'VALIDATION_FAILED']));

test('refuses a path segment beyond the limit', () =>
  expectFault(`/api/v1/things/${'9'.repeat(201)}`, { method: 'DELETE' }, [400, 'VALIDATION_FAILED']));

test('refuses oversized headers', async () => {
  const answer = await rawRequest(gateway.port, `GET / HTTP/1.1\r\nHost: x\r\nX-Bomb: ${'b'.repeat(20_000)}\r\n\r\n`);
  expect(rawAnswer(answer)).toMatchObject({ status: 431, body: errorShape(431, 'HEADERS_TOO_LARGE') });
});

test('answers garbage with the standard error and closes', async () => {
  const answer = rawAnswer(await rawRequest(gateway.port, 'EHLO mail.example.com\r\n\r\n'));
  expect(answer).toMatchObject({ status: 400, body: errorShape(400, 'VALIDATION_FAILED') });
  expect(answer.headers).toContain('x-request-id: ');
});

test.each(['GET /api/v1/things', 'POST /api/v1/ask', 'GET /api/v1/nowhere'])('answers %s without a Host', async (line) => {
  const head = `${line} HTTP/1.1\r\nConnection: close\r\nx-api-key: ${keys.agent}\r\n\r\n`;
  const answer = rawAnswer(await rawRequest(gateway.port, head));
  expect(answer).toMatchObject({ status: 400, body: errorShape(400, 'VALIDATION_FAILED') });
  expect(answer.body).toMatchObject({ message: 'The request has no Host header.' });
  expect(rawAnswer(await rawRequest(gateway.port, 'GET /api/v1/nowhere HTTP/1.0\r\n\r\n'))).toMatchObject({ status: 404 });
});

test('closes a client that sends its headers too slowly', async () => {
  const answer = await rawRequest(hasty.port, 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ');
  expect(rawAnswer(answer)).toMatchObject({ status: 408, body: errorShape(408, 'REQUEST_TIMEOUT') });
});

test('closes a client that sends its body too slowly', async () => {
  const head = ['POST /api/v1/ask HTTP/1.1', 'Host: x', 'Content-Type: application/json', 'Content-Length: 100'];
  const answer = await rawRequest(hasty.port, `${head.join('\r\n')}\r\nx-api-key: ${keys.agent}\r\n\r\n{`);
  expect(rawAnswer(answer)).toMatchObject({ status: 408, body: errorShape(408, 'REQUEST_TIMEOUT') });
});
