import { randomUUID } from 'node:crypto';
import {
  acceptInvite,
  listInvites,
  listMailOutbox,
  permissionAreas,
  permissionsIn,
  type Principal,
  readMyAccess,
  removeMember,
  revokeInvite,
  saveInvite,
} from '@parley/contracts';
import { Client } from 'pg';
import { Installation, type InvitationBody, type TestOrganization } from '../installation.suite';

const anyone = { action: 'ADD', userType: 'Web', agentAccessScope: 'ALL' } as const;

describe('the rules of a team', () => {
  let installation: Installation;
  let organization: TestOrganization;
  let ask: Installation['bus']['ask'];

  beforeAll(async () => {
    installation = await Installation.start();
    ask = installation.bus.ask.bind(installation.bus);
  });
  beforeEach(async () => {
    organization = await installation.organization();
  });
  afterAll(() => installation.stop());

  const invite = (principal: Principal, rights: Partial<InvitationBody> & { roleTypeID: number }) =>
    ask(saveInvite, { ...anyone, emails: [`${randomUUID()}@example.com`], ...rights }, { principal });
  const inviteOf = async (userId: number | undefined) => {
    const { rows } = await ask(listInvites, { pageSize: 200 }, { principal: organization.owner });
    const found = rows.find(({ userID }) => userID === userId);
    if (!found) throw new Error('no such member');
    return found;
  };
  const refused = (message: string) => ({ code: 'SCOPE_MISSING', message: expect.stringContaining(message) });

  it('never let the last Owner leave or step down', async () => {
    const { owner } = organization;
    const memberAdminID = owner.memberId ?? '';
    await expect(ask(removeMember, { memberAdminID }, { principal: owner })).rejects.toMatchObject({ code: 'CONFLICT' });
    const stepDown = { ...anyone, action: 'UPDATE', userID: owner.userId, roleTypeID: 2 } as const;
    await expect(ask(saveInvite, stepDown, { principal: owner })).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('keep the last Owner even if another process removes the other one at the same moment', async () => {
    const second = await installation.member(organization, { roleTypeID: 1 });
    const other = new Client({ connectionString: installation.database.adminUrl });
    await other.connect();
    await other.query('BEGIN');
    await other.query('SELECT FROM team.organizations WHERE org_id = $1 FOR NO KEY UPDATE', [organization.OrgID]);
    let isSettled = false;
    const removal = ask(removeMember, { memberAdminID: second.memberId ?? '' }, { principal: second }).finally(
      () => (isSettled = true),
    );
    const refusal = expect(removal).rejects.toMatchObject({ code: 'CONFLICT' });
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    while (!isSettled && (await other.query(waiting)).rowCount === 0);
    await other.query(`UPDATE team.memberships SET status = 'REVOKED' WHERE member_key_id = $1`, [organization.owner.memberId]);
    await other.query('COMMIT');
    await other.end();
    await refusal;
  });

  it('do not let members give a role above their own, or a right they do not have', async () => {
    const admin = await installation.member(organization, { roleTypeID: 2 });
    await expect(invite(admin, { roleTypeID: 1 })).rejects.toMatchObject(refused('role above'));
    await expect(invite(admin, { roleTypeID: 3, permissions: { billing: ['CanUpdate'] } })).rejects.toMatchObject(
      refused('billing.CanUpdate'),
    );
    await expect(invite(admin, { roleTypeID: 2 })).resolves.toMatchObject({ results: [{ outcome: 'INVITED' }] });
  });

  it.each([
    ['removed', undefined, ['REVOKED', 'REVOKED']],
    ['now a member', { team: ['CanView', 'CanAdd'] }, ['REVOKED', 'PENDING']],
    ['now a member who invites nobody', { team: [] }, ['REVOKED', 'REVOKED']],
  ] as const)('withdraw what an Admin who is %s may not invite to any more', async (_, permissions, expected) => {
    const { owner } = organization;
    const admin = await installation.member(organization, { roleTypeID: 2 });
    const nothing = Object.fromEntries(permissionAreas.map((area) => [area, []]));
    const invited = [await invite(admin, { roleTypeID: 2 }), await invite(admin, { roleTypeID: 4, permissions: nothing })];
    const { rows: mails } = await ask(listMailOutbox, { pageSize: 200 }, { principal: owner });
    const demoted = { ...anyone, action: 'UPDATE', userID: admin.userId, roleTypeID: 3 } as const;
    if (permissions) await ask(saveInvite, { ...demoted, permissions: { team: [...permissions.team] } }, { principal: owner });
    else await ask(removeMember, { memberAdminID: admin.memberId ?? '' }, { principal: owner });
    const { rows } = await ask(listInvites, { pageSize: 200 }, { principal: owner });
    const addresses = invited.map(({ results }) => results[0]?.email);
    expect(addresses.map((address) => rows.find(({ email }) => email === address)?.status)).toEqual(expected);
    const [token] = /inv_[\w-]+/.exec(mails.find(({ to }) => to === addresses[0])?.text ?? '') ?? [];
    await expect(ask(acceptInvite, { token }, { principal: owner })).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('do not let members raise their own rights', async () => {
    const recruiter = await installation.member(organization, {
      roleTypeID: 3,
      permissions: { team: ['CanView', 'CanAdd', 'CanUpdate'] },
    });
    const myself = { ...anyone, action: 'UPDATE', userID: recruiter.userId } as const;
    await expect(ask(saveInvite, { ...myself, roleTypeID: 2 }, { principal: recruiter })).rejects.toMatchObject(
      refused('role above'),
    );
    const more = { ...myself, roleTypeID: 3, permissions: { team: ['CanDelete' as const] } };
    await expect(ask(saveInvite, more, { principal: recruiter })).rejects.toMatchObject(refused('team.CanDelete'));
  });

  it('do not let restricted members grant access to other agents', async () => {
    const restricted = { agentAccessScope: 'RESTRICTED' as const, agentIds: [1, 2] };
    const recruiter = await installation.member(organization, { roleTypeID: 2, ...restricted });
    await expect(invite(recruiter, { roleTypeID: 3 })).rejects.toMatchObject(refused('agents'));
    // An agent they may not see is answered like one that does not exist: decision 057.
    await expect(invite(recruiter, { roleTypeID: 3, ...restricted, agentIds: [2, 3] })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(invite(recruiter, { roleTypeID: 3, ...restricted, agentIds: [2] })).resolves.toBeDefined();
  });

  it('keep an Admin from changing an Owner', async () => {
    const admin = await installation.member(organization, { roleTypeID: 2 });
    const memberAdminID = organization.owner.memberId ?? '';
    await expect(ask(removeMember, { memberAdminID }, { principal: admin })).rejects.toMatchObject(refused('above your own'));
    const demote = { ...anyone, action: 'UPDATE', userID: organization.owner.userId, roleTypeID: 3 } as const;
    await expect(ask(saveInvite, demote, { principal: admin })).rejects.toMatchObject(refused('above your own'));
  });

  it('keep a restricted member from changing members who see more', async () => {
    const narrow = await installation.member(organization, { roleTypeID: 2, agentAccessScope: 'RESTRICTED', agentIds: [2] });
    const below = await installation.member(organization, { roleTypeID: 3, agentAccessScope: 'RESTRICTED', agentIds: [2] });
    const others = [
      await installation.member(organization, { roleTypeID: 2 }),
      await installation.member(organization, { roleTypeID: 4, agentAccessScope: 'RESTRICTED', agentIds: [1, 2] }),
    ];
    const foreign = refused('agents that you cannot see');
    for (const { memberId = '', userId } of others) {
      await expect(ask(removeMember, { memberAdminID: memberId }, { principal: narrow })).rejects.toMatchObject(foreign);
      const change = { action: 'UPDATE' as const, userID: userId, agentAccessScope: 'RESTRICTED' as const, agentIds: [2] };
      await expect(ask(saveInvite, change, { principal: narrow })).rejects.toMatchObject(foreign);
      const { TeamInviteKeyID } = await inviteOf(userId);
      await expect(ask(revokeInvite, { teamInviteKeyID: TeamInviteKeyID }, { principal: narrow })).rejects.toMatchObject(foreign);
    }
    await expect(ask(removeMember, { memberAdminID: below.memberId ?? '' }, { principal: narrow })).resolves.toBeDefined();
  });

  it('keep what an Owner granted when an Admin changes something else', async () => {
    const admin = await installation.member(organization, { roleTypeID: 2 });
    const accountant = await installation.member(organization, {
      roleTypeID: 4,
      permissions: { billing: ['CanView', 'CanUpdate'] },
    });
    const change = { ...anyone, action: 'UPDATE', userID: accountant.userId, roleTypeID: 4, userType: 'Mobile App' } as const;
    await ask(saveInvite, change, { principal: admin });
    const after = await installation.principalOf(organization.OrgID, accountant.memberId ?? '');
    expect(after.permissions?.billing).toEqual(['CanView', 'CanUpdate']);
  });

  it('give a member at the gateway what my-access shows, even for an empty entry', async () => {
    const entries = permissionAreas.flatMap((area) => [{}, { [area]: [] }, { [area]: ['CanView' as const] }]);
    for (const roleTypeID of [2, 3, 4]) {
      const member = await installation.member(organization, { roleTypeID });
      for (const permissions of entries) {
        await ask(saveInvite, { action: 'UPDATE', userID: member.userId, permissions }, { principal: organization.owner });
        const atTheDoor = await installation.principalOf(organization.OrgID, member.memberId ?? '');
        const shown = await ask(readMyAccess, {}, { principal: member });
        for (const area of permissionAreas) expect(permissionsIn(area, atTheDoor)).toEqual(shown.permissions[area] ?? []);
      }
    }
  });

  it('refuse the key of a member who is removed while its request is on the way, as any request after it', async () => {
    const leaving = await installation.member(organization, { roleTypeID: 3 });
    await ask(removeMember, { memberAdminID: leaving.memberId ?? '' }, { principal: organization.owner });
    await expect(ask(readMyAccess, {}, { principal: leaving })).rejects.toMatchObject({ code: 'API_KEY_INVALID' });
  });

  it('give an Owner all rights or none', async () => {
    const { owner } = organization;
    const narrow = invite(owner, { roleTypeID: 1, agentAccessScope: 'RESTRICTED', permissions: { team: [] } });
    await expect(narrow).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ field: 'permissions.team' }, { field: 'agentAccessScope' }],
    });
  });

  it('hide the token of an Owner’s invitation from those who could not have sent it', async () => {
    const admin = await installation.member(organization, { roleTypeID: 2 });
    await invite(organization.owner, { roleTypeID: 1, emails: ['crown@example.com'] });
    const seen = async (principal: Principal) => (await ask(listMailOutbox, { searchName: 'crown' }, { principal })).totalCount;
    expect(await seen(admin)).toBe(0);
    expect(await seen(organization.owner)).toBe(1);
  });

  it('hide the token of every invitation that grants more than its reader could', async () => {
    const readers = {
      member: await installation.member(organization, { roleTypeID: 3, permissions: { team: ['CanView', 'CanAdd'] } }),
      narrow: await installation.member(organization, { roleTypeID: 2, agentAccessScope: 'RESTRICTED', agentIds: [2] }),
      admin: await installation.member(organization, { roleTypeID: 2 }),
      owner: organization.owner,
    };
    const tokenOf = async (email: string, principal: Principal) => {
      const { rows } = await ask(
        listMailOutbox,
        { searchName: email, sortColumn: 'CreatedOn', sortOrder: 'DESC' },
        { principal },
      );
      return /inv_[\w-]+/.exec(rows[0]?.text ?? '')?.[0];
    };
    const readersOf = async (email: string) => {
      const found = [];
      for (const [name, principal] of Object.entries(readers)) if (await tokenOf(email, principal)) found.push(name);
      return found;
    };
    const invited = async (rights: Partial<InvitationBody>) => {
      const email = `${randomUUID()}@example.com`;
      await invite(organization.owner, { roleTypeID: 3, emails: [email], ...rights });
      return email;
    };
    const plain = await invited({ agentAccessScope: 'RESTRICTED', agentIds: [2] });
    expect(await readersOf(plain)).toEqual(['member', 'narrow', 'admin', 'owner']);
    expect(await readersOf(await invited({}))).toEqual(['member', 'admin', 'owner']);
    expect(await readersOf(await invited({ permissions: { contacts: ['CanDelete'] } }))).toEqual(['admin', 'owner']);
    expect(await readersOf(await invited({ permissions: { billing: ['CanAdd'] } }))).toEqual(['owner']);
    // A token read before the invitation was extended opens nothing any more.
    const token = await tokenOf(plain, readers.member);
    const raised = { action: 'UPDATE' as const, emails: [plain], permissions: { billing: ['CanAdd' as const] } };
    await ask(saveInvite, raised, { principal: organization.owner });
    await expect(ask(acceptInvite, { token })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await readersOf(plain)).toEqual(['owner']);
    const lowered = { action: 'UPDATE' as const, emails: [plain], permissions: null };
    const last = await tokenOf(plain, organization.owner);
    await ask(saveInvite, lowered, { principal: organization.owner });
    expect(await tokenOf(plain, organization.owner)).toBe(last);
  });
});
