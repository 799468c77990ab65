import { agentDeleted, deleteWidget, revokeKey, saveWidget } from '@parley/contracts';
import { eventually, recordOf, TestNats } from '@parley/testing';
import { SocketClient } from '../../testing/socket-client';
import { shop, SocketHarness } from './socket-harness.suite';

describe('sockets on two gateways over NATS', () => {
  let by: SocketHarness;
  let urls: string[];

  beforeAll(async () => {
    // The regular check of credentials is off: only events close sockets here.
    const environment = { SOCKET_CREDENTIAL_CHECK: '1h' };
    by = await SocketHarness.open(environment, await TestNats.start());
    urls = [by.url, (await by.harness.startGateway(environment)).url];
  });
  afterEach(() => by.speech.reset());
  afterAll(() => by.harness.close());

  const open = (key: string) =>
    Promise.all(urls.map((url) => SocketClient.open(`${url}/ws/sts`, { headers: { 'x-api-key': key } })));

  it('are closed with 4401 by the event of their key’s revocation, and no others are', async () => {
    const mine = by.harness.organization();
    const [{ key, IntegrationKeyID }, other] = [await by.harness.key(mine, 'agt'), await by.harness.key(mine, 'agt')];
    const clients = await open(key);
    const others = await open(other.key);
    await Promise.all([...clients, ...others].map((client) => client.start()));
    await by.harness.bus.ask(revokeKey, { IntegrationKeyID }, { principal: mine.owner });
    const closings = await Promise.all(clients.map(({ closed }) => closed));
    expect(closings).toEqual([
      { code: 4401, reason: 'the key has ended' },
      { code: 4401, reason: 'the key has ended' },
    ]);
    for (const client of others) {
      client.send({ type: 'text', text: 'still here' });
      await client.next('agent.done');
      await client.close();
    }
  });

  it('are closed even if opened by a token made with that key', async () => {
    const mine = by.harness.organization();
    const token = await by.sessionToken(mine);
    const [{ IntegrationKeyID } = { IntegrationKeyID: '' }] = (await by.harness.keysOf(mine)).rows;
    const client = await SocketClient.open(`${urls[1]}/ws/sts?token=${token}`);
    await client.start();
    await by.harness.bus.ask(revokeKey, { IntegrationKeyID }, { principal: mine.owner });
    expect(await client.closed).toMatchObject({ code: 4401 });
  });

  it.each(['deleted', 'switched off'])('are closed by the event that their widget was %s', async (how) => {
    const mine = by.harness.organization();
    const { WidgetKeyID, publicId } = await by.widget(mine);
    const visitors = await Promise.all(
      urls.map((url) => SocketClient.open(`${url}/ws/widgetchat?widget=${publicId}`, { origin: shop })),
    );
    await Promise.all(visitors.map((client) => client.start()));
    const asked = { principal: mine.owner };
    if (how === 'deleted') await by.harness.bus.ask(deleteWidget, { WidgetKeyID }, asked);
    else await by.harness.bus.ask(saveWidget, { WidgetKeyID, isActive: false }, asked);
    for (const client of visitors) expect(await client.closed).toEqual({ code: 4401, reason: 'the widget is closed' });
  });

  it('are closed when their agent is deleted', async () => {
    const mine = by.harness.organization();
    const { AgentKeyID, AgentID } = mine.agent;
    const clients = await open((await by.harness.key(mine, 'agt')).key);
    await Promise.all(clients.map((client) => client.start()));
    await by.harness.tell(agentDeleted, mine.orgId, { AgentKeyID, AgentID, Version: 2 });
    for (const client of clients) expect(await client.closed).toMatchObject({ code: 4401 });
  });

  it('are closed when their agent is deleted, whoever opened them', async () => {
    const mine = by.harness.organization();
    const { AgentKeyID, AgentID } = mine.agent;
    const { key } = await by.harness.key(mine, 'wsk');
    const tokenOfMember = async (agentKey: string) => {
      const offer = await fetch(`${urls[0]}/api/v1/external/chat`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': key },
        body: JSON.stringify({ AgentKeyID: agentKey, connectionType: 'sts' }),
      });
      return String(recordOf(await offer.json())['token']);
    };
    const { WidgetKeyID, publicId } = await by.widget(mine);
    const widgetToken = await by.widgetToken(mine, WidgetKeyID);
    const other = by.harness.organization();
    const opened = await Promise.all([
      SocketClient.open(`${urls[1]}/ws/sts?token=${await tokenOfMember(AgentKeyID)}`),
      SocketClient.open(`${urls[0]}/ws/sts?token=${await by.sessionToken(mine)}`),
      SocketClient.open(`${urls[0]}/ws/widgetchat?token=${widgetToken}`),
      SocketClient.open(`${urls[1]}/ws/widgetchat?widget=${publicId}`, { origin: shop }),
    ]);
    const foreign = await SocketClient.open(`${urls[0]}/ws/sts?token=${await by.sessionToken(other)}`);
    await Promise.all([...opened, foreign].map((client) => client.start()));
    await by.harness.tell(agentDeleted, mine.orgId, { AgentKeyID, AgentID, Version: 2 });
    const closed = await Promise.all(opened.map((client) => client.closed));
    expect(closed).toEqual(opened.map(() => ({ code: 4401, reason: 'the agent was deleted' })));
    foreign.send({ type: 'text', text: 'still here' });
    await foreign.next('agent.done');
    await foreign.close();
  });

  it('are closed with 1012 by a stopping gateway, which settles first, and resume at the other', async () => {
    const mine = by.harness.organization();
    const { key } = await by.harness.key(mine, 'agt');
    const leaving = await by.harness.startGateway();
    const client = await SocketClient.open(`${leaving.url}/ws/sts`, { headers: { 'x-api-key': key } });
    const { sessionUUID } = await client.start();
    by.speech.last.channel.signal({ type: 'usage', usage: [{ kind: 'STT_API', units: 3 }] });
    await client.next('usage');
    const stopped = leaving.service.stop();
    expect(await client.closed).toMatchObject({ code: 1012 });
    await stopped;
    expect(await by.charged(mine)).toEqual({ STT_API: 3 });
    const again = await SocketClient.open(`${urls[0]}/ws/sts`, { headers: { 'x-api-key': key } });
    expect(await again.start({ sessionUUID })).toMatchObject({ sessionUUID });
    await again.close();
  });

  it('leave no hold and no open line when their clients vanish', async () => {
    const mine = by.harness.organization();
    const clients = await open((await by.harness.key(mine, 'agt')).key);
    await Promise.all(clients.map((client) => client.start()));
    for (const client of clients) client.socket.terminate();
    await Promise.all(by.speech.lines.map(({ channel }) => channel.closed));
    await eventually('nothing is held', async () => (await by.held(mine)) === 0);
  });
});
