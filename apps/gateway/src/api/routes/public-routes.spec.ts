import { examplesOf } from '@parley/contracts';
import { loadConfiguration } from '@parley/service-kit';
import { recordOf } from '@parley/testing';
import { GatewayConfig } from '../../config';
import { createGatewayApp } from '../../testing/create-gateway-app';
import { RecordedLog } from '../../testing/recorded-log';
import { testSecret } from '../../testing/running-gateway';
import { ScriptedBus } from '../../testing/scripted-bus';
import { SeededKeys } from '../../testing/seeded-keys';
import { parseInput } from '../../endpoint/gateway-call';
import { publicRoutes } from './route-table';

const endpoints = [...publicRoutes.rows, ...publicRoutes.handWritten];
let url: string;
let app: Awaited<ReturnType<typeof createGatewayApp>>;

beforeAll(async () => {
  const config = loadConfiguration(GatewayConfig, { PORT: '0', PARLEY_SECRET_KEY: testSecret });
  const principals = new SeededKeys({});
  app = await createGatewayApp(config, { bus: new ScriptedBus(() => ({})), logger: new RecordedLog(), principals });
  await app.listen(config.PORT, config.HOST);
  url = await app.getUrl();
});
afterAll(() => app.close());

test.each(endpoints.filter(({ keys }) => keys !== 'public'))('$method $path needs a key', async ({ method, path }) => {
  const response = await fetch(url + path.replaceAll(/:\w+/g, '1'), { method: method === 'WS' ? 'GET' : method });
  expect([response.status, await response.json()]).toMatchObject([401, { code: 'API_KEY_MISSING' }]);
});

test.each(endpoints.filter(({ keys, method }) => keys === 'public' && method === 'POST'))(
  '$method $path takes 16 kB from a client without a key, and no more',
  async ({ path }) => {
    const ofBytes = (bytes: number) => JSON.stringify({ token: 'x'.repeat(bytes - '{"token":""}'.length) });
    const send = (bytes: number) =>
      fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: ofBytes(bytes) });
    expect((await send(16_385)).status).toBe(413);
    expect((await send(16_384)).status).not.toBe(413);
  },
);

test.each(publicRoutes.rows.filter(({ input }) => input === 'query'))(
  'a query can express every input of $method $path',
  ({ contract }) => {
    for (const example of examplesOf(contract.request)) {
      const texts = Object.entries(recordOf(example)).map(([name, value]) => [name, String(value)]);
      expect(() => parseInput(contract.request, Object.fromEntries(texts))).not.toThrow();
    }
  },
);
