import { request as httpRequest } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ProviderFailure, ScriptedFileStore } from '@parley/ports';
import { FileSweep } from '@parley/providers/configured-files';
import { eventually, testDatabase, type TestDatabase } from '@parley/testing';
import { Client } from 'pg';
import { Claims } from './claims';
import { openShop, ShopState } from './shop.example';

interface Seen {
  readonly status: number;
  readonly text: string;
  readonly isReplay: boolean;
  readonly headers: Headers;
}

describe('Idempotency-Key', () => {
  const till = new ShopState();
  const files = new ScriptedFileStore();
  let database: TestDatabase;
  let admin: Client;
  let url: string;
  const apps: NestFastifyApplication[] = [];
  let key: string;
  let keys = 0;

  beforeAll(async () => {
    database = await testDatabase();
    const shop = await openShop(database.url, till, files);
    apps.push(shop.app);
    ({ url } = shop);
    admin = new Client({ connectionString: database.adminUrl });
    await admin.connect();
  });
  beforeEach(() => {
    key = `key-${(keys += 1)}`;
    Object.assign(till, { wait: async () => undefined, fault: undefined, isTold: false, isLeft: false });
    till.orders.length = 0;
    files.files.clear();
    till.chargeIds.length = 0;
  });
  afterAll(async () => {
    for (const app of apps) await app.close();
    await admin.end();
    await database.close();
  });

  const send = async (path: string, init: RequestInit, at = url): Promise<Seen> => {
    const reply = await fetch(`${at}/${path}`, { method: 'POST', ...init });
    return {
      status: reply.status,
      text: await reply.text(),
      isReplay: reply.headers.get('idempotent-replayed') === 'true',
      headers: reply.headers,
    };
  };
  const post = (body: unknown, { path = 'orders', id = key, org = '1', at = url } = {}) =>
    send(
      path,
      { body: JSON.stringify(body), headers: { 'content-type': 'application/json', 'idempotency-key': id, 'x-org': org } },
      at,
    );
  const upload = (content: string, boundary: string) => {
    const part = (head: string, text: string) => `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`;
    const body = `${part('name="a"', 'x')}${part('name="file"; filename="f.csv"', content)}--${boundary}--\r\n`;
    return send('forms', {
      body,
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, 'idempotency-key': key },
    });
  };
  /** A client that asks, and disconnects without its answer. */
  const leaving = (path: string, body: object = { n: 1 }) => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    const client = httpRequest(`${url}/${path}`, { method: 'POST', headers });
    const closed = new Promise((resolve) => client.on('error', () => undefined).once('close', resolve));
    const answered = new Promise((resolve) =>
      client.once('response', (reply) => reply.once('data', resolve).on('error', () => undefined)),
    );
    client.end(JSON.stringify(body));
    const leave = async () => {
      client.destroy();
      await closed;
    };
    return { answered, leave };
  };
  const isKept = () =>
    eventually(
      'the answer is kept',
      async () =>
        (await admin.query('SELECT FROM gateway.idempotent_requests WHERE key = $1 AND status = 200', [key])).rowCount === 1,
    );
  const codeOf = ({ text }: Seen) => JSON.parse(text).code;
  const age = (change: string) => admin.query(`UPDATE gateway.idempotent_requests SET ${change} WHERE key = $1`, [key]);

  it('gives one effect and identical bytes to 100 keys that are raced, repeated and reused, over two gateways', async () => {
    const second = await openShop(database.url, till, files);
    apps.push(second.app);
    const gateways = [url, second.url];
    const race = async (n: number): Promise<void> => {
      const id = `race-${n}`;
      const raced = await Promise.all(Array.from({ length: 8 }, (_, racer) => post({ n }, { id, at: gateways[racer % 2] })));
      const repeated = await Promise.all(gateways.map((at) => post({ n }, { id, at })));
      const answers = [...raced, ...repeated].filter(({ status }) => status === 200);
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(answers.filter(({ isReplay }) => !isReplay)).toHaveLength(1);
      // On a busy machine eighty at once may wait too long for a connection.
      const refused = new Set(raced.filter(({ status }) => status !== 200).map(codeOf));
      expect(['IDEMPOTENCY_KEY_IN_FLIGHT', 'SERVICE_UNAVAILABLE']).toEqual(expect.arrayContaining([...refused]));
      expect(codeOf(await post({ n: -1 }, { id }))).toBe('IDEMPOTENCY_KEY_REUSED');
    };
    for (let first = 0; first < 100; first += 10) await Promise.all(Array.from({ length: 10 }, (_, n) => race(first + n)));
    expect(till.orders).toHaveLength(100);
  });

  it('sets Retry-After while the first request is running', async () => {
    const answer = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    till.wait = () => {
      begun.resolve();
      return answer.promise;
    };
    const first = post({ n: 1 });
    await begun.promise;
    const second = await post({ n: 1 });
    expect([second.status, codeOf(second), second.headers.get('retry-after')]).toEqual([409, 'IDEMPOTENCY_KEY_IN_FLIGHT', '1']);
    expect(codeOf(await post({ n: 2 }))).toBe('IDEMPOTENCY_KEY_REUSED');
    answer.resolve();
    expect((await first).status).toBe(200);
  });

  it('stores an answer before its last byte leaves', async () => {
    till.wait = async () => {
      await admin.query('BEGIN; LOCK TABLE gateway.idempotent_requests IN EXCLUSIVE MODE');
    };
    let isAnswered = false;
    const answered = post({ n: 1 }).then(() => (isAnswered = true));
    const waiting = `SELECT FROM pg_locks WHERE NOT granted AND relation = 'gateway.idempotent_requests'::regclass`;
    try {
      await eventually('the answer waits to be kept', async () => (await admin.query(waiting)).rowCount === 1);
      expect(isAnswered).toBe(false);
    } finally {
      await admin.query('COMMIT');
      await answered;
    }
  });

  it('does not return an earlier answer to a caller who was limited to some agents since', async () => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    const held = (agents: object) => send('orders', { body: '{"n":1}', headers: { ...headers, ...agents } });
    expect((await held({})).isReplay).toBe(false);
    expect((await held({})).isReplay).toBe(true);
    expect(codeOf(await held({ 'x-agents': '12' }))).toBe('IDEMPOTENCY_KEY_REUSED');
  });

  it('belongs to one organization and one route', async () => {
    const [mine, theirs] = [await post({ n: 1 }), await post({ n: 1 }, { org: '2' })];
    expect([mine.isReplay, theirs.isReplay, mine.text === theirs.text]).toEqual([false, false, false]);
    expect((await post({ n: 1 }, { path: 'streams' })).isReplay).toBe(false);
  });

  it.each(['VALIDATION_FAILED', 'CREDITS_EXHAUSTED', 'RATE_LIMITED', 'SESSION_BUSY'] as const)(
    'is free again after %s',
    async (fault) => {
      till.fault = fault;
      expect(codeOf(await post({ n: 1 }))).toBe(fault);
      till.fault = undefined;
      expect(await post({ n: 2 })).toMatchObject({ status: 200, isReplay: false });
    },
  );

  it('replays a service’s decision, with the id of the first request', async () => {
    till.fault = 'CONFLICT';
    const first = await post({ n: 1 });
    till.fault = undefined;
    const second = await post({ n: 1 });
    expect([second.status, second.isReplay, second.text]).toEqual([409, true, first.text]);
  });

  it.each(['VALIDATION_FAILED', 'PROVIDER_NOT_CONFIGURED'] as const)('replays %s if it is charged', async (fault) => {
    [till.fault, till.isCharged] = [fault, true];
    const first = await post({ n: 1 });
    [till.fault, till.isCharged] = [undefined, false];
    const second = await post({ n: 1 });
    expect([codeOf(first), second.isReplay, second.text]).toEqual([fault, true, first.text]);
  });

  it('is free again after credits ran out, though what was done until then is charged', async () => {
    [till.fault, till.isCharged] = ['CREDITS_EXHAUSTED', true];
    expect(codeOf(await post({ n: 1 }))).toBe('CREDITS_EXHAUSTED');
    [till.fault, till.isCharged] = [undefined, false];
    expect(await post({ n: 1 })).toMatchObject({ status: 200, isReplay: false });
  });

  it('allows a retry after a failure on our side, under the same charge', async () => {
    till.fault = 'INTERNAL';
    expect((await post({ n: 1 })).status).toBe(500);
    till.fault = undefined;
    expect(codeOf(await post({ n: 2 }))).toBe('IDEMPOTENCY_KEY_REUSED');
    expect(await post({ n: 1 })).toMatchObject({ status: 200, isReplay: false });
    expect(new Set(till.chargeIds).size).toBe(1);
  });

  it('is taken over from a gateway that died, once, under the same charge', async () => {
    await post({ n: 1 });
    await age(`status = NULL, lease_until = now() + interval '20 seconds'`);
    expect(codeOf(await post({ n: 1 }))).toBe('IDEMPOTENCY_KEY_IN_FLIGHT');
    await age(`lease_until = now() - interval '1 second'`);
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => post({ n: 1 })));
    expect(outcomes.filter(({ status, isReplay }) => status === 200 && !isReplay)).toHaveLength(1);
    expect(till.chargeIds).toHaveLength(2);
    expect(new Set(till.chargeIds).size).toBe(1);
  });

  it('expires after a day', async () => {
    await post({ n: 1 });
    await age(`created_at = now() - interval '25 hours', lease_until = now() - interval '24 hours'`);
    expect(await post({ n: 2 })).toMatchObject({ status: 200, isReplay: false });
  });

  it('completes the work when its client disconnects, and has the answer ready when it returns', async () => {
    const answer = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    till.wait = () => {
      begun.resolve();
      return answer.promise;
    };
    const client = leaving('orders');
    await begun.promise;
    await client.leave();
    answer.resolve();
    await isKept();
    expect(await post({ n: 1 })).toMatchObject({ status: 200, isReplay: true });
    expect(till.orders).toHaveLength(1);
  });

  it.each(['before its first event', 'amid its events'])(
    'reads a stream to its end whose client disconnects %s, and has it ready when it returns',
    async (when) => {
      const rest = Promise.withResolvers<void>();
      till.wait = () => rest.promise;
      const client = leaving('read-on');
      if (when === 'amid its events') await client.answered;
      else await eventually('it is being answered', () => till.orders.length === 1);
      await client.leave();
      expect(codeOf(await post({ n: 1 }, { path: 'read-on' }))).toBe('IDEMPOTENCY_KEY_IN_FLIGHT');
      rest.resolve();
      await isKept();
      const again = await post({ n: 1 }, { path: 'read-on' });
      expect(again).toMatchObject({ status: 200, isReplay: true, text: 'data: 1\n\ndata: done\n\n' });
      expect(again.headers.get('content-type')).toBe('text/event-stream');
      expect(till.orders).toHaveLength(1);
    },
  );

  it('lets a stream be asked for again that fails after its client left', async () => {
    const rest = Promise.withResolvers<void>();
    Object.assign(till, { wait: () => rest.promise, fault: 'SERVICE_UNAVAILABLE' });
    const client = leaving('read-on');
    await client.answered;
    await client.leave();
    rest.resolve();
    await eventually(
      'the key is free',
      async () => (await admin.query('SELECT FROM gateway.idempotent_requests WHERE key = $1', [key])).rowCount === 0,
    );
    till.fault = undefined;
    expect(await post({ n: 1 }, { path: 'read-on' })).toMatchObject({ status: 200, isReplay: false });
    expect(till.orders).toHaveLength(2);
  });

  it.each([
    ['may be tried again', 'MODEL_PROVIDER_UNAVAILABLE', false],
    ['is the answer', 'CREDITS_EXHAUSTED', true],
  ] as const)('a stream whose last event is a failure %s: %s', async (_title, fault, isReplay) => {
    Object.assign(till, { fault, isTold: true });
    const first = await post({ n: 1 }, { path: 'read-on' });
    expect(first).toMatchObject({ status: 200, text: expect.stringContaining(fault) });
    till.fault = undefined;
    expect(await post({ n: 1 }, { path: 'read-on' })).toMatchObject({ status: 200, isReplay });
    expect(till.orders).toHaveLength(isReplay ? 1 : 2);
    expect(codeOf(await post({ n: 2 }, { path: 'read-on' }))).toBe('IDEMPOTENCY_KEY_REUSED');
  });

  it('recognizes an upload with any form boundary, and distinguishes other content', async () => {
    const content = 'CustomerName,ContactNumber\r\n'.repeat(20_000);
    const first = await upload(content, '----first');
    const second = await upload(content, '----another-boundary');
    expect(first).toMatchObject({ status: 200, isReplay: false });
    expect(second).toMatchObject({ status: 200, isReplay: true, text: first.text });
    expect(codeOf(await upload(`${content}x`, '----first'))).toBe('IDEMPOTENCY_KEY_REUSED');
    expect(till.orders).toHaveLength(1);
  });

  it('recognizes a long body, and distinguishes one that differs in its last letter', async () => {
    const sound = 'sound'.repeat(204_000);
    const first = await post({ sound });
    expect(first).toMatchObject({ status: 200, isReplay: false });
    expect(await post({ sound })).toMatchObject({ status: 200, isReplay: true, text: first.text });
    expect(codeOf(await post({ sound: `${sound.slice(0, -1)}x` }))).toBe('IDEMPOTENCY_KEY_REUSED');
    expect(till.orders).toHaveLength(1);
  });

  it.each(['streams', 'by-hand'])('gives the complete answer of a stream (%s)', async (path) => {
    const first = await post({ n: 1 }, { path });
    const second = await post({ n: 1 }, { path });
    expect(second).toMatchObject({ status: 200, isReplay: true, text: first.text });
    expect(second.headers.get('content-type')).toBe('text/event-stream');
    expect(second.headers.get('x-session-uuid')).toBe(first.headers.get('x-session-uuid'));
    expect(till.orders).toHaveLength(1);
  });

  it.each(['large', 'sound'])('replays minutes of sound and other large answers from a file (%s)', async (path) => {
    const [first, second] = [await post({ megabytes: 5 }, { path }), await post({ megabytes: 5 }, { path })];
    expect([first.isReplay, second.isReplay, second.status]).toEqual([false, true, 200]);
    expect(second.text === first.text).toBe(true);
    expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect([...files.files.keys()]).toEqual([expect.stringMatching(/^answers\/1\/[\da-f-]{36}$/)]);
  });

  it.each([1, 5])('has %i MB of sound ready for a client that left before there was any', async (megabytes) => {
    till.isLeft = true;
    const client = leaving('sound', { megabytes });
    await eventually('it is being answered', () => till.orders.length === 1);
    await client.leave();
    await isKept();
    const again = await post({ megabytes }, { path: 'sound' });
    expect(again).toMatchObject({ status: 200, isReplay: true });
    expect(again.text === '\u0001'.repeat(megabytes * 1024 * 1024)).toBe(true);
    expect([again.headers.get('content-type'), again.headers.get('x-session-uuid')]).toEqual(['audio/wav', 's-2']);
    expect(till.orders).toHaveLength(1);
  });

  it.each(['orders', 'read-on', 'sound'])('answers a client that left before its key was claimed (%s)', async (path) => {
    await admin.query('BEGIN; LOCK TABLE gateway.idempotent_requests IN EXCLUSIVE MODE');
    const client = leaving(path, { megabytes: 1 });
    const waiting = `SELECT FROM pg_locks WHERE NOT granted AND relation = 'gateway.idempotent_requests'::regclass`;
    await eventually('its claim waits', async () => ((await admin.query(waiting)).rowCount ?? 0) > 0);
    await client.leave();
    await admin.query('COMMIT');
    await isKept();
    const again = await post({ megabytes: 1 }, { path });
    expect(again).toMatchObject({ status: 200, isReplay: true });
    expect(again.headers.get('content-type')).toMatch(/json|event-stream|wav/);
    expect(till.orders).toHaveLength(1);
  });

  it('repeats under the same charge what could not be stored, and as a new request what is too large', async () => {
    const repeated = async (megabytes: number) => {
      till.chargeIds.length = 0;
      const answers = [await post({ megabytes }, { path: 'large' }), await post({ megabytes }, { path: 'large' })];
      expect(answers.map(({ status, isReplay }) => [status, isReplay])).toEqual([
        [200, false],
        [200, false],
      ]);
      return new Set(till.chargeIds).size;
    };
    files.failNext(new ProviderFailure('scripted', 'is full', { retryable: true }));
    expect(await repeated(5)).toBe(1);
    key += '-larger';
    expect(await repeated(65)).toBe(2);
  });

  it('deletes the files of answers a day old', async () => {
    await post({ megabytes: 5 }, { path: 'large' });
    const sweep = apps[0]?.get(FileSweep, { strict: false });
    const tomorrow = Date.now() + 25 * 3_600_000;
    const count = files.files.size;
    expect(await sweep?.sweep(tomorrow)).toBe(count - 1);
    expect((await post({ megabytes: 5 }, { path: 'large' })).isReplay).toBe(true);
    await age(`created_at = now() - interval '25 hours', lease_until = now() - interval '24 hours'`);
    await apps[0]?.get(Claims, { strict: false }).prune();
    expect(await sweep?.sweep(tomorrow)).toBe(1);
  });

  it.each(['x'.repeat(256), '', 'two words'])('refuses an invalid key', async (id) => {
    expect(codeOf(await post({ n: 1 }, { id }))).toBe('VALIDATION_FAILED');
    expect(till.orders).toEqual([]);
  });
});
