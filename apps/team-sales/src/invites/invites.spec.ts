import { randomUUID } from 'node:crypto';
import {
  acceptInvite,
  getInvite,
  listInvites,
  listMailOutbox,
  listMyOrganizations,
  permissionsIn,
  readDeviceLock,
  readInvitation,
  readMemberPrincipal,
  removeMember,
  revokeInvite,
  saveInvite,
  type Principal,
} from '@parley/contracts';
import { Client } from 'pg';
import { Installation, type InvitationBody, lastAgentId, type TestOrganization } from '../installation.suite';

const address = () => `seller-${randomUUID()}@example.com`;
const asMember = { action: 'ADD', roleTypeID: 3, userType: 'Web', agentAccessScope: 'ALL' } as const;

describe('invitations', () => {
  let installation: Installation;
  let organization: TestOrganization;
  let owner: { principal: Principal };

  beforeAll(async () => {
    installation = await Installation.start();
  });
  beforeEach(async () => {
    organization = await installation.organization();
    owner = { principal: organization.owner };
  });
  afterAll(() => installation.stop());

  const invite = async (email: string, rights: Partial<InvitationBody> = {}) => {
    const { results } = await installation.bus.ask(saveInvite, { ...asMember, emails: [email], ...rights }, owner);
    return results[0]?.TeamInviteKeyID ?? '';
  };
  const accept = async (email: string) => {
    const token = await installation.tokenFor(organization.owner, email);
    return installation.bus.ask(acceptInvite, { token }, owner);
  };
  const asAdmin = async (statement: string, parameter: string) => {
    const admin = new Client({ connectionString: installation.database.adminUrl });
    await admin.connect();
    await admin.query(statement, [parameter]);
    await admin.end();
  };
  const expire = (TeamInviteKeyID: string) =>
    asAdmin(`UPDATE team.memberships SET expires_at = now() - interval '1 second' WHERE invite_key_id = $1`, TeamInviteKeyID);

  it('go to forty addresses at once and report each result', async () => {
    const emails = Array.from({ length: 40 }, address);
    const [pending, , third] = emails;
    await invite(pending ?? '');
    const body = { ...asMember, emails: [...emails, organization.ownerEmail, (third ?? '').toUpperCase()] };
    const { results } = await installation.bus.ask(saveInvite, body, owner);
    expect(results.map(({ outcome }) => outcome)).toEqual(['ALREADY_PENDING', ...Array(39).fill('INVITED'), 'ALREADY_MEMBER']);
    const { totalCount } = await installation.bus.ask(listInvites, { status: 'PENDING' }, owner);
    expect(totalCount).toBe(40);
  });

  it('reach the others if one address is invalid, which is reported', async () => {
    const [one, two] = [address(), address()];
    const { results } = await installation.bus.ask(
      saveInvite,
      { ...asMember, emails: [one, 'not an address', ` ${two} `] },
      owner,
    );
    expect(results).toMatchObject([
      { email: one, outcome: 'INVITED' },
      { email: 'not an address', outcome: 'INVALID', TeamInviteKeyID: null },
      { email: two, outcome: 'INVITED' },
    ]);
    await expect(installation.bus.ask(saveInvite, { ...asMember, emails: ['not an address', ''] }, owner)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
  });

  it('make the invited person a member, once, with the promised rights', async () => {
    const email = address();
    const rights: Partial<InvitationBody> = {
      roleTypeID: 3,
      agentAccessScope: 'RESTRICTED',
      agentIds: [12, 12],
      permissions: { logs: ['CanView', 'CanDelete'] },
    };
    const TeamInviteKeyID = await invite(email, rights);
    const token = await installation.tokenFor(organization.owner, email);
    const accepted = await Promise.allSettled(
      Array.from({ length: 5 }, () => installation.bus.ask(acceptInvite, { token }, owner)),
    );
    expect(accepted.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(installation.bus.ask(acceptInvite, { token }, owner)).rejects.toMatchObject({ code: 'CONFLICT' });
    const invitation = await installation.bus.ask(getInvite, { TeamInviteKeyID }, owner);
    expect(invitation).toMatchObject({
      email,
      status: 'ACCEPTED',
      roleTypeID: 3,
      agentIds: [12],
      invitedBy: organization.ownerEmail,
    });
    const principal = await installation.principalOf(organization.OrgID, invitation.memberAdminID ?? '');
    expect(principal).toMatchObject({ agentIds: [12], permissions: { logs: ['CanView', 'CanDelete'] } });
    expect(permissionsIn('agents', principal)).toEqual(['CanView', 'CanAdd', 'CanUpdate']);
  });

  it('can be accepted without a token only by the owner of the address', async () => {
    const elsewhere = await installation.organization();
    const TeamInviteKeyID = await invite(elsewhere.ownerEmail);
    const stranger = await installation.organization();
    const refused = installation.bus.ask(acceptInvite, { TeamInviteKeyID }, { principal: stranger.owner });
    await expect(refused).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const joined = await installation.bus.ask(acceptInvite, { TeamInviteKeyID }, { principal: elsewhere.owner });
    expect(joined).toMatchObject({ OrgID: organization.OrgID, userID: elsewhere.owner.userId });
  });

  it('accepted by a token that could be read here prove nothing to other organizations', async () => {
    const victim = await installation.organization();
    const email = victim.ownerEmail;
    await invite(email);
    const { memberAdminID, userID } = await accept(email);
    expect(userID).toBe(victim.owner.userId);
    const impostor = { principal: await installation.principalOf(organization.OrgID, memberAdminID) };
    const told = await installation.bus.ask(listMyOrganizations, {}, impostor);
    expect(told.map(({ OrgID }) => OrgID)).toEqual([organization.OrgID]);
    const rights = { ...asMember, roleTypeID: 2, emails: [email] };
    await installation.bus.ask(removeMember, { memberAdminID }, owner);
    const third = await installation.organization();
    const { results } = await installation.bus.ask(saveInvite, rights, { principal: third.owner });
    const TeamInviteKeyID = results[0]?.TeamInviteKeyID ?? '';
    await invite(email);
    const again = await accept(email);
    const stranger = { principal: await installation.principalOf(organization.OrgID, again.memberAdminID) };
    await expect(installation.bus.ask(acceptInvite, { TeamInviteKeyID }, stranger)).rejects.toMatchObject({
      code: 'SCOPE_MISSING',
    });
    const owners = await installation.bus.ask(acceptInvite, { TeamInviteKeyID }, { principal: victim.owner });
    const joined = { principal: await installation.principalOf(third.OrgID, owners.memberAdminID) };
    expect((await installation.bus.ask(listMyOrganizations, {}, joined)).map(({ OrgID }) => OrgID)).toContain(victim.OrgID);
  });

  it('accepted by token under anybody’s key add the invited person, not the caller', async () => {
    const email = address();
    await invite(email);
    const token = await installation.tokenFor(organization.owner, email);
    const stranger = await installation.organization();
    const joined = await installation.bus.ask(acceptInvite, { token }, { principal: stranger.owner });
    expect(joined.OrgID).toBe(organization.OrgID);
    expect(joined.userID).not.toBe(stranger.owner.userId);
    const { rows } = await installation.bus.ask(listInvites, { searchName: email, status: 'ACCEPTED' }, owner);
    expect(rows).toMatchObject([{ email, userID: joined.userID, memberAdminID: joined.memberAdminID }]);
  });

  it('give no access to an unknown agent, and lose access to one deleted since', async () => {
    const unknown = lastAgentId + 1;
    const restricted = { agentAccessScope: 'RESTRICTED' as const };
    const email = address();
    const refusal = { code: 'NOT_FOUND', message: `There is no agent ${unknown}.`, details: [{ field: 'agentIds' }] };
    await expect(invite(email, { ...restricted, agentIds: [12, unknown] })).rejects.toMatchObject(refusal);
    expect((await installation.bus.ask(listInvites, { searchName: email }, owner)).totalCount).toBe(0);

    const TeamInviteKeyID = await invite(email, { ...restricted, agentIds: [12] });
    const update = (agentIds: number[]) =>
      installation.bus.ask(saveInvite, { ...asMember, ...restricted, action: 'UPDATE', TeamInviteKeyID, agentIds }, owner);
    await expect(update([12, unknown])).rejects.toMatchObject(refusal);
    await asAdmin(`UPDATE team.memberships SET agent_ids = '{12,${unknown}}' WHERE invite_key_id = $1`, TeamInviteKeyID);
    await expect(update([13, unknown])).resolves.toMatchObject({ results: [{ outcome: 'UPDATED' }] });
    expect(await installation.bus.ask(getInvite, { TeamInviteKeyID }, owner)).toMatchObject({ agentIds: [13, unknown] });
  });

  it('refuse an unknown token', async () => {
    await expect(installation.bus.ask(acceptInvite, { token: 'inv_guess' }, owner)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('keep their code when a change extends no rights, and otherwise mail a new one and say what became of the old', async () => {
    const email = address();
    const TeamInviteKeyID = await invite(email);
    const first = await installation.tokenFor(organization.owner, email);
    const change = (body: object) => installation.bus.ask(saveInvite, { action: 'UPDATE', TeamInviteKeyID, ...body }, owner);
    for (const same of [{}, { roleTypeID: 3 }, { emails: [email] }, { permissions: { agents: ['CanView'] } }])
      expect((await change(same)).results).toMatchObject([{ outcome: 'UPDATED', message: 'Updated.' }]);
    expect(await installation.tokenFor(organization.owner, email)).toBe(first);
    expect((await change({ roleTypeID: 2 })).results).toMatchObject([
      { message: expect.stringContaining('a new code was mailed') },
    ]);
    await expect(installation.bus.ask(acceptInvite, { token: first }, owner)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('use the latest e-mail'),
    });
    await expect(accept(email)).resolves.toMatchObject({ TeamInviteKeyID });
  });

  it('expire after a week, and get a new token when the address is invited again', async () => {
    const email = address();
    const TeamInviteKeyID = await invite(email);
    const old = await installation.tokenFor(organization.owner, email);
    await expire(TeamInviteKeyID);
    await expect(installation.bus.ask(acceptInvite, { token: old }, owner)).rejects.toMatchObject({ code: 'CONFLICT' });
    const { rows } = await installation.bus.ask(listInvites, { status: 'EXPIRED' }, owner);
    expect(rows.map((row) => row.email)).toEqual([email]);
    const { results } = await installation.bus.ask(saveInvite, { ...asMember, emails: [email] }, owner);
    expect(results).toMatchObject([{ outcome: 'RENEWED', TeamInviteKeyID }]);
    await expect(installation.bus.ask(acceptInvite, { token: old }, owner)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(accept(email)).resolves.toMatchObject({ TeamInviteKeyID });
  });

  it('cannot be used once revoked, which also removes the membership they created', async () => {
    const [waiting, joined] = [address(), address()];
    const waitingKey = await invite(waiting);
    await expect(installation.bus.ask(revokeInvite, { teamInviteKeyID: waitingKey }, owner)).resolves.toMatchObject({
      status: 'REVOKED',
    });
    await expect(accept(waiting)).rejects.toMatchObject({ code: 'CONFLICT' });

    const joinedKey = await invite(joined);
    const { memberAdminID } = await accept(joined);
    await installation.bus.ask(revokeInvite, { teamInviteKeyID: joinedKey }, owner);
    const gone = installation.bus.ask(readMemberPrincipal, { orgId: organization.OrgID, memberId: memberAdminID });
    await expect(gone).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(installation.bus.ask(revokeInvite, { teamInviteKeyID: joinedKey }, owner)).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    const { results } = await installation.bus.ask(saveInvite, { ...asMember, emails: [joined] }, owner);
    expect(results).toMatchObject([{ outcome: 'INVITED' }]);
  });

  it('keep what a change omits, and drop extra rights by null', async () => {
    const TeamInviteKeyID = await invite(address());
    const change = (body: object) => installation.bus.ask(saveInvite, { action: 'UPDATE', TeamInviteKeyID, ...body }, owner);
    await change({ agentAccessScope: 'RESTRICTED', agentIds: [3, 4], permissions: { agents: ['CanView'] } });
    await change({ roleTypeID: 4 });
    const shown = () => installation.bus.ask(getInvite, { TeamInviteKeyID }, owner);
    const kept = { roleTypeID: 4, agentAccessScope: 'RESTRICTED', agentIds: [3, 4], permissions: { agents: ['CanView'] } };
    expect(await shown()).toMatchObject(kept);
    // An area that a change does not name stays as it was, narrowed or widened.
    await change({ permissions: { logs: [], contacts: ['CanView'] } });
    await change({ permissions: { contacts: [] } });
    expect(await shown()).toMatchObject({ permissions: { agents: ['CanView'], logs: [], contacts: [] } });
    await change({ permissions: null, agentIds: null });
    expect(await shown()).toMatchObject({ roleTypeID: 4, agentIds: [], permissions: {} });
  });

  it('are read as they are by whatever a change names them by', async () => {
    const email = address();
    const TeamInviteKeyID = await invite(email);
    const { userID, memberAdminID } = await accept(email);
    const read = (named: object) => installation.bus.ask(readInvitation, named, owner);
    const stored = { TeamInviteKeyID, email, memberAdminID, roleTypeID: 3 };
    const names = [
      { action: 'UPDATE', emails: [email.toUpperCase()] },
      { memberAdminID },
      { userID },
      { teamInviteKeyID: TeamInviteKeyID },
    ];
    for (const named of names) expect(await read(named)).toMatchObject(stored);
    await expect(read({ action: 'ADD', emails: [email] })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    const lacking = saveInvite.request.safeParse({ action: 'ADD', emails: [email] });
    expect(lacking.error?.issues.map(({ path, message }) => [...path, message].join(' '))).toEqual([
      'roleTypeID is required to ADD',
      'userType is required to ADD',
      'agentAccessScope is required to ADD',
    ]);
    await expect(read({ emails: [address()] })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const lock = await installation.bus.ask(readDeviceLock, { memberAdminID }, owner);
    expect(lock).toMatchObject({ memberAdminID, isBound: false });
  });

  it('can be changed the same way before and after they were accepted', async () => {
    const [waiting, joined] = [address(), address()];
    const TeamInviteKeyID = await invite(waiting);
    await invite(joined);
    const { userID, memberAdminID } = await accept(joined);
    const restricted = { agentAccessScope: 'RESTRICTED' as const, agentIds: [3] };
    const change = { action: 'UPDATE' as const, roleTypeID: 4, userType: 'Mobile App' as const, ...restricted };
    for (const named of [{ TeamInviteKeyID }, { userID }]) {
      const { results } = await installation.bus.ask(saveInvite, { ...change, ...named }, owner);
      expect(results).toMatchObject([{ outcome: 'UPDATED' }]);
    }
    const viewer = await installation.principalOf(organization.OrgID, memberAdminID);
    expect(viewer).toMatchObject({ roleTypeId: 4, agentIds: [3] });
    await accept(waiting);
    const { rows } = await installation.bus.ask(listInvites, { roleTypeID: 4, sortColumn: 'email' }, owner);
    expect(rows.map(({ email }) => email).sort()).toEqual([waiting, joined].sort());
  });

  it('are not changed when the identifiers of a change name different people', async () => {
    const [meant, other] = [address(), address()];
    const [meantKey, otherKey] = [await invite(meant), await invite(other)];
    const { userID } = await accept(other);
    const change = (body: object) =>
      installation.bus.ask(saveInvite, { action: 'UPDATE', roleTypeID: 2, ...body }, owner).catch((fault: unknown) => fault);
    const refused = (field: string) => ({ code: 'VALIDATION_FAILED', details: [{ field }] });
    expect(await change({ emails: [meant], userID })).toMatchObject(refused('emails'));
    expect(await change({ emails: ['nobody@nowhere.example'], userID })).toMatchObject(refused('emails'));
    expect(await change({ emails: [other, meant], userID })).toMatchObject(refused('emails'));
    expect(await change({ TeamInviteKeyID: meantKey, userID })).toMatchObject(refused('userID'));
    expect(await change({ TeamInviteKeyID: otherKey, emails: [meant] })).toMatchObject(refused('emails'));
    const { rows } = await installation.bus.ask(listInvites, { roleTypeID: 2 }, owner);
    expect(rows).toEqual([]);
    const same = { TeamInviteKeyID: otherKey, userID, emails: [` ${other.toUpperCase()} `] };
    expect(await change(same)).toMatchObject({ results: [{ email: other, outcome: 'UPDATED' }] });
  });

  it('are found by any part of an address, ignoring case', async () => {
    const email = `Zoë.Müller-${randomUUID()}@example.com`.normalize('NFD').replace(/[\u0300-\u036f]/g, '');
    await invite(email);
    const find = async (searchName: string) => (await installation.bus.ask(listInvites, { searchName }, owner)).totalCount;
    expect(await find('ZOË.mül')).toBe(1);
    expect(await find('%')).toBe(0);
    expect(await find('   ')).toBe(2);
  });

  it('are paged without repeating or skipping a row, even if all were sent at the same moment', async () => {
    await installation.bus.ask(saveInvite, { ...asMember, emails: Array.from({ length: 24 }, address) }, owner);
    const pages = await Promise.all(
      [1, 2, 3, 4].map((pageNo) => installation.bus.ask(listInvites, { pageNo, pageSize: 7, sortColumn: 'roleTypeID' }, owner)),
    );
    expect(new Set(pages.flatMap(({ rows }) => rows.map((row) => row.TeamInviteID))).size).toBe(25);
    expect(pages.map(({ totalCount }) => totalCount)).toEqual([25, 25, 25, 25]);
  });

  it('of another organization are unknown to every endpoint', async () => {
    const stranger = { principal: (await installation.organization()).owner };
    const TeamInviteKeyID = await invite(address());
    const memberAdminID = organization.owner.memberId ?? '';
    const { bus } = installation;
    await expect(bus.ask(getInvite, { TeamInviteKeyID }, stranger)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(bus.ask(revokeInvite, { teamInviteKeyID: TeamInviteKeyID }, stranger)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(bus.ask(removeMember, { memberAdminID }, stranger)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const change = { ...asMember, action: 'UPDATE', TeamInviteKeyID } as const;
    await expect(bus.ask(saveInvite, change, stranger)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await bus.ask(listInvites, {}, stranger)).totalCount).toBe(1);
    expect((await bus.ask(listMailOutbox, {}, stranger)).totalCount).toBe(0);
  });
});
