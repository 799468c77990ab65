import { randomUUID } from 'node:crypto';
import { revokeKey } from '@parley/contracts';
import { eventually } from '@parley/testing';
import type { TestOrganization } from '../../testing/harness';
import { rawAnswer, rawRequest } from '../../testing/raw-request';
import { newKeyText } from '../../door/access/stored-keys';
import { SocketClient } from '../../testing/socket-client';
import { shop, SocketHarness } from './socket-harness.suite';

describe('entering by a socket', () => {
  let by: SocketHarness;
  let mine: TestOrganization;

  beforeAll(async () => {
    by = await SocketHarness.open({ SOCKETS_PER_KEY: '2', SOCKETS_PER_ORGANIZATION: '3' });
  });
  beforeEach(() => (mine = by.harness.organization()));
  afterEach(() => by.speech.reset());
  afterAll(() => by.harness.close());

  const knock = (path: string, headers: Record<string, string> = {}) => SocketClient.open(by.url + path, { headers });
  const refusalOf = async (client: SocketClient) => ({ error: await client.next('error'), ...(await client.closed) });

  it('accepts an agent key in the header, for that agent', async () => {
    const client = await by.caller(mine);
    const { sessionUUID } = await client.start();
    expect(by.speech.last).toMatchObject({
      opening: { AgentKeyID: mine.agent.AgentKeyID, sessionUUID, channel: 'VOICE', sampleRate: 16_000, encoding: 'pcm16' },
      call: { principal: { orgId: mine.orgId, agentId: mine.agent.AgentID } },
    });
    client.sound(Buffer.from([1, 2, 3, 4]));
    await eventually('the sound comes back', () => client.sounds.length === 1);
    expect(client.sounds).toEqual([Buffer.from([1, 2, 3, 4])]);
    await client.close();
  });

  it('lets whoever holds a session token set no variable that its maker did not, also when a conversation goes on', async () => {
    const mine = by.harness.organization();
    const open = async (body: object) => SocketClient.open(`${by.url}/ws/sts?token=${await by.sessionToken(mine, body)}`);
    const first = await open({ variables: { name: 'Asha' } });
    const { sessionUUID } = await first.start();
    await first.close();
    for (const body of [{}, { sessionUUID }, { variables: { name: 'Asha' } }]) {
      const client = await open(body);
      const lines = by.speech.lines.length;
      client.send({ type: 'session.start', sessionUUID, variables: { discount: '99' } });
      expect(await client.next('error')).toMatchObject({
        code: 'VALIDATION_FAILED',
        details: [{ field: 'variables.discount' }],
      });
      await client.closed;
      expect(by.speech.lines).toHaveLength(lines);
    }
  });

  it('accepts a session token once, at both sockets it is for', async () => {
    const token = await by.sessionToken(mine, { variables: { name: 'Asha' } });
    const client = await knock(`/ws/sts?token=${token}`);
    await client.start({ variables: { name: 'Eve' } });
    expect(by.speech.last.opening).toMatchObject({ variables: { name: 'Asha' } });
    expect(await refusalOf(await knock(`/ws/sts?token=${token}`))).toMatchObject({ code: 4409, error: { statusCode: 401 } });
    const listener = await knock(`/ws/transcribe?token=${await by.sessionToken(mine)}`);
    await listener.start({ language: 'hindi', sampleRate: 8000, encoding: 'mulaw' });
    expect(by.speech.last.opening).toEqual({ language: 'hindi', sampleRate: 8000, encoding: 'mulaw', takesUndecided: true });
    await Promise.all([client.close(), listener.close()]);
  });

  it('goes on with the conversation that a token is bound to, whatever the client says', async () => {
    const first = await by.caller(mine);
    const { sessionUUID } = await first.start();
    await first.close();
    const client = await knock(`/ws/sts?token=${await by.sessionToken(mine, { sessionUUID })}`);
    expect(await client.start({ sessionUUID: randomUUID() })).toMatchObject({ sessionUUID });
    await client.close();
  });

  it('takes a widget by its id from a page of an allowed origin, and by a token', async () => {
    const visitor = await by.visitor(mine);
    await visitor.start();
    const { WidgetKeyID } = await by.widget(mine);
    const known = await knock(`/ws/widgetchat?token=${await by.widgetToken(mine, WidgetKeyID, { name: 'Asha' })}`);
    await known.start();
    known.send({ type: 'text', text: 'Hi' });
    await known.next('agent.done');
    expect(by.conversation.asked.at(-1)).toMatchObject({ channel: 'WIDGET', variables: { name: 'Asha' } });
    await Promise.all([visitor.close(), known.close()]);
  });

  it('refuses a request without a Host in the standard error shape', async () => {
    const head = 'GET /ws/sts HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    const answer = rawAnswer(await rawRequest(Number(new URL(by.url).port), head));
    expect(answer).toMatchObject({ status: 400, body: { statusCode: 400, message: 'The request has no Host header.' } });
  });

  it('opens after the answers to the requests before it on the connection, whose bytes would be taken for frames', async () => {
    const { key } = await by.harness.key(mine, 'wsk');
    const ask = `GET /api/v1/external/integrations/keys HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\n\r\n`;
    const upgrade =
      'GET /ws/sts HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n';
    for (const before of [1, 3]) {
      const received = await rawRequest(Number(new URL(by.url).port), ask.repeat(before) + upgrade);
      const statuses = [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
      expect(statuses).toEqual([...Array.from({ length: before }, () => 200), 101]);
      expect(received.slice(received.indexOf('HTTP/1.1 101'))).toContain('API_KEY_MISSING');
    }
  });

  it.each([
    ['nothing', '/ws/sts', {}, 4401, 'API_KEY_MISSING'],
    ['a key that nobody has', '/ws/sts', { 'x-api-key': `agt_${'0'.repeat(38)}` }, 4401, 'API_KEY_INVALID'],
    ['a key of a megabyte less a bit', '/ws/sts', { 'x-api-key': 'x'.repeat(8_000) }, 4401, 'API_KEY_INVALID'],
    ['a token that nobody made', '/ws/sts?token=sst_x', {}, 4401, 'API_KEY_INVALID'],
    ['a token of endless length', `/ws/transcribe?token=${'x'.repeat(8_000)}`, {}, 4401, 'API_KEY_INVALID'],
    ['no token where only one opens', '/ws/transcribe', {}, 4401, 'API_KEY_MISSING'],
    ['a widget that nobody has', '/ws/widgetchat?widget=wdg_x', { origin: shop }, 4401, 'API_KEY_INVALID'],
    ['a widget id that Postgres cannot look for', '/ws/widgetchat?widget=wdg_%00', { origin: shop }, 4401, 'API_KEY_INVALID'],
    ['a widget id at another door', '/ws/sts?widget=wdg_x', { origin: shop }, 4401, 'API_KEY_MISSING'],
  ])('refuses %s', async (_what, path, headers, code, name) => {
    const refusal = await refusalOf(await knock(path, headers));
    expect(refusal).toMatchObject({ code, error: { code: name, requestId: expect.any(String) } });
  });

  it.each([
    ['with the ports of its connections', (n: number) => `203.0.113.7:${n}`],
    ['of IPv6 in brackets, with ports', (n: number) => `[2001:db8:7::1]:${n}`],
    ['behind two proxies that write ports', (n: number) => `203.0.113.77:${n}, 127.0.0.1:${n + 1}`],
  ])('counts the wrong keys of an address together %s', async (_what, forwarded) => {
    const { url: strict } = await by.harness.startGateway({ FAILED_KEYS_PER_MINUTE: '3', TRUSTED_PROXIES: 'loopback' });
    const from = (n: number) => ({ 'x-forwarded-for': forwarded(n), 'x-api-key': newKeyText('agt') });
    const statusOf = async (headers: Record<string, string>) =>
      (await fetch(`${strict}/api/v1/external/integrations/keys`, { headers })).status;
    const [statuses, codes] = [[] as number[], [] as number[]];
    for (let n = 1; n <= 9; n += 1) {
      statuses.push(await statusOf(from(n)));
      codes.push((await refusalOf(await SocketClient.open(`${strict}/ws/sts`, { headers: from(n + 10) }))).code);
    }
    expect(statuses).toContain(429);
    expect(codes).toContain(4429);
  });

  it('lets visitors of an address in after so many wrong keys from there that it may try no more', async () => {
    const { url: strict } = await by.harness.startGateway({ FAILED_KEYS_PER_MINUTE: '3', TRUSTED_PROXIES: 'loopback' });
    const from = (address: string, path: string, headers: Record<string, string> = {}) =>
      SocketClient.open(strict + path, { headers: { 'x-forwarded-for': address, ...headers } });
    const { publicId, WidgetKeyID } = await by.widget(mine);
    const ways = {
      'a key': { path: '/ws/sts', headers: { 'x-api-key': newKeyText('agt') } },
      'a token': { path: '/ws/sts?token=sst_x' },
      'a widget': { path: '/ws/widgetchat?widget=wdg_x', headers: { origin: shop } },
    };
    const crowd = '203.0.113.9';
    for (const [what, { path, ...more }] of Object.entries(ways)) {
      const headers = 'headers' in more ? more.headers : {};
      await eventually(
        `too many were tried: ${what}`,
        async () => (await refusalOf(await from(crowd, path, headers))).code === 4429,
      );
    }
    const visitor = await from(crowd, `/ws/widgetchat?widget=${publicId}`, { origin: shop });
    await visitor.start();
    const known = await from(crowd, `/ws/widgetchat?token=${await by.widgetToken(mine, WidgetKeyID)}`);
    await known.start();
    const caller = await from(crowd, '/ws/sts', { 'x-api-key': (await by.harness.key(mine, 'agt')).key });
    await caller.start();
    expect(await refusalOf(await from('203.0.113.10', ways['a token'].path))).toMatchObject({ code: 4401 });
    await Promise.all([visitor.close(), known.close(), caller.close()]);
  });

  it('refuses a widget to a page of another origin, or of none', async () => {
    const { publicId } = await by.widget(mine);
    const headers: Record<string, string>[] = [{ origin: 'https://shop.example.evil.example' }, { origin: 'null' }, {}];
    for (const each of headers) {
      expect(await refusalOf(await knock(`/ws/widgetchat?widget=${publicId}`, each))).toMatchObject({ code: 4401 });
    }
  });

  it('refuses keys of other kinds, and agent keys where only tokens open', async () => {
    const [speech, agent] = [await by.harness.key(mine, 'ext'), await by.harness.key(mine, 'agt')];
    const onlyTokens = expect.stringMatching(/opened with a token. An agent key gets one by POST/);
    const pairs = [
      ['/ws/sts', speech.key, expect.stringMatching(/^This route takes an agent key, and this is a speech key\./)],
      ['/ws/transcribe', agent.key, onlyTokens],
      ['/ws/widgetchat', agent.key, onlyTokens],
    ] as const;
    for (const [path, key, message] of pairs) {
      const refusal = await refusalOf(await knock(path, { 'x-api-key': key }));
      expect(refusal).toMatchObject({ code: 4403, error: { code: 'SCOPE_MISSING', message } });
    }
  });

  it('refuses a token of the other kind, and one whose key was revoked', async () => {
    const { WidgetKeyID } = await by.widget(mine);
    const otherKind = await knock(`/ws/sts?token=${await by.widgetToken(mine, WidgetKeyID)}`);
    expect(await refusalOf(otherKind)).toMatchObject({ code: 4401 });
    const token = await by.sessionToken(mine);
    const [{ IntegrationKeyID } = { IntegrationKeyID: '' }] = (await by.harness.keysOf(mine)).rows;
    await by.harness.bus.ask(revokeKey, { IntegrationKeyID }, { principal: mine.owner });
    expect(await refusalOf(await knock(`/ws/sts?token=${token}`))).toMatchObject({ code: 4401 });
  });

  it('refuses a conversation of another agent, and one that never existed', async () => {
    const theirs = await by.caller(by.harness.organization());
    const { sessionUUID } = await theirs.start();
    for (const wanted of [sessionUUID, randomUUID()]) {
      const client = await by.caller(mine);
      client.send({ type: 'session.start', sessionUUID: wanted });
      expect(await refusalOf(client)).toMatchObject({ code: 1008, error: { code: 'NOT_FOUND' } });
    }
    await theirs.close();
  });

  it('lets a visitor continue conversations of widgets only, with a token or without', async () => {
    const calling = await by.caller(mine);
    const { sessionUUID } = await calling.start();
    await calling.close();
    const { publicId, WidgetKeyID } = await by.widget(mine);
    const withToken = async () => SocketClient.open(`${by.url}/ws/widgetchat?token=${await by.widgetToken(mine, WidgetKeyID)}`);
    for (const visitor of [await by.visitorOf(publicId), await withToken()]) {
      visitor.send({ type: 'session.start', sessionUUID });
      expect(await refusalOf(visitor)).toMatchObject({ code: 1008, error: { code: 'NOT_FOUND' } });
    }
    const visiting = await by.visitorOf(publicId);
    const begun = await visiting.start();
    await visiting.close();
    const again = await by.visitorOf(publicId);
    again.send({ type: 'session.start', sessionUUID: begun.sessionUUID });
    expect(await again.next('session.ready')).toMatchObject({ sessionUUID: begun.sessionUUID });
    await again.close();
  });

  it('limits the sockets that a key and an organization have open', async () => {
    const { key } = await by.harness.key(mine, 'agt');
    const ofKey = [await knock('/ws/sts', { 'x-api-key': key }), await knock('/ws/sts', { 'x-api-key': key })];
    expect(await refusalOf(await knock('/ws/sts', { 'x-api-key': key }))).toMatchObject({ code: 4429 });
    const third = await by.caller(mine);
    expect(await refusalOf(await by.caller(mine))).toMatchObject({ code: 4429, error: { code: 'RATE_LIMITED' } });
    await ofKey[0]?.close();
    await eventually('the seat is free again', async () => {
      const again = await knock('/ws/sts', { 'x-api-key': key });
      again.send({ type: 'session.start' });
      await eventually('it is let in or not', () => again.frames.length > 0);
      await again.close();
      return again.frames[0]?.type === 'session.ready';
    });
    await Promise.all([ofKey[1]?.close(), third.close()]);
  });

  const raw = (path: string, ...headers: string[]) => {
    const head = [`GET ${path} HTTP/1.1`, 'Host: x', ...headers].join('\r\n');
    return rawRequest(Number(new URL(by.url).port), `${head}\r\n\r\n`).then(rawAnswer);
  };

  it('answers a path of a socket without an upgrade as HTTP', async () => {
    const { key } = await by.harness.key(mine, 'agt');
    const plain = await fetch(`${by.url}/ws/sts`, { headers: { 'x-api-key': key } });
    expect([plain.status, await plain.json()]).toMatchObject([426, { code: 'UPGRADE_REQUIRED' }]);
    // RFC 9110 demands both, and a client reads from them what to send.
    expect([plain.headers.get('upgrade'), plain.headers.get('connection')]).toEqual([
      'websocket',
      expect.stringMatching(/upgrade/i),
    ]);
  });

  it.each([
    ['HTTP/2 with any request', '/health', 'h2c', 200],
    ['a WebSocket where there is none', '/health', 'websocket', 200],
    ['HTTP/2 on the path of a socket', '/ws/sts', 'h2c', 401],
  ])('answers a client that offers %s', async (_what, path, upgrade, status) => {
    expect((await raw(path, 'Connection: Upgrade, close', `Upgrade: ${upgrade}`)).status).toBe(status);
  });

  it('refuses a false WebSocket upgrade in the standard error shape', async () => {
    const answer = await raw('/ws/sts', 'Connection: Upgrade', 'Upgrade: websocket');
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED', requestId: expect.any(String) } });
  });

  it('logs nothing of a credential', () => {
    const logged = JSON.stringify(by.harness.log.lines);
    expect(logged).toContain('A socket was');
    expect(logged).not.toMatch(/sst_|wgt_|agt_[0-9A-Za-z]{10}|wdg_/);
  });
});
