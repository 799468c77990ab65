import { deleteWidget, rotateKey, saveWidget } from '@parley/contracts';
import { Client } from 'pg';
import type { TestOrganization } from '../../testing/harness';
import { SocketClient } from '../../testing/socket-client';
import { shop, SocketHarness } from './socket-harness.suite';

const ended = { code: 4401, reason: 'the key has ended' };
const shut = { code: 4401, reason: 'the widget is closed' };

describe('open sockets whose credential ends', () => {
  let by: SocketHarness;
  let mine: TestOrganization;

  beforeAll(async () => {
    by = await SocketHarness.open({ SOCKET_CREDENTIAL_CHECK: '100ms' });
  });
  beforeEach(() => (mine = by.harness.organization()));
  afterEach(() => by.speech.reset());
  afterAll(() => by.harness.close());

  const withKey = async (key: string): Promise<SocketClient> => {
    const client = await SocketClient.open(`${by.url}/ws/sts`, { headers: { 'x-api-key': key } });
    await client.start();
    return client;
  };
  const withWidgetToken = async (WidgetKeyID: string): Promise<SocketClient> => {
    const client = await SocketClient.open(`${by.url}/ws/widgetchat?token=${await by.widgetToken(mine, WidgetKeyID)}`);
    await client.start();
    return client;
  };
  const onPage = async (publicId: string): Promise<SocketClient> => {
    const client = await SocketClient.open(`${by.url}/ws/widgetchat?widget=${publicId}`, { origin: shop });
    await client.start();
    return client;
  };
  const stillTalks = async (client: SocketClient): Promise<void> => {
    client.send({ type: 'text', text: 'still here' });
    await client.next('agent.done');
    await client.close();
  };

  it('are closed with 4401 when their key expires; those of its successor stay open', async () => {
    const { key, IntegrationKeyID } = await by.harness.key(mine, 'agt');
    const client = await withKey(key);
    const successor = await by.harness.bus.ask(rotateKey, { IntegrationKeyID, graceSeconds: 1 }, { principal: mine.owner });
    const other = await withKey(successor.key);
    expect(await client.closed).toEqual(ended);
    await stillTalks(other);
  });

  it('are closed when their key was revoked and the event was lost', async () => {
    const [{ key, IntegrationKeyID }, other] = [await by.harness.key(mine, 'agt'), await by.harness.key(mine, 'agt')];
    const [client, untouched] = [await withKey(key), await withKey(other.key)];
    const database = new Client(by.harness.database.adminUrl);
    await database.connect();
    await database.query('UPDATE gateway.integration_keys SET revoked_on = now() WHERE key_id = $1', [IntegrationKeyID]);
    await database.end();
    expect(await client.closed).toEqual(ended);
    await stillTalks(untouched);
  });

  it.each(['switched off', 'deleted'])('are closed when their widget is %s, however they were opened', async (how) => {
    const { WidgetKeyID, publicId, ...widget } = await by.widget(mine);
    const another = await by.widget(mine);
    const [visitor, known, elsewhere] = [
      await onPage(publicId),
      await withWidgetToken(WidgetKeyID),
      await onPage(another.publicId),
    ];
    const asked = { principal: mine.owner };
    if (how === 'deleted') await by.harness.bus.ask(deleteWidget, { WidgetKeyID }, asked);
    else await by.harness.bus.ask(saveWidget, { ...widget, WidgetKeyID, isActive: false }, asked);
    expect(await Promise.all([visitor.closed, known.closed])).toEqual([shut, shut]);
    await stillTalks(elsewhere);
  });

  it('are closed when their page may no longer embed the widget', async () => {
    const { WidgetKeyID, publicId, ...widget } = await by.widget(mine);
    const [visitor, known] = [await onPage(publicId), await withWidgetToken(WidgetKeyID)];
    const moved = { ...widget, WidgetKeyID, allowedOrigins: ['https://elsewhere.example'] };
    await by.harness.bus.ask(saveWidget, moved, { principal: mine.owner });
    expect(await visitor.closed).toEqual(shut);
    await stillTalks(known);
  });

  it('cannot be opened with a token made before the widget was closed', async () => {
    const { WidgetKeyID } = await by.widget(mine);
    const token = await by.widgetToken(mine, WidgetKeyID);
    await by.harness.bus.ask(deleteWidget, { WidgetKeyID }, { principal: mine.owner });
    const late = await SocketClient.open(`${by.url}/ws/widgetchat?token=${token}`);
    expect(await late.closed).toMatchObject({ code: 4401 });
  });
});
