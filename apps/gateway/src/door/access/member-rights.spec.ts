import { memberChanged, type Principal } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { Harness, type TestOrganization } from '../../testing/harness';

describe('a member’s open stream', () => {
  let harness: Harness;
  let url: string;
  let mine: TestOrganization;

  beforeAll(async () => {
    harness = await Harness.open();
    ({ url } = await harness.startGateway({ SOCKET_CREDENTIAL_CHECK: '1h' }));
    harness.scripted.answer = () => new Promise(() => undefined);
  });
  beforeEach(() => (mine = harness.organization()));
  afterAll(() => harness.close());

  /** A chat stream that continues until somebody ends it. */
  const openStream = async (rights: Partial<Principal>) => {
    const member = harness.member(mine.orgId, rights);
    const { key } = await harness.key(mine, 'wsk', { memberAdminID: member.memberId });
    const body = JSON.stringify({ question: 'Hello?', responseMode: 'stream', AgentKeyID: mine.agent.AgentKeyID });
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    const leave = new AbortController();
    const response = await fetch(`${url}/api/v1/external/chat`, { method: 'POST', headers, body, signal: leave.signal });
    expect(response.status).toBe(200);
    const stream = { isOpen: true };
    const read = async () => {
      for await (const _chunk of response.body ?? []);
    };
    void read()
      .catch(() => undefined)
      .then(() => (stream.isOpen = false));
    return { member, stream, leave };
  };
  const change = async (member: Principal & { memberId: string }, rights: Partial<Principal>) => {
    harness.scripted.members.set(member.memberId, { ...member, ...rights });
    const roleTypeID = rights.roleTypeId ?? member.roleTypeId ?? 3;
    await harness.tell(memberChanged, mine.orgId, { memberAdminID: member.memberId, userID: 1, roleTypeID, userType: 'Web' });
  };

  it.each<[string, Partial<Principal>, (agentId: number) => Partial<Principal>]>([
    ['a lower role', { roleTypeId: 2 }, () => ({ roleTypeId: 4 })],
    [
      'one permission less',
      { roleTypeId: 3, permissions: { agents: ['CanView', 'CanAdd'] } },
      () => ({ permissions: { agents: ['CanView'] } }),
    ],
    ['no agent any more', { roleTypeId: 2 }, () => ({ agentIds: [] })],
  ])('ends by the news of %s', async (_what, before, after) => {
    const { member, stream } = await openStream(before);
    await change(member, after(mine.agent.AgentID));
    await eventually('the stream is cut', () => !stream.isOpen);
  });

  it('stays open if the member’s rights grow, and for every other member', async () => {
    const [one, other] = [await openStream({ roleTypeId: 3 }), await openStream({ roleTypeId: 2 })];
    const asked = harness.scripted.asked;
    await change(one.member, { roleTypeId: 2 });
    await eventually('the rights were read again', () => harness.scripted.asked > asked);
    expect([one.stream.isOpen, other.stream.isOpen]).toEqual([true, true]);
    one.leave.abort();
    other.leave.abort();
  });
});
