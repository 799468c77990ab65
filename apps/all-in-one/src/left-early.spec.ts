import { randomUUID } from 'node:crypto';
import {
  createKey,
  createOrganization,
  examplesOf,
  getCreditBalance,
  type Principal,
  saveAgent,
  saveRuntimeConfig,
} from '@parley/contracts';
import { eventually } from '@parley/testing';
import { WebSocket } from 'ws';
import { startWholePlatform, type WholePlatform } from './testing/whole-platform';

const greeting = 'Good morning, this is the shop.';

describe('a caller who hangs up at the first sound', () => {
  let platform: WholePlatform;
  let principal: Principal;
  let key: string;

  beforeAll(async () => {
    platform = await startWholePlatform();
    const owner = { email: `${randomUUID()}@tenant.example`, name: 'Owner' };
    const organization = {
      OrgKeyID: randomUUID(),
      OrganizationName: 'Shop',
      timezone: 'Asia/Kolkata',
      defaultRegion: 'IN',
      owner,
    };
    const { OrgID: orgId, memberAdminID: memberId, userID: userId } = await platform.bus.ask(createOrganization, organization);
    principal = { kind: 'wsk', keyId: 'test', orgId, memberId, userId, roleTypeId: 1 };
    const agent = { ...saveAgent.request.parse(examplesOf(saveAgent.request)[0]), Greeting: greeting };
    const { AgentKeyID, AgentID } = await platform.bus.ask(saveAgent, agent, { principal });
    await platform.bus.ask(saveRuntimeConfig, { AgentID, IsRecording: 0 }, { principal });
    ({ key } = await platform.bus.ask(createKey, { name: 'caller', kind: 'agt', AgentKeyID }, { principal }));
  });
  afterAll(() => platform.stop());

  const account = async () => {
    const { balances } = await platform.bus.ask(getCreditBalance, {}, { principal });
    const { balance = 0, held = 0 } = balances.find(({ kind }) => kind === 'TTS_API') ?? {};
    return { balance, held };
  };

  it.each<[string, (socket: WebSocket) => void]>([
    ['without a word', (socket) => socket.terminate()],
    ['by closing', (socket) => socket.close()],
    ['by ending the session', (socket) => socket.send(JSON.stringify({ type: 'session.end' }))],
  ])('%s pays for what was said', async (_how, leave) => {
    const before = await account();
    const socket = new WebSocket(`${platform.url.replace('http', 'ws')}/ws/sts`, { headers: { 'x-api-key': key } });
    socket.once('open', () => socket.send(JSON.stringify({ type: 'session.start' })));
    await new Promise<void>((resolve) => socket.on('message', (_data, isSound) => isSound && resolve()));
    leave(socket);
    await eventually('nothing is held any more', async () => (await account()).held === 0);
    expect(before.balance - (await account()).balance).toBe(greeting.length);
    socket.terminate();
  });
});
