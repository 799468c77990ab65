import { randomUUID } from 'node:crypto';
import { VoiceSessionOffer } from '@parley/contracts';
import { connectionOptions, TenantScope } from '@parley/database';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { gatewaySchema } from '../../database/schema';
import { Harness, type TestOrganization } from '../../testing/harness';
import { EntryTokens } from '../../door/access/entry-tokens';

const Body = z.looseObject({ statusCode: z.int(), token: z.string().default('') });

describe('chat in mode sts', () => {
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
    mine = harness.organization();
  });
  afterAll(async () => {
    await dataSource.destroy();
    await harness.close();
  });

  const ask = async (kind: 'agt' | 'wsk', fields: object) => {
    const { key, IntegrationKeyID } = await harness.key(mine, kind);
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    const body = JSON.stringify({ connectionType: 'sts', ...fields });
    const response = await fetch(`${url}/api/v1/external/chat`, { method: 'POST', headers, body });
    return { status: response.status, body: Body.parse(await response.json()), IntegrationKeyID };
  };

  it('offers a session and a token that opens its socket once, within a minute', async () => {
    const { status, body, IntegrationKeyID } = await ask('agt', { variables: { name: 'Asha' } });
    expect({ status, statusCode: body.statusCode }).toEqual({ status: 200, statusCode: 200 });
    const { sessionUUID, token, wsUrl, expiresAt } = VoiceSessionOffer.parse(body);
    expect(wsUrl).toBe(`wss://voice.example/ws/sts?token=${token}`);
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(60_000);
    const principal = { kind: 'agt', keyId: IntegrationKeyID, orgId: mine.orgId, agentId: mine.agent.AgentID };
    const { AgentKeyID } = mine.agent;
    const entry = { kind: 'session', principal, AgentKeyID, sessionUUID, variables: { name: 'Asha' } };
    await expect(tokens.redeem(token, 'session', '127.0.0.1')).resolves.toEqual({ entry });
    await expect(tokens.redeem(token, 'session', '127.0.0.1')).resolves.toEqual({ refused: 'used' });
  });

  it('continues a session, with the agent that a workspace key names', async () => {
    const { AgentKeyID } = mine.agent;
    const sessionUUID = randomUUID();
    const { body } = await ask('wsk', { AgentKeyID, sessionUUID });
    expect(body).toMatchObject({ statusCode: 200, sessionUUID });
    await expect(tokens.redeem(body.token, 'session', '127.0.0.1')).resolves.toMatchObject({
      entry: { AgentKeyID, sessionUUID },
    });
  });

  it('is 404 for an agent that does not exist', async () => {
    await expect(ask('wsk', { AgentKeyID: randomUUID() })).resolves.toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });
});
