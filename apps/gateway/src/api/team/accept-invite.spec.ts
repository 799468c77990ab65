import { listAudit, listKeys } from '@parley/contracts';
import { z } from 'zod';
import { House } from '../../testing/house';

const Answer = z.object({ data: z.object({ key: z.string(), memberAdminID: z.string() }) });

describe('an invitation at the public door', () => {
  let house: House;
  let url: string;
  beforeAll(async () => {
    house = await House.open();
    ({ url } = await house.startGateway());
  }, 120_000);
  afterAll(() => house.close());

  const accept = (body: object, headers: Record<string, string> = {}) =>
    fetch(`${url}/api/v1/external/team-management/invite/accept`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  it('lets in by its token alone, with a first key that works, and leaves a line in the audit log', async () => {
    const { orgId, owner } = house.organization();
    const { memberId } = house.member(orgId, { roleTypeId: 2 });
    house.town.invitations.set('inv_one', { orgId, memberId });
    const response = await accept({ token: 'inv_one' });
    expect(response.status).toBe(200);
    const { data } = Answer.parse(await response.json());
    expect(data).toMatchObject({ memberAdminID: memberId, key: expect.stringMatching(/^wsk_/) });
    const listed = await fetch(`${url}/api/v1/external/integrations/keys`, { headers: { 'x-api-key': data.key } });
    expect(listed.status).toBe(200);
    const { rows: keys } = await house.bus.ask(listKeys, {}, { principal: owner });
    expect(keys).toMatchObject([{ kind: 'wsk', memberAdminID: memberId }]);
    const { rows: lines } = await house.bus.ask(listAudit, { action: 'team-sales.invite.accept' }, { principal: owner });
    expect(lines).toMatchObject([{ memberAdminID: memberId, outcome: 'OK', IntegrationKeyID: null }]);
    expect(JSON.stringify(lines)).not.toContain('inv_one');
    expect((await accept({ token: 'inv_one' })).status).toBe(404);
  });

  it.each([
    ['neither key nor token', { TeamInviteKeyID: '2c4e6a80-1b3d-4f57-9a7b-8c9d0e1f2a3b' }, {}, 401, 'API_KEY_MISSING'],
    ['a key that is none', { token: 'inv_two' }, { 'x-api-key': `wsk_${'0'.repeat(38)}` }, 401, 'API_KEY_INVALID'],
    ['a token that is none', { token: 'inv_none' }, {}, 404, 'NOT_FOUND'],
    ['nothing', {}, {}, 400, 'VALIDATION_FAILED'],
  ])('refuses %s', async (_what, body, headers, status, code) => {
    const response = await accept(body, headers);
    expect([response.status, await response.json()]).toMatchObject([status, { code }]);
  });
});
