import { listAudit, listKeys } from '@parley/contracts';
import { z } from 'zod';
import { Harness } from '../testing/harness';

const Answer = z.object({ data: z.object({ key: z.string(), memberAdminID: z.string() }) });

describe('accepting an invitation over HTTP', () => {
  let harness: Harness;
  let url: string;
  beforeAll(async () => {
    harness = await Harness.open();
    ({ url } = await harness.startGateway());
  });
  afterAll(() => harness.close());

  const accept = (body: object, headers: Record<string, string> = {}) =>
    fetch(`${url}/api/v1/external/team-management/invite/accept`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  it('needs only its token, returns a working first key, and is in the audit log', async () => {
    const { orgId, owner } = harness.organization();
    const { memberId } = harness.member(orgId, { roleTypeId: 2 });
    harness.scripted.invitations.set('inv_one', { orgId, memberId });
    const response = await accept({ token: 'inv_one' });
    expect(response.status).toBe(200);
    const { data } = Answer.parse(await response.json());
    expect(data).toMatchObject({ memberAdminID: memberId, key: expect.stringMatching(/^wsk_/) });
    const listed = await fetch(`${url}/api/v1/external/integrations/keys`, { headers: { 'x-api-key': data.key } });
    expect(listed.status).toBe(200);
    const { rows: keys } = await harness.bus.ask(listKeys, {}, { principal: owner });
    expect(keys).toMatchObject([{ kind: 'wsk', memberAdminID: memberId }]);
    const { rows: lines } = await harness.bus.ask(listAudit, { action: 'team-sales.invite.accept' }, { principal: owner });
    expect(lines).toMatchObject([{ memberAdminID: memberId, outcome: 'OK', IntegrationKeyID: null }]);
    expect(JSON.stringify(lines)).not.toContain('inv_one');
    expect((await accept({ token: 'inv_one' })).status).toBe(404);
  });

  it.each([
    ['neither key nor token', { TeamInviteKeyID: '2c4e6a80-1b3d-4f57-9a7b-8c9d0e1f2a3b' }, {}, 401, 'API_KEY_MISSING'],
    ['a key that is none', { token: 'inv_two' }, { 'x-api-key': `wsk_${'0'.repeat(38)}` }, 401, 'API_KEY_INVALID'],
    ['a token that is none', { token: 'inv_none' }, {}, 404, 'NOT_FOUND'],
    ['a token that is none, beside an empty header', { token: 'inv_none' }, { 'x-api-key': '' }, 404, 'NOT_FOUND'],
    ['nothing', {}, {}, 400, 'VALIDATION_FAILED'],
  ])('refuses %s', async (_what, body, headers, status, code) => {
    const response = await accept(body, headers);
    expect([response.status, await response.json()]).toMatchObject([status, { code }]);
  });

  describe('with a key that expires or is bound to addresses', () => {
    const post = (path: string, key: string, body: object) =>
      fetch(`${url}/api/v1/external/team-management/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': key },
        body: JSON.stringify(body),
      });
    const bounds = {
      'that ends': { expiresAt: new Date(Date.now() + 600_000).toISOString() },
      'of some addresses': { allowedIps: ['127.0.0.0/8'] },
    };
    const body = { action: 'ADD', emails: ['a@b.example'], roleTypeID: 3, userType: 'Web', agentAccessScope: 'ALL' };

    it.each(Object.entries(bounds))('grants nothing beyond the limits of a key %s', async (_name, bound) => {
      const mine = harness.organization();
      const { key } = await harness.key(mine, 'wsk', bound);
      const answers = await Promise.all([
        post('add-update-Invitation', key, body),
        post('add-update-Invitation', key, { ...body, action: 'UPDATE' }),
        post('mail-outbox-list', key, {}),
        accept({ TeamInviteKeyID: '2c4e6a80-1b3d-4f57-9a7b-8c9d0e1f2a3b' }, { 'x-api-key': key }),
      ]);
      const said = await Promise.all(
        answers.map(async (answer) => [answer.status, ((await answer.json()) as { message: string }).message]),
      );
      expect(said).toEqual(answers.map(() => [403, expect.stringContaining('would reach beyond this key')]));
    });

    it('does not stop anybody who has the e-mail’s token', async () => {
      const mine = harness.organization();
      const { memberId } = harness.member(mine.orgId, { roleTypeId: 2 });
      harness.scripted.invitations.set('inv_three', { orgId: mine.orgId, memberId });
      const { key } = await harness.key(mine, 'wsk', bounds['that ends']);
      expect((await accept({ token: 'inv_three' }, { 'x-api-key': key })).status).toBe(200);
    });
  });
});
