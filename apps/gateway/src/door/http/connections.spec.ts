import { once } from 'node:events';
import { connect } from 'node:net';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@parley/testing';
import { z } from 'zod';
import { fastifyOptions, httpVariables, keepForwardedAddresses } from './fastify-options';
import { keys, type RunningGateway, runGateway } from '../../testing/running-gateway';

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await runGateway();
});
afterAll(() => gateway.close());

/** Sends the parts one after another, each once the previous one has left, and returns all that came until the connection closed. */
async function exchange(...parts: readonly string[]): Promise<string> {
  const client = connect(gateway.port, '127.0.0.1');
  let received = '';
  client.on('data', (part: Buffer) => (received += part.toString()));
  for (const part of parts) await new Promise<void>((resolve) => client.write(part, () => resolve()));
  await once(client, 'close');
  return received;
}

const body = '{"question":"?"}';
const ask = (more = ''): string =>
  `POST /api/v1/ask HTTP/1.1\r\nHost: x\r\nx-api-key: ${keys.agent}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${more}\r\n${body}`;
const list = (more = ''): string => `GET /api/v1/things HTTP/1.1\r\nHost: x\r\nx-api-key: ${keys.owner}\r\n${more}\r\n`;
const statuses = (received: string): number[] => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

describe('what is no request', () => {
  const garbage: readonly [string, string, number][] = [
    ['garbage', 'GARBAGE\r\n\r\n', 400],
    ['headers beyond the limit', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`, 431],
    ['two lengths', ask('Content-Length: 3\r\n'), 400],
  ];

  it.each(garbage)(
    'is refused, or closes the connection after the answers to the requests before it: %s',
    async (_name, bytes, status) => {
      expect(statuses(await exchange(ask() + bytes))).toEqual([200]);
      expect(statuses(await exchange(ask() + list() + ask() + bytes))).toEqual([200, 200, 200]);
      expect(statuses(await exchange(ask(), bytes, bytes))[0]).toBe(200);
      expect(statuses(await exchange(bytes))).toEqual([status]);
    },
  );

  it('is refused while the body of its own request is awaited, or closes the connection', async () => {
    const chunked = ask()
      .replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked')
      .replace(body, 'zz\r\n');
    expect(statuses(await exchange(chunked))).toEqual([400]);
    expect(statuses(await exchange(list() + chunked))).toEqual([200]);
  });

  it('is ignored after a request that closes the connection', async () => {
    expect(statuses(await exchange(ask('Connection: close\r\n') + ask()))).toEqual([200]);
    expect(statuses(await exchange(ask('Connection: close\r\n') + 'GARBAGE\r\n\r\n'))).toEqual([200]);
  });
});

describe('requests that do not await the answers before them', () => {
  it('are answered in order, up to thirty-two of a connection; one that sends more is closed', async () => {
    expect(statuses(await exchange(list().repeat(31) + list('Connection: close\r\n')))).toEqual(Array(32).fill(200));
    const flooded = await exchange(list().repeat(200) + list('Connection: close\r\n'));
    expect(statuses(flooded).length).toBeLessThanOrEqual(32);
    expect(statuses(await exchange(list('Connection: close\r\n')))).toEqual([200]);
  });

  describe('beside a client that does', () => {
    const handled: string[] = [];
    let server: Server;
    beforeAll(async () => {
      const { serverFactory } = fastifyOptions(z.object(httpVariables).parse({}));
      // As a page from memory is answered: at once, after some work.
      const handle: RequestListener = ({ url = '' }, response) => {
        for (const untilMs = performance.now() + 0.5; performance.now() < untilMs;);
        handled.push(url);
        response.end('.');
      };
      server = serverFactory?.(handle, {}) as Server;
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
    });
    beforeEach(() => handled.splice(0));
    afterAll(() => server.close());

    /** How many requests of a flood are handled before one that comes after it, each connection of which sends so many at once. */
    const before = async (requests: number): Promise<number> => {
      const { port } = server.address() as AddressInfo;
      const opened = await Promise.all(
        Array.from({ length: 60 }, async () => {
          const client = connect(port, '127.0.0.1').on('error', () => undefined);
          await once(client, 'connect');
          return client;
        }),
      );
      const [calm, ...flood] = opened;
      for (const client of flood) client.write('GET /flood HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(requests));
      await eventually('the flood is there', () => handled.length > 0);
      calm?.write('GET /calm HTTP/1.1\r\nHost: x\r\n\r\n');
      await eventually('it is handled', () => handled.includes('/calm'));
      for (const client of opened) client.destroy();
      return handled.indexOf('/calm');
    };

    it.each([32, 200])('do not delay it by %i requests of each connection', async (requests) => {
      expect(await before(requests)).toBeLessThan(59 * 24);
    });
  });
});

describe('a client that sends no more after its requests', () => {
  let slow: RunningGateway;
  let hasEnded: Promise<unknown>;
  beforeAll(async () => {
    // Nothing is answered before the gateway knows that no more will come.
    const rows = { rows: ['a'], totalCount: 1, pageNo: 1, pageSize: 20 };
    slow = await runGateway({
      reply: async ({ subject }) => hasEnded.then(() => (subject.endsWith('ask') ? { answer: 'Yes.' } : rows)),
    });
  });
  afterAll(() => slow.close());

  const halfClosed = async (bytes: string): Promise<string> => {
    hasEnded = once(slow.app.getHttpServer(), 'connection').then(([socket]) => once(socket, 'end'));
    const client = connect({ port: slow.port, host: '127.0.0.1', allowHalfOpen: true });
    let received = '';
    client.on('data', (part: Buffer) => (received += part.toString()));
    client.end(bytes);
    await once(client, 'end');
    return received;
  };

  it('gets all its answers, and then the end of the connection', async () => {
    expect(statuses(await halfClosed(list()))).toEqual([200]);
    expect(statuses(await halfClosed(ask() + list() + ask()))).toEqual([200, 200, 200]);
    expect(statuses(await halfClosed(`GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n`))).toEqual([404]);
  });

  it('is told so if its last request is not whole', async () => {
    expect(statuses(await halfClosed(ask().slice(0, -1)))).toEqual([400]);
    expect(await halfClosed('')).toBe('');
  });
});

it.each([
  ['h2c', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n'],
  ['an unknown protocol', 'Connection: Upgrade\r\nUpgrade: foo\r\n'],
  ['a WebSocket where there is none', 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n'],
])('a request that offers %s is answered, and is the last of its connection', async (_name, offer) => {
  for (const request of [list(offer), ask(offer)]) {
    const received = await exchange(request + list(), list());
    expect(statuses(received)).toEqual([200]);
    expect(received).toMatch(/^connection: close/im);
  }
});

it.each([
  ['CONNECT', 'CONNECT shop.example:443 HTTP/1.1\r\nHost: shop.example:443\r\n\r\n', 'This server is no proxy.'],
  [
    'a Host header that names no host',
    list('Connection: close\r\n').replace('Host: x', 'Host: a b<>/x'),
    'The Host header names no host.',
  ],
  [
    'another transfer coding',
    ask('Connection: close\r\n')
      .replace(/Content-Length: \d+/, 'Transfer-Encoding: gzip, chunked')
      .replace(body, `10\r\n${body}\r\n0\r\n\r\n`),
    'The only Transfer-Encoding that is understood is chunked.',
  ],
])('refuses %s in the form of every error', async (_name, bytes, message) => {
  const received = await exchange(bytes);
  expect(statuses(received)).toEqual([400]);
  expect(JSON.parse(received.slice(received.indexOf('\r\n\r\n')))).toMatchObject({ code: 'VALIDATION_FAILED', message });
  expect(statuses(await exchange(list() + ask() + bytes))).toEqual([200, 200, 400]);
});

it.each(['shop.example', '127.0.0.1:4000', '[::1]:4000', 'xn--h1ae.example:80', ''])('takes the host %s', async (host) => {
  const received = await exchange(list('Connection: close\r\n').replace('Host: x', `Host: ${host}`));
  expect(statuses(received)).toEqual([200]);
});

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:50012, 10.0.0.1:443', '203.0.113.7, 10.0.0.1'],
  ['[2001:db8::7]:50012,[2001:db8::8]', '2001:db8::7, 2001:db8::8'],
  ['2001:db8::7', '2001:db8::7'],
  ['unknown', undefined],
  ['203.0.113.7, unknown, 10.0.0.1', '10.0.0.1'],
  ['203.0.113.7, 10.0.0.1:0x1', undefined],
  ['', undefined],
])('of the addresses that proxies forward for, "%s", those are kept that can be believed: %s', (forwarded, kept) => {
  const headers = { 'x-forwarded-for': forwarded };
  keepForwardedAddresses({ headers });
  expect(headers['x-forwarded-for']).toBe(kept);
});
