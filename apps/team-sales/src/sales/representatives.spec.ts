import { randomUUID } from 'node:crypto';
import {
  bindImei,
  deviceHash,
  listRepresentatives,
  listSalesUserChoices,
  logSalesCall,
  memberChanged,
  memberJoined,
  memberRemoved,
  removeMember,
  resetImei,
  salesCallLogged,
  saveContact,
  saveInvite,
  readSalesTarget,
  setSalesTarget,
} from '@parley/contracts';
import { Client } from 'pg';
import { countedFrom, Installation, type TestOrganization } from '../installation.suite';

const phone = '490154203237518';
const otherPhone = '356938035643809';
const invitation = { action: 'ADD', roleTypeID: 3, userType: 'Mobile App', agentAccessScope: 'ALL' } as const;

describe('sales representatives', () => {
  let installation: Installation;
  let organization: TestOrganization;
  let ask: Installation['bus']['ask'];
  let owner: { principal: TestOrganization['owner'] };

  beforeAll(async () => {
    installation = await Installation.start();
    ask = installation.bus.ask.bind(installation.bus);
  });
  beforeEach(async () => {
    organization = await installation.organization();
    owner = { principal: organization.owner };
  });
  afterAll(() => installation.stop());

  const team = async (query: object = {}) => ask(listRepresentatives, query, owner);
  const kept = async (callUUID: string) => {
    const client = new Client({ connectionString: installation.database.adminUrl, options: '-c search_path=team' });
    await client.connect();
    const found = await client.query('SELECT direction, notes, duration_seconds FROM sales_calls WHERE key_id = $1', [callUUID]);
    await client.end();
    return found.rows;
  };
  const states = async () => (await team({ sortColumn: 'email', sortOrder: 'ASC' })).rows.map(({ userStatus }) => userStatus);

  it('are the mobile members: invited, active, and remembered after they left', async () => {
    await ask(saveInvite, { ...invitation, emails: ['a@example.com'] }, owner);
    await installation.member(organization, { emails: ['b@example.com'], userType: 'Mobile App' });
    const gone = await installation.member(organization, { emails: ['c@example.com'], userType: 'Mobile App' });
    await installation.member(organization, { emails: ['d@example.com'], userType: 'Web' });
    await ask(removeMember, { memberAdminID: gone.memberId ?? '' }, owner);
    expect(await states()).toEqual(['INVITED', 'ACTIVE', 'INACTIVE']);
    expect((await ask(listSalesUserChoices, {}, owner)).map(({ name }) => name)).toEqual(['a', 'b']);
    expect((await team({ userStatus: 'ACTIVE' })).totalCount).toBe(1);
  });

  it('stop being representatives when they move to the web, and resume as the same ones', async () => {
    const { principal, SalesUserID } = await installation.representative(organization);
    const update = { ...invitation, action: 'UPDATE' as const, userID: principal.userId };
    await ask(saveInvite, { ...update, userType: 'Web' }, owner);
    expect(await states()).toEqual(['INACTIVE']);
    await ask(saveInvite, update, owner);
    expect((await team()).rows).toMatchObject([{ SalesUserID, userStatus: 'ACTIVE' }]);
  });

  it('publish events when they join, change and leave', async () => {
    const { principal } = await installation.representative(organization);
    const about = { memberAdminID: principal.memberId, userID: principal.userId, userType: 'Mobile App' };
    await ask(saveInvite, { ...invitation, action: 'UPDATE', userID: principal.userId, roleTypeID: 4 }, owner);
    await ask(removeMember, { memberAdminID: principal.memberId ?? '' }, owner);
    expect(await installation.events.of(memberJoined, organization.OrgID)).toMatchObject([{ ...about, roleTypeID: 3 }]);
    expect(await installation.events.of(memberChanged, organization.OrgID)).toMatchObject([{ ...about, roleTypeID: 4 }]);
    expect(await installation.events.of(memberRemoved, organization.OrgID)).toMatchObject([about]);
  });

  it('are bound to their first device until the lock is reset', async () => {
    const { principal, memberAdminID, email } = await installation.representative(organization);
    const seller = { principal };
    const awaitsDevice = async () =>
      (await installation.principalOf(organization.OrgID, memberAdminID ?? '')).awaitsDevice ?? false;
    expect(await awaitsDevice()).toBe(true);
    await expect(ask(bindImei, { IMEI: phone }, seller)).resolves.toMatchObject({ IMEI: phone, isBound: true });
    await expect(ask(bindImei, { IMEI: phone }, seller)).resolves.toMatchObject({ isBound: true });
    const deviceNow = async () => (await installation.principalOf(organization.OrgID, memberAdminID ?? '')).device;
    expect(await deviceNow()).toBe(deviceHash(phone));
    expect(await awaitsDevice()).toBe(false);
    await expect(ask(bindImei, { IMEI: otherPhone }, seller)).rejects.toMatchObject({ code: 'DEVICE_LOCKED', status: 403 });
    const lost = { memberAdminID: memberAdminID ?? '', email, IMEI: '' };
    await expect(ask(resetImei, { ...lost, email: 'mistyped@example.com' }, owner)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(ask(resetImei, lost, owner)).resolves.toMatchObject({ IMEI: '', isBound: false, boundOn: null });
    expect(await deviceNow()).toBeUndefined();
    expect(await awaitsDevice()).toBe(true);
    // Gateways are told of each change, or they would keep the member bound to the lost device.
    expect(await installation.events.of(memberChanged, organization.OrgID, 2)).toHaveLength(2);
    await ask(bindImei, { IMEI: otherPhone }, seller);
    const { rows } = await team();
    expect(rows).toMatchObject([{ isDeviceBound: true, lastSeenOn: expect.any(String) }]);
  });

  it('do not share a device', async () => {
    const [one, other] = [await installation.representative(organization), await installation.representative(organization)];
    await ask(bindImei, { IMEI: phone }, { principal: one.principal });
    await expect(ask(bindImei, { IMEI: phone }, { principal: other.principal })).rejects.toMatchObject({ code: 'CONFLICT' });
    const stranger = await installation.organization();
    const elsewhere = await installation.representative(stranger);
    await expect(ask(bindImei, { IMEI: phone }, { principal: elsewhere.principal })).resolves.toMatchObject({ isBound: true });
  });

  it('have devices in the mobile app only', async () => {
    await expect(ask(bindImei, { IMEI: phone }, owner)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('report each call once, to a contact or to a number', async () => {
    const { principal, SalesUserID } = await installation.representative(organization);
    const { ContactID } = await ask(saveContact, { CustomerName: 'Ravi', ContactNumber: '098200 12345', SalesUserID }, owner);
    const report = {
      callUUID: randomUUID(),
      startedAt: '2026-03-02T09:00:00Z',
      durationSeconds: 95,
      outcome: 'CONNECTED',
    } as const;
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => ask(logSalesCall, { ...report, ContactNumber: '+91 98200 12345' }, { principal })),
    );
    for (const answer of answers) expect(answer).toMatchObject({ SalesCallKeyID: report.callUUID, SalesUserID, ContactID });
    const logged = await installation.events.of(salesCallLogged, organization.OrgID);
    expect(logged).toMatchObject([{ SalesUserID, ContactID, durationSeconds: 95 }]);
    expect((await team()).rows).toMatchObject([{ callCount: 1, mappedContacts: 1 }]);
  });

  it('correct a call by reporting it again: given fields replace, others stay, and statistics are told', async () => {
    const { principal } = await installation.representative(organization);
    const other = await installation.representative(organization);
    const first = {
      callUUID: randomUUID(),
      startedAt: '2026-03-02T09:00:00Z',
      durationSeconds: 5,
      outcome: 'NO_ANSWER',
      direction: 'INBOUND',
      notes: 'rang twice',
      ContactNumber: '9820012345',
    } as const;
    const { direction: _, notes: __, ...later } = { ...first, durationSeconds: 95, outcome: 'CONVERTED' as const };
    const answers = [];
    for (const report of [first, later, later]) answers.push(await ask(logSalesCall, report, { principal }));
    expect(answers[1]).toEqual(answers[0]);
    const logged = await installation.events.of(salesCallLogged, organization.OrgID, 2);
    expect(logged).toMatchObject([
      { durationSeconds: 5, outcome: 'NO_ANSWER' },
      { durationSeconds: 95, outcome: 'CONVERTED' },
    ]);
    expect(await kept(first.callUUID)).toEqual([{ direction: 'INBOUND', notes: 'rang twice', duration_seconds: 95 }]);
    const refused = [
      ask(logSalesCall, { ...later, startedAt: '2026-03-02T09:00:01Z' }, { principal }),
      ask(logSalesCall, { ...later, durationSeconds: 1 }, { principal: other.principal }),
    ];
    for (const refusal of refused) await expect(refusal).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await kept(first.callUUID)).toMatchObject([{ duration_seconds: 95 }]);
    // An Admin may say whose call it was.
    const moved = await ask(logSalesCall, { ...later, SalesUserID: other.SalesUserID }, owner);
    expect(moved).toMatchObject({ SalesCallKeyID: first.callUUID, SalesUserID: other.SalesUserID });
  });

  it.each([
    ['2026-03-02T09:00:00.123Z', '2026-03-02T09:00:00.123456Z'],
    ['2026-03-02T09:00:00.123456Z', '2026-03-02T09:00:00.123Z'],
    ['2026-03-02T09:00:00.123Z', '2026-03-02T14:30:00.1239999+05:30'],
  ])('correct a call that began at %s even if the correction says %s', async (startedAt, again) => {
    const { principal } = await installation.representative(organization);
    const report = {
      callUUID: randomUUID(),
      startedAt,
      durationSeconds: 5,
      outcome: 'NO_ANSWER',
      ContactNumber: '9820012345',
    } as const;
    await ask(logSalesCall, report, { principal });
    await ask(logSalesCall, { ...report, startedAt: again, durationSeconds: 95, outcome: 'CONVERTED' }, { principal });
    expect(await kept(report.callUUID)).toMatchObject([{ duration_seconds: 95 }]);
    const [, correction] = await installation.events.of(salesCallLogged, organization.OrgID, 2);
    expect(correction).toMatchObject({ durationSeconds: 95, outcome: 'CONVERTED', startedAt: '2026-03-02T09:00:00.123Z' });
  });

  it('may be named by either id in calls and targets, and are returned with both', async () => {
    const { principal, SalesUserID, SalesUserKeyID } = await installation.representative(organization);
    const contact = await ask(saveContact, { CustomerName: 'Ravi', ContactNumber: '098200 12345', SalesUserID }, owner);
    const { ContactKeyID, ContactID } = contact;
    const report = { startedAt: '2026-03-02T09:00:00Z', durationSeconds: 95, outcome: 'CONNECTED' } as const;
    const both = { SalesUserKeyID, SalesUserID, ContactKeyID, ContactID };
    expect(await ask(logSalesCall, { ...report, ContactKeyID }, { principal })).toMatchObject(both);
    expect(await ask(logSalesCall, { ...report, ContactKeyID, SalesUserKeyID }, owner)).toMatchObject(both);
    const days = { metric: 'CALLS', target: 200, startDate: '2026-03-01', endDate: '2026-03-31' } as const;
    const target = await ask(setSalesTarget, { ...days, SalesUserKeyID }, owner);
    expect(target).toMatchObject({ SalesUserKeyID, SalesUserID });
    expect(await ask(readSalesTarget, { ...days, SalesUserID }, owner)).toEqual(target);
    await expect(ask(readSalesTarget, { ...days, metric: 'TALK_SECONDS', SalesUserID }, owner)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await ask(setSalesTarget, { ...days, SalesUserID }, owner)).toEqual(target);
    await expect(ask(setSalesTarget, days, owner)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  it('and contacts are unknown when two ids name two of them', async () => {
    const [one, other] = [await installation.representative(organization), await installation.representative(organization)];
    const { ContactKeyID } = await ask(saveContact, { CustomerName: 'Ravi', ContactNumber: '098200 12345' }, owner);
    const { ContactID } = await ask(saveContact, { CustomerName: 'Asha', ContactNumber: '098200 12346' }, owner);
    const two = { SalesUserKeyID: one.SalesUserKeyID, SalesUserID: other.SalesUserID };
    const days = { metric: 'CALLS', target: 200, startDate: '2026-03-01', endDate: '2026-03-31' } as const;
    const report = { startedAt: '2026-03-02T09:00:00Z', durationSeconds: 95, outcome: 'CONNECTED' } as const;
    const unknown = { code: 'NOT_FOUND' };
    await expect(ask(setSalesTarget, { ...days, ...two }, owner)).rejects.toMatchObject(unknown);
    await expect(ask(logSalesCall, { ...report, ...two, ContactKeyID }, owner)).rejects.toMatchObject(unknown);
    // The caller's own key beside another's id is nobody's either, and a member may not report for others.
    const own = ask(logSalesCall, { ...report, ...two, ContactKeyID }, { principal: one.principal });
    await expect(own).rejects.toMatchObject({ code: 'SCOPE_MISSING' });
    const mine = { SalesUserKeyID: one.SalesUserKeyID, SalesUserID: one.SalesUserID };
    const twoContacts = ask(logSalesCall, { ...report, ...mine, ContactKeyID, ContactID }, owner);
    await expect(twoContacts).rejects.toMatchObject(unknown);
    expect(await ask(logSalesCall, { ...report, ...mine, ContactKeyID }, owner)).toMatchObject({ ContactKeyID });
  });

  it('report only their own calls', async () => {
    const [one, other] = [await installation.representative(organization), await installation.representative(organization)];
    const report = {
      startedAt: '2026-03-02T09:00:00Z',
      durationSeconds: 5,
      outcome: 'BUSY',
      ContactNumber: '9820012345',
    } as const;
    const forged = ask(logSalesCall, { ...report, SalesUserID: other.SalesUserID }, { principal: one.principal });
    await expect(forged).rejects.toMatchObject({ code: 'SCOPE_MISSING' });
    await expect(ask(logSalesCall, { ...report, SalesUserID: one.SalesUserID }, owner)).resolves.toMatchObject({
      SalesUserID: one.SalesUserID,
    });
  });

  it('report no future calls', async () => {
    const { principal } = await installation.representative(organization);
    const report = { durationSeconds: 0, outcome: 'BUSY', ContactNumber: '9820012345' } as const;
    const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    await expect(ask(logSalesCall, { ...report, startedAt: inHours(23) }, { principal })).resolves.toBeDefined();
    await expect(ask(logSalesCall, { ...report, startedAt: inHours(25) }, { principal })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ field: 'startedAt', message: 'startedAt is in the future' }],
    });
  });

  it('report no calls for days whose calls were deleted, and say since when calls count', async () => {
    const { principal } = await installation.representative(organization);
    const report = { durationSeconds: 0, outcome: 'BUSY', ContactNumber: '9820012345' } as const;
    await expect(ask(logSalesCall, { ...report, startedAt: countedFrom }, { principal })).resolves.toBeDefined();
    const late = { ...report, startedAt: '2026-01-31T23:59:59.999Z' };
    await expect(ask(logSalesCall, late, { principal })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ field: 'startedAt', message: `startedAt is before ${countedFrom}: calls are counted from then on` }],
    });
    await installation.stopDashboards();
    await expect(ask(logSalesCall, late, { principal })).resolves.toBeDefined();
  });

  it.each([
    ['0001-01-01', '2026-03-31'],
    ['2026-03-01', '9999-12-31'],
  ])('have no target from %s to %s', async (startDate, endDate) => {
    const { SalesUserID } = await installation.representative(organization);
    const target = { SalesUserID, metric: 'CALLS', target: 200, startDate, endDate } as const;
    await expect(ask(setSalesTarget, target, owner)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  it('have one target per metric and span of days, which can be replaced', async () => {
    const { SalesUserID } = await installation.representative(organization);
    const target = { SalesUserID, metric: 'CALLS', target: 200, startDate: '2026-03-01', endDate: '2026-03-31' } as const;
    const first = await ask(setSalesTarget, target, owner);
    const second = await ask(setSalesTarget, { ...target, target: 250 }, owner);
    expect(second).toEqual({ ...first, target: 250 });
  });
});
