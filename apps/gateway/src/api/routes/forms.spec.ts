import { keys, type RunningGateway, runGateway } from '../../testing/running-gateway';

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await runGateway();
});
afterAll(() => gateway.close());

async function send(path: string, fields: [string, string | Blob][]) {
  const body = new FormData();
  for (const [name, value] of fields) body.append(name, value);
  const response = await fetch(gateway.url + path, { method: 'POST', headers: { 'x-api-key': keys.owner }, body });
  return { status: response.status, body: await response.json() };
}

test('reads the text fields of a form', async () => {
  expect(await send('/api/v1/form', [['name', 'Asha']])).toMatchObject({ status: 200, body: { data: { id: 5 } } });
  expect(gateway.bus.asked.at(-1)?.body).toEqual({ name: 'Asha' });
});

test('refuses JSON where a form is expected', async () => {
  const headers = { 'x-api-key': keys.owner, 'content-type': 'application/json' };
  const response = await fetch(`${gateway.url}/api/v1/form`, { method: 'POST', headers, body: '{"name":"Asha"}' });
  expect([response.status, await response.json()]).toMatchObject([415, { code: 'UNSUPPORTED_MEDIA_TYPE' }]);
});

test('names a field that is missing', async () => {
  expect(await send('/api/v1/form', [['other', 'x']])).toMatchObject({ status: 400, body: { message: 'name is required' } });
});

test('takes a file for a text field as its text, and refuses any other file', async () => {
  expect(await send('/api/v1/form', [['name', new Blob(['Ravi'])]])).toMatchObject({ status: 200 });
  expect(gateway.bus.asked.at(-1)?.body).toEqual({ name: 'Ravi' });
  expect(
    await send('/api/v1/form', [
      ['name', 'Ravi'],
      ['photo', new Blob(['x'])],
    ]),
  ).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED', message: 'photo must be text, not a file' } });
});

test('refuses too many and too long fields', async () => {
  const many = Array.from({ length: 60 }, (_, index): [string, string] => [`f${index}`, 'x']);
  expect((await send('/api/v1/form', many)).status).toBe(413);
  const files = Array.from({ length: 60 }, (): [string, Blob] => ['name', new Blob(['x'])]);
  expect((await send('/api/v1/form', files)).status).toBe(413);
  expect((await send('/api/v1/form', [['name', 'x'.repeat(70_000)]])).status).toBe(413);
  expect((await send('/api/v1/form', [['name', new Blob(['x'.repeat(70_000)])]])).status).toBe(413);
});

test('ignores prototype fields in a form', async () => {
  const { status } = await send('/api/v1/form', [
    ['__proto__', 'x'],
    ['name', 'n'],
  ]);
  expect(status).toBe(400);
});

test('refuses a truncated form', async () => {
  const response = await fetch(`${gateway.url}/api/v1/form`, {
    method: 'POST',
    headers: { 'x-api-key': keys.owner, 'content-type': 'multipart/form-data; boundary=b' },
    body: '--b\r\nContent-Disposition: form-data; name="name"\r\n\r\nAsh',
  });
  expect([response.status, await response.json()]).toMatchObject([400, { code: 'VALIDATION_FAILED' }]);
});

test('refuses a form where JSON is expected', async () => {
  expect(await send('/api/v1/things', [['name', 'n']])).toMatchObject({ status: 415, body: { code: 'UNSUPPORTED_MEDIA_TYPE' } });
});
