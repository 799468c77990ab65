import { randomUUID } from 'node:crypto';
import {
  createOrganization,
  listMyOrganizations,
  listRoles,
  permissionsIn,
  readMemberPrincipal,
  readMyAccess,
} from '@parley/contracts';
import { Installation } from '../installation.suite';

describe('organizations', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await Installation.start();
  });
  afterAll(() => installation.stop());

  const wanted = () => ({
    OrgKeyID: randomUUID(),
    OrganizationName: 'Demo Bazaar',
    timezone: 'Asia/Kolkata',
    defaultRegion: 'IN',
    owner: { email: `Owner-${randomUUID()}@Example.com`, name: 'Asha Kulkarni' },
  });

  it('are created once, however often and concurrently they are requested', async () => {
    const body = wanted();
    const answers = await Promise.all(Array.from({ length: 8 }, () => installation.bus.ask(createOrganization, body)));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    const later = await installation.bus.ask(createOrganization, { ...body, OrganizationName: 'Renamed' });
    expect(later).toEqual(answers[0]);
  });

  it('give their first Owner all rights, by role', async () => {
    const { bus } = installation;
    const { OrgID, OrgKeyID, memberAdminID, userID } = await bus.ask(createOrganization, wanted());
    const principal = await installation.principalOf(OrgID, memberAdminID);
    expect(principal).toMatchObject({ orgId: OrgID, memberId: memberAdminID, userId: userID, roleTypeId: 1 });
    expect(permissionsIn('billing', principal)).toEqual(['CanView', 'CanAdd', 'CanUpdate', 'CanDelete']);
    expect(principal).not.toHaveProperty('agentIds');
    await expect(bus.ask(readMyAccess, {}, { principal })).resolves.toMatchObject({
      OrgID,
      OrgKeyID,
      memberAdminID,
      userID,
      roleTypeID: 1,
      roleName: 'Owner',
      agentAccessScope: 'ALL',
      userType: 'Web',
    });
  });

  it('are listed only to a person who belongs to several', async () => {
    const owner = { email: `many-${randomUUID()}@example.com`, name: 'Many Hats' };
    const first = await installation.organization(owner);
    const second = await installation.organization({ ...owner, email: owner.email.toUpperCase() });
    await installation.organization();
    const mine = await installation.bus.ask(listMyOrganizations, {}, { principal: second.owner });
    expect(mine.map(({ OrgID, isCurrent }) => ({ OrgID, isCurrent }))).toEqual([
      { OrgID: first.OrgID, isCurrent: false },
      { OrgID: second.OrgID, isCurrent: true },
    ]);
  });

  it('do not know another organization’s members', async () => {
    const [one, other] = [await installation.organization(), await installation.organization()];
    const foreign = { orgId: one.OrgID, memberId: other.owner.memberId ?? '' };
    await expect(installation.bus.ask(readMemberPrincipal, foreign)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const nobody = { orgId: one.OrgID, memberId: randomUUID() };
    await expect(installation.bus.ask(readMemberPrincipal, nobody)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('refuse a caller who is no member', async () => {
    const { owner } = await installation.organization();
    const { memberId: _, ...nobody } = owner;
    await expect(installation.bus.ask(readMyAccess, {}, { principal: nobody })).rejects.toMatchObject({ code: 'SCOPE_MISSING' });
  });

  it('have four roles, named in the reader’s language', async () => {
    const { owner } = await installation.organization();
    const roles = await installation.bus.ask(listRoles, {}, { principal: owner });
    expect(roles.map(({ name }) => name)).toEqual(['Owner', 'Admin', 'Member', 'Viewer']);
    const labelsIn = async (language: 'en' | 'hi' | 'mr') =>
      (await installation.bus.ask(listRoles, { language }, { principal: owner })).map(({ label }) => label);
    expect(await labelsIn('en')).toEqual(['Owner', 'Admin', 'Member', 'Viewer']);
    expect(await labelsIn('hi')).toEqual(['स्वामी', 'व्यवस्थापक', 'सदस्य', 'दर्शक']);
    expect(await labelsIn('mr')).toEqual(['मालक', 'प्रशासक', 'सदस्य', 'दर्शक']);
  });
});
