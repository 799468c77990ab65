import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type RunningGateway, runGateway } from '../testing/running-gateway';

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await runGateway();
});
afterAll(() => gateway.close());

test.each(['/', '/docs', '/accept-invite'])('serves %s with a policy that blocks foreign content', async (page) => {
  const response = await fetch(gateway.url + page);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const policy = response.headers.get('content-security-policy');
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain('unsafe');
  expect(await response.text()).not.toMatch(/https?:\/\/|<style|<script>|style="/);
});

test('serves every file that the pages and their scripts reference', async () => {
  const folder = path.join(__dirname, '../../public');
  const named = [
    'index.html',
    'docs.html',
    'accept-invite.html',
    'accept-invite.js',
    'reference.js',
    'operation-view.js',
    'socket-view.js',
    'schemas.js',
    'try-it.js',
  ].flatMap((file) => {
    const text = readFileSync(path.join(folder, file), 'utf8');
    return [...text.matchAll(/(?:\/assets|from '\.)\/([\w-]+\.\w+)/g)].map(([, name]) => name);
  });
  expect(named.length).toBeGreaterThan(8);
  for (const name of new Set(named)) expect([name, (await fetch(`${gateway.url}/assets/${name}`)).status]).toEqual([name, 200]);
});

test('sends a file once to a client that caches it', async () => {
  const first = await fetch(`${gateway.url}/docs`);
  const again = await fetch(`${gateway.url}/docs`, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } });
  expect([again.status, await again.text()]).toEqual([304, '']);
});

test.each(['..%2fpackage.json', '%2e%2e%2fsrc%2fmain.ts', 'unknown.js', '__proto__'])('has no asset %s', async (name) => {
  expect((await fetch(`${gateway.url}/assets/${name}`)).status).toBe(404);
});

test('serves the API description as JSON', async () => {
  const response = await fetch(`${gateway.url}/openapi.json`);
  expect(response.headers.get('content-type')).toContain('application/json');
  expect(await response.json()).toMatchObject({ openapi: '3.1.0', paths: { '/api/v1/ask': { post: { operationId: 'ask' } } } });
});

test('answers the health check', async () => {
  expect(await (await fetch(`${gateway.url}/health`)).json()).toEqual({ status: 'live' });
});
