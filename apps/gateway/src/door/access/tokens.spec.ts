import { randomUUID } from 'node:crypto';
import {
  createSessionToken,
  createWidgetToken,
  getWidget,
  listAudit,
  listWidgets,
  type Principal,
  revokeKey,
  saveWidget,
} from '@parley/contracts';
import { connectionOptions, TenantScope } from '@parley/database';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { gatewaySchema } from '../../database/schema';
import { KeyOwners } from './key-owners';
import { Harness, type TestOrganization } from '../../testing/harness';
import { WidgetsService } from './widgets.service';
import { EntryTokens } from './entry-tokens';

const origin = 'https://shop.example';
const here = '127.0.0.1';
const Body = z.looseObject({ data: z.unknown().optional() });

describe('browser access', () => {
  let harness: Harness;
  let url: string;
  let mine: TestOrganization;
  let dataSource: DataSource;
  let tokens: EntryTokens;

  beforeAll(async () => {
    harness = await Harness.open();
    ({ url } = await harness.startGateway({ PUBLIC_URL: 'https://voice.example/' }));
    dataSource = await new DataSource(connectionOptions(gatewaySchema, { url: harness.database.url })).initialize();
    tokens = new EntryTokens(new TenantScope(dataSource));
  });
  beforeEach(() => (mine = harness.organization()));
  afterAll(async () => {
    await dataSource.destroy();
    await harness.close();
  });

  const call = async (method: string, path: string, key: string, body?: object) => {
    const init = {
      method,
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      ...(body && { body: JSON.stringify(body) }),
    };
    const response = await fetch(`${url}/api/v1/external${path}`, init);
    return { status: response.status, body: Body.parse(await response.json()) };
  };
  const widget = (principal: Principal = mine.owner, AgentKeyID = mine.agent.AgentKeyID, allowed = origin) =>
    harness.bus.ask(saveWidget, { name: 'Shop front', AgentKeyID, allowedOrigins: [allowed] }, { principal });
  const widgetsService = () =>
    new WidgetsService(new TenantScope(dataSource), new KeyOwners(harness.bus), {
      announce: () => undefined,
      onMissed: () => () => undefined,
    });
  const sessionToken = async (body: object = {}, bounds: Parameters<Harness['key']>[2] = {}) => {
    const issued = await harness.key(mine, 'agt', bounds);
    const answer = await call('POST', '/session-token', issued.key, body);
    return { ...issued, ...createSessionToken.reply.parse(answer.body.data) };
  };

  it('makes no token for another agent than the key’s', async () => {
    const theirs = harness.organization();
    const { key } = await harness.key(mine, 'agt');
    const status = async (AgentKeyID: string) => (await call('POST', '/session-token', key, { AgentKeyID })).status;
    expect(await status(mine.agent.AgentKeyID)).toBe(200);
    expect([await status(theirs.agent.AgentKeyID), await status(randomUUID())]).toEqual([404, 404]);
  });

  it('keeps what a save of a widget omits, and restores defaults for null', async () => {
    const made = await widget();
    const change = (body: object) =>
      harness.bus.ask(saveWidget, { WidgetKeyID: made.WidgetKeyID, ...body }, { principal: mine.owner });
    await change({ variables: ['name'], dailyCredits: 500 });
    expect(await change({ name: 'Front' })).toMatchObject({
      ...made,
      name: 'Front',
      variables: ['name'],
      dailyCredits: 500,
      UpdatedOn: expect.any(String),
    });
    expect(await change({ variables: null, dailyCredits: null })).toMatchObject({
      name: 'Front',
      variables: [],
      dailyCredits: 200_000,
    });
  });

  it.each([
    ['ends', { expiresAt: new Date(Date.now() + 3_600_000).toISOString() }, 'would outlive the key'],
    ['works from some addresses alone', { allowedIps: ['127.0.0.1', '::1'] }, 'would open from everywhere'],
  ])('does not let a key that %s create or change a widget', async (_what, bounds, words) => {
    const { key } = await harness.key(mine, 'wsk', bounds);
    const made = await widget();
    const fields = { name: 'Mine', AgentKeyID: mine.agent.AgentKeyID, allowedOrigins: [origin] };
    for (const body of [fields, { WidgetKeyID: made.WidgetKeyID, allowedOrigins: ['https://evil.example'] }]) {
      const answer = await call('POST', '/integrations/widgets', key, body);
      expect(answer).toMatchObject({ status: 403, body: { code: 'SCOPE_MISSING', message: expect.stringContaining(words) } });
    }
  });

  it('loses nothing when two saves of a widget run at the same time', async () => {
    const { WidgetKeyID } = await widget();
    const ask = (body: object) => harness.bus.ask(saveWidget, { WidgetKeyID, ...body }, { principal: mine.owner });
    for (let round = 1; round <= 6; round += 1) {
      const sent = [{ name: `Front ${round}` }, { dailyCredits: 500 + round }];
      await Promise.all(sent.map(ask));
      expect(await harness.bus.ask(getWidget, { WidgetKeyID }, { principal: mine.owner })).toMatchObject(
        Object.assign({}, ...sent),
      );
    }
  });

  it('opens one socket with a session token, for the agent of its key', async () => {
    const { token, wsUrls, expiresAt, IntegrationKeyID } = await sessionToken({ variables: { name: 'Asha' } });
    expect(wsUrls).toEqual({ sts: 'wss://voice.example/ws/sts', transcribe: 'wss://voice.example/ws/transcribe' });
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(60_000);
    const [one, two] = await Promise.all([tokens.redeem(token, 'session', here), tokens.redeem(token, 'session', here)]);
    const principal = { kind: 'agt', keyId: IntegrationKeyID, orgId: mine.orgId, agentId: mine.agent.AgentID };
    expect([one, two]).toEqual(
      expect.arrayContaining([{ entry: { kind: 'session', principal, variables: { name: 'Asha' } } }, { refused: 'used' }]),
    );
  });

  it('refuses tokens of another kind, unknown, expired, or whose key was revoked', async () => {
    const { token, IntegrationKeyID } = await sessionToken();
    expect(await tokens.redeem(token, 'widget', here)).toEqual({ refused: 'unknown' });
    expect(await tokens.redeem(`sst_${randomUUID()}`, 'session', here)).toEqual({ refused: 'unknown' });
    await harness.bus.ask(revokeKey, { IntegrationKeyID }, { principal: mine.owner });
    expect(await tokens.redeem(token, 'session', here)).toEqual({ refused: 'unknown' });
    const late = await sessionToken();
    const scope = new TenantScope(dataSource);
    await scope.run(mine.orgId, (manager) => manager.query('UPDATE entry_tokens SET expires_at = now()'));
    expect(await tokens.redeem(late.token, 'session', here)).toEqual({ refused: 'unknown' });
  });

  it('opens no socket from an address that the token’s key forbids, and such attempts do not use the token up', async () => {
    const { token } = await sessionToken({}, { allowedIps: ['127.0.0.0/8', '::1'] });
    for (const there of ['203.0.113.9', '2001:db8::1', '::ffff:203.0.113.9', 'unknown'])
      expect(await tokens.redeem(token, 'session', there)).toEqual({ refused: 'elsewhere' });
    expect(await tokens.redeem(token, 'session', `::ffff:${here}`)).toMatchObject({ entry: { kind: 'session' } });
    expect(await tokens.redeem(token, 'session', '203.0.113.9')).toEqual({ refused: 'used' });
  });

  it.each([
    ['a key of some addresses', { allowedIps: ['127.0.0.1', '::1'] }],
    ['any other key', {}],
  ])('opens only from the visitor’s address named by %s', async (_which, bounds) => {
    const visitorIp = '203.0.113.9';
    // As a dual-stack socket shows an IPv4 address.
    const mapped = await sessionToken({ visitorIp: `::FFFF:${visitorIp}` }, bounds);
    expect(await tokens.redeem(mapped.token, 'session', visitorIp)).toMatchObject({ entry: { address: visitorIp } });
    const { token } = await sessionToken({ visitorIp }, bounds);
    expect(await tokens.redeem(token, 'session', here)).toEqual({ refused: 'elsewhere' });
    expect(await tokens.redeem(token, 'session', visitorIp)).toMatchObject({ entry: { address: visitorIp } });
    const { WidgetKeyID } = await widget();
    const { key } = await harness.key(mine, 'agt', bounds);
    const issued = await call('POST', '/widget-token', key, { WidgetKeyID, visitorIp });
    const ofWidget = createWidgetToken.reply.parse(issued.body.data).token;
    expect(await tokens.redeem(ofWidget, 'widget', here)).toEqual({ refused: 'elsewhere' });
    expect(await tokens.redeem(ofWidget, 'widget', visitorIp)).toMatchObject({ entry: { widgetKeyId: WidgetKeyID } });
  });

  it('refuses variables that are too long to store', async () => {
    const { key } = await harness.key(mine, 'agt');
    const answer = await call('POST', '/session-token', key, { variables: { text: 'x'.repeat(20_000) } });
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
  });

  it('creates, changes and deletes widgets; the audit log has the previous values', async () => {
    const { key } = await harness.key(mine, 'wsk');
    const made = await call('POST', '/integrations/widgets', key, {
      name: 'Shop',
      AgentKeyID: mine.agent.AgentKeyID,
      allowedOrigins: [origin],
    });
    const { WidgetKeyID } = getWidget.reply.parse(made.body.data);
    const changed = {
      WidgetKeyID,
      name: 'Shop front',
      AgentKeyID: mine.agent.AgentKeyID,
      allowedOrigins: [origin],
      isActive: false,
    };
    expect(await call('POST', '/integrations/widgets', key, changed)).toMatchObject({
      status: 200,
      body: { data: { name: 'Shop front' } },
    });
    expect(await call('GET', `/integrations/widgets/${WidgetKeyID}`, key)).toMatchObject({ body: { data: { isActive: false } } });
    expect((await call('DELETE', `/integrations/widgets/${WidgetKeyID}`, key)).status).toBe(200);
    expect((await call('GET', `/integrations/widgets/${WidgetKeyID}`, key)).status).toBe(404);
    const { rows } = await harness.bus.ask(listAudit, { sortOrder: 'ASC' }, { principal: mine.owner });
    expect(rows).toMatchObject([
      { before: null },
      { before: { name: 'Shop', isActive: true } },
      { before: { name: 'Shop front' } },
    ]);
  });

  it('hides widgets of other organizations, and of agents the member may not see', async () => {
    const { WidgetKeyID } = await widget();
    const theirs = harness.organization();
    const restricted = harness.member(mine.orgId, { roleTypeId: 2, agentIds: [999] });
    for (const principal of [theirs.owner, restricted]) {
      await expect(harness.bus.ask(getWidget, { WidgetKeyID }, { principal })).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect(await harness.bus.ask(listWidgets, {}, { principal })).toMatchObject({ totalCount: 0 });
    }
    await expect(widget(theirs.owner)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(widget(restricted)).rejects.toMatchObject({ code: 'SCOPE_MISSING' });
  });

  it('creates a widget token only for the widget of the key’s own agent', async () => {
    const { WidgetKeyID } = await widget();
    const { key } = await harness.key(mine, 'agt');
    const issued = await call('POST', '/widget-token', key, { WidgetKeyID });
    const { token, wsUrl } = createWidgetToken.reply.parse(issued.body.data);
    expect(wsUrl).toBe('wss://voice.example/ws/widgetchat');
    expect(await tokens.redeem(token, 'widget', here)).toMatchObject({ entry: { widgetKeyId: WidgetKeyID } });
    const other = harness.organization();
    const stranger = await harness.key(other, 'agt');
    expect((await call('POST', '/widget-token', stranger.key, { WidgetKeyID })).status).toBe(404);
  });

  it.each([
    ['https://दुकान.भारत', 'https://xn--11b7ah1gn.xn--h2brj9c'],
    ['https://xn--11b7ah1gn.xn--h2brj9c', 'https://xn--11b7ah1gn.xn--h2brj9c'],
    ['https://Bücher.example:8443', 'https://xn--bcher-kva.example:8443'],
    ['https://shop.example:443', 'https://shop.example'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
  ])('admits pages of %s, for which browsers send %s', async (entered, sent) => {
    const made = await widget(mine.owner, mine.agent.AgentKeyID, entered);
    const widgets = widgetsService();
    expect(made.allowedOrigins).toEqual([entered]);
    expect(await widgets.embedded(made.publicId, sent)).toMatchObject({ keyId: made.WidgetKeyID });
    for (const other of [`${sent}.evil.example`, sent.replace('://', '://x'), `${sent}/`, 'null'])
      expect(await widgets.embedded(made.publicId, other)).toBeUndefined();
  });

  it('admits a page by the origins allowed in its widget', async () => {
    const { publicId, WidgetKeyID } = await widget();
    const widgets = widgetsService();
    expect(await widgets.embedded(publicId, 'HTTPS://Shop.example')).toMatchObject({ keyId: WidgetKeyID });
    expect(await widgets.embedded(publicId, 'https://shop.example.evil.example')).toBeUndefined();
    expect(await widgets.embedded('wdg_unknown', origin)).toBeUndefined();
  });
});
