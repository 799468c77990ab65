/** @quiet Judged by how late the event loop is. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { Principal } from '@parley/contracts';
import { eventually, LongWaits } from '@parley/testing';
import { JsonShape, restMsMax } from './request-body';
import { agentPrincipal, keys, post, type RunningGateway, runGateway } from '../../testing/running-gateway';
import { usedBytes } from '../../testing/soak/memory';

/** `npm run chaos -- doors` does it at full size to a platform in a process of its own. */
const connections = 40;
const seconds = 3;
const grownBytesMax = 50 * 1024 * 1024;
const megabyte = 1024 * 1024;

/** A connection that is cut off while sending ends with an error first. */
const closed = (socket: Socket) =>
  new Promise<void>((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())));

/** An idle thread, to measure how late this machine makes any event loop. */
class IdleThread {
  private readonly thread = new Worker(
    `const { parentPort } = require('node:worker_threads');
     const late = require('node:perf_hooks').monitorEventLoopDelay({ resolution: 1 });
     late.enable();
     parentPort.once('message', () => parentPort.postMessage(late.percentile(99) / 1e6));`,
    { eval: true },
  );

  /** The 99th percentile of its lateness in ms. */
  async end(): Promise<number> {
    this.thread.postMessage('end');
    const [p99Ms]: unknown[] = await once(this.thread, 'message');
    return Number(p99Ms);
  }
}

describe('unauthenticated clients', () => {
  let gateway: RunningGateway;
  const arrived: Socket[] = [];
  let lookUp = Promise.withResolvers<Principal | undefined>();

  beforeAll(async () => {
    const principals = { principalOf: (key: string) => (key === keys.agent ? agentPrincipal : lookUp.promise) };
    gateway = await runGateway({ principals });
    gateway.app.getHttpServer().on('connection', (socket: Socket) => arrived.push(socket));
  });
  afterAll(() => gateway.close());

  /** Sends body until nothing is read any more; returns the server's end of the connection. */
  const pour = async (headers: string, bytes: number) => {
    const before = arrived.length;
    const client = connect(gateway.port, '127.0.0.1');
    await once(client, 'connect');
    client.on('error', () => undefined);
    client.write(`POST /api/v1/ask HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\n${headers}\r\n\r\n`);
    client.write(Buffer.alloc(bytes, '['));
    await eventually('the connection is there', () => arrived.length > before);
    const [server] = arrived.slice(before);
    if (!server) throw new TypeError('no connection');
    return { client, server };
  };
  const settled = async (server: Socket) => {
    let seen = -1;
    await eventually('nothing more is read', () => {
      const isStill = server.bytesRead > 0 && server.bytesRead === seen;
      seen = server.bytesRead;
      return isStill;
    });
    return server.bytesRead;
  };

  it.each([
    'content-type: application/json',
    'content-type: application/json\r\nidempotency-key: k',
    'content-type: multipart/form-data; boundary=b',
    'content-type: multipart/form-data; boundary=b\r\nidempotency-key: k',
  ])('have no more than one buffer read before they are authenticated: %s', async (type) => {
    lookUp = Promise.withResolvers();
    const { client, server } = await pour(`x-api-key: wsk_unknown\r\n${type}`, 8 * megabyte);
    // Once the 16 kB of one request are full, the connection is paused; one read takes up to 64 kB.
    expect(await settled(server)).toBeLessThan(2 * 65_536);
    lookUp.resolve(undefined);
    const [answer] = (await once(client, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 401 /);
    await closed(client);
    expect(server.bytesRead).toBeLessThan(megabyte);
  });

  it('are disconnected if they ask for an unknown path', async () => {
    const { client, server } = await pour('x: y', 8 * megabyte);
    await closed(client);
    expect(server.bytesRead).toBeLessThan(megabyte);
  });

  it.each([1_000, 60_000, 200_000, 2 * megabyte])(
    'are answered on a connection that they keep, or are told not to, after a body of %i bytes',
    async (bytes) => {
      using waits = new LongWaits(restMsMax);
      lookUp.resolve(undefined);
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const ask = (body: Buffer) =>
        new Promise<number | undefined>((resolve, reject) => {
          const headers = { 'x-api-key': 'wsk_unknown', 'content-type': 'application/json' };
          const asking = request(`${gateway.url}/api/v1/ask`, { method: 'POST', headers, agent }, (response) => {
            response.resume().on('end', () => resolve(response.statusCode));
          });
          asking.on('error', reject).end(body);
        });
      expect(await ask(Buffer.alloc(bytes, '['))).toBe(401);
      expect(await ask(Buffer.from('{}'))).toBe(401);
      // Who sends no end of its body is cut off by now; this one has ended it.
      waits.end();
      expect(await ask(Buffer.from('{}'))).toBe(401);
      agent.destroy();
    },
  );

  it('neither block the event loop nor fill the memory, in any number and with anything', async () => {
    lookUp.resolve(undefined);
    const before = usedBytes();
    const late = monitorEventLoopDelay({ resolution: 1 });
    const idle = new IdleThread();
    let most = before;
    // Garbage collection takes time that is not the clients' fault.
    const weigh = () => {
      late.disable();
      most = Math.max(most, usedBytes());
      late.enable();
    };
    const watch = setInterval(weigh, (seconds * 1_000) / 3);
    late.enable();
    const program = path.join(__dirname, '../../testing/strangers/strangers.example.ts');
    const paths = '/api/v1/ask,/api/v1/things,/api/v1/form,/api/v1/big,/nowhere';
    const args = [program, String(gateway.port), String(connections), String(seconds), paths];
    const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', ...args]);
    late.disable();
    clearInterval(watch);
    const idleP99Ms = await idle.end();
    const lateP99Ms = late.percentile(99) / 1e6;
    const answered: Record<string, number> = JSON.parse(stdout);
    expect(Object.keys(answered).filter((status) => !status.startsWith('4'))).toEqual([]);
    expect(answered['401']).toBeGreaterThan(0);
    process.stdout.write(`strangers made the loop ${(lateP99Ms - idleP99Ms).toFixed(0)} ms later than it was anyway\n`);
    expect(most - before).toBeLessThan(grownBytesMax);
    expect((await fetch(`${gateway.url}/api/v1/ask`, post({ question: '?' }, keys.agent))).status).toBe(200);
  });
});

describe('a JSON body', () => {
  const complaintOf = (text: string, pieceLength: number) => {
    const shape = new JsonShape();
    for (let at = 0; at < text.length; at += pieceLength) {
      const complaint = shape.take(Buffer.from(text.slice(at, at + pieceLength)));
      if (complaint) return { complaint, at };
    }
    return undefined;
  };

  it.each([1, 7, 65_536])('is judged by its brackets and not by those in strings, in pieces of %i', (pieceLength) => {
    expect(complaintOf(`{"a":"${'['.repeat(500)}\\"${'{'.repeat(500)}","b\\\\":[]}`, pieceLength)).toBeUndefined();
    expect(complaintOf('{"a":['.repeat(101), pieceLength)?.complaint).toMatch('200 levels');
    expect(complaintOf(`[${`[${'[],'.repeat(900)}[]],`.repeat(250)}`, pieceLength)?.complaint).toMatch('200000 values');
  });

  it.each([1, 65_536])('is judged by the fields of each object, at any level, in pieces of %i', (pieceLength) => {
    const object = (fields: number) => `{${Array.from({ length: fields }, (_, index) => `"k${index}":1`).join(',')}}`;
    expect(complaintOf(`{"a":[${object(1_000)},${object(1_000)}],"b":{"c":${object(1_000)}}}`, pieceLength)).toBeUndefined();
    expect(complaintOf(object(1_001), pieceLength)?.complaint).toMatch('more than 1000 fields');
    expect(complaintOf(`{"a":[${object(900)},{"b":${object(1_001)}}]}`, pieceLength)?.complaint).toMatch('more than 1000 fields');
  });

  it.each([1, 65_536])('is judged by the items of each list, at any level, in pieces of %i', (pieceLength) => {
    const list = (items: number) => `[${Array.from({ length: items }, () => '1').join(',')}]`;
    const object = `{${Array.from({ length: 1_000 }, (_, index) => `"k${index}":[1,2]`).join(',')}}`;
    expect(complaintOf(`{"a":[${list(1_000)},${list(1_000)}],"b":${object}}`, pieceLength)).toBeUndefined();
    expect(complaintOf(list(1_001), pieceLength)?.complaint).toMatch('more than 1000 items');
    expect(complaintOf(`{"a":[[],${list(1_001)}]}`, pieceLength)?.complaint).toMatch('more than 1000 items');
    const shape = new JsonShape(() => 5_000);
    expect(shape.take(Buffer.from(list(5_000)))).toBeUndefined();
    expect(shape.take(Buffer.from(list(5_001)))).toMatch('more than 5000 items');
  });

  it('is refused at the first byte that is too deep or too many, long before its end', () => {
    expect(complaintOf('['.repeat(1_000_000), 64)?.at).toBeLessThan(300);
  });
});
