import { randomUUID } from 'node:crypto';
import {
  contactsAssigned,
  getCallTrends,
  getSalesLeaderboard,
  getSalesSummary,
  getTargetAchievement,
  salesCallLogged,
  salesTargetSet,
} from '@parley/contracts';
import { dayOf } from '@parley/service-kit';
import { Installation } from '../installation.suite';
import { recounts } from '../testing/recounts';

const march = { startDate: '2026-03-01', endDate: '2026-03-31' };
const gone = { SalesUserKeyID: randomUUID(), SalesUserID: 7, name: 'Ravi Joshi' };

let installation: Installation;
beforeAll(async () => {
  installation = await Installation.start();
  installation.surroundings.team = [5, 6].map((id) => ({
    SalesUserKeyID: randomUUID(),
    SalesUserID: id,
    name: `Representative ${id}`,
  }));
  installation.surroundings.left = [gone];
});
afterAll(() => installation.stop());

type Outcome = 'CONNECTED' | 'NO_ANSWER' | 'CONVERTED' | 'CALLBACK';

function report(orgId: number, SalesUserID: number, outcome: Outcome, startedAt = '2026-03-02T09:00:00Z'): Promise<void> {
  const call = { SalesCallKeyID: randomUUID(), SalesUserID, ContactID: null, startedAt, durationSeconds: 60, outcome };
  return installation.tell(salesCallLogged, orgId, call);
}

describe('the sales team', () => {
  it('is summed up as in a recount, including those who left', async () => {
    const { orgId, owner } = installation.organization();
    for (const [id, outcome] of [
      [5, 'CONNECTED'],
      [5, 'NO_ANSWER'],
      [6, 'CONVERTED'],
      [7, 'CALLBACK'],
    ] as const)
      await report(orgId, id, outcome);
    for (const count of [120, -20])
      await installation.tell(contactsAssigned, orgId, {
        SalesUserID: 5,
        SalesUserKeyID: randomUUID(),
        count,
        source: 'MAPPING',
      });
    // The local day: from 18:30 UTC on it is the next one.
    const today = dayOf(new Date(), 'Asia/Kolkata');
    const summary = await installation.bus.ask(
      getSalesSummary,
      { startDate: '2026-03-01', endDate: today },
      { principal: owner },
    );
    expect(summary).toMatchObject({ calls: 4, connectedCalls: 3, talkSeconds: 180, conversions: 1, connectRate: 0.75 });
    expect(summary).toMatchObject({ representativeCount: 3, assignedContacts: 100 });
    const values = [orgId, '2026-03-01', today, 'Asia/Kolkata', null];
    expect([summary]).toMatchObject(await installation.recount(recounts.getSalesSummary, values));
  });

  it('counts a call that is reported twice once, on the day it began', async () => {
    const { orgId, owner } = installation.organization();
    const call = {
      SalesCallKeyID: randomUUID(),
      SalesUserID: 5,
      ContactID: null,
      startedAt: '2026-03-01T23:59:00+05:30',
      durationSeconds: 60,
      outcome: 'CONNECTED' as const,
    };
    await installation.tell(salesCallLogged, orgId, call);
    await installation.tell(salesCallLogged, orgId, call);
    const { series } = await installation.bus.ask(getCallTrends, march, { principal: owner });
    expect(series.filter(({ calls }) => calls > 0)).toMatchObject([{ date: '2026-03-01', calls: 1 }]);
  });

  it('counts a call as in its latest report, whichever arrives first', async () => {
    const { orgId, owner } = installation.organization();
    const at = { SalesCallKeyID: randomUUID(), ContactID: null, startedAt: '2026-03-02T09:00:00Z' };
    const first = { ...at, SalesUserID: 5, durationSeconds: 5, outcome: 'NO_ANSWER' as const };
    const later = { ...at, SalesUserID: 6, durationSeconds: 95, outcome: 'CONVERTED' as const };
    await installation.tell(salesCallLogged, orgId, later, { occurredAt: '2026-03-02T11:00:00.000Z' });
    await installation.tell(salesCallLogged, orgId, first, { occurredAt: '2026-03-02T10:00:00.000Z' });
    const summary = await installation.bus.ask(getSalesSummary, march, { principal: owner });
    expect(summary).toMatchObject({ calls: 1, connectedCalls: 1, talkSeconds: 95, conversions: 1 });
    expect([summary]).toMatchObject(
      await installation.recount(recounts.getSalesSummary, [orgId, march.startDate, march.endDate, 'Asia/Kolkata', null]),
    );
  });

  it('ranks the best first, ties sharing a rank, in either order and by pages', async () => {
    const { orgId, owner } = installation.organization();
    for (const id of [5, 6, 7]) await report(orgId, id, 'CONVERTED');
    await report(orgId, 6, 'CONVERTED');
    const board = async (more: object) =>
      (await installation.bus.ask(getSalesLeaderboard, { ...march, ...more }, { principal: owner })).rows;
    expect((await board({})).map(({ rank, SalesUserID }) => [rank, SalesUserID])).toEqual([
      [1, 6],
      [2, 5],
      [2, 7],
    ]);
    expect((await board({ sortOrder: 'ASC' })).map(({ rank }) => rank)).toEqual([2, 2, 1]);
    expect((await board({ pageNo: 2, pageSize: 2 })).map(({ name }) => name)).toEqual([gone.name]);
  });

  it('contains nobody who never was a representative', async () => {
    const { owner } = installation.organization();
    const asked = installation.bus.ask(getSalesSummary, { ...march, SalesUserIDs: [99] }, { principal: owner });
    await expect(asked).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('targets', () => {
  const target = { SalesTargetKeyID: randomUUID(), SalesTargetID: 3, SalesUserID: 5, metric: 'CALLS' as const };

  it('are reached by what happened on their own days, even if fewer are queried', async () => {
    const { orgId, owner } = installation.organization();
    await installation.tell(salesTargetSet, orgId, { ...target, target: 4, ...march });
    for (const day of ['2026-02-28', '2026-03-01', '2026-03-31']) await report(orgId, 5, 'NO_ANSWER', `${day}T09:00:00Z`);
    const query = { startDate: '2026-03-30', endDate: '2026-04-02' };
    const { targets } = await installation.bus.ask(getTargetAchievement, query, { principal: owner });
    expect(targets).toMatchObject([{ SalesTargetID: 3, target: 4, achieved: 2, achievement: 0.5, ...march }]);
    const before = { startDate: '2026-02-01', endDate: '2026-02-28' };
    expect(await installation.bus.ask(getTargetAchievement, before, { principal: owner })).toEqual({ targets: [] });
  });

  it('are those set last', async () => {
    const { orgId, owner } = installation.organization();
    const at = (second: number) => ({ occurredAt: `2026-03-01T00:00:0${second}.000Z` });
    await installation.tell(salesTargetSet, orgId, { ...target, target: 9, ...march }, at(2));
    await installation.tell(salesTargetSet, orgId, { ...target, target: 4, ...march }, at(1));
    const { targets } = await installation.bus.ask(getTargetAchievement, march, { principal: owner });
    expect(targets).toMatchObject([{ target: 9 }]);
  });
});

describe('trends', () => {
  it.each([
    ['America/New_York', '2026-03-08', 23],
    ['America/New_York', '2026-11-01', 25],
    ['Asia/Kolkata', '2026-03-08', 24],
  ])('of a day in %s on %s have %i hours', async (timeZone, day, hours) => {
    const { owner } = installation.organization();
    const query = { startDate: day, endDate: day, timeZone, interval: 'hour' as const };
    const { series } = await installation.bus.ask(getCallTrends, query, { principal: owner });
    expect(series).toHaveLength(hours);
  });

  it.each([
    ['hour', ['2026-03-02T08:30:00.000Z', '2026-03-02T09:30:00.000Z']],
    ['week', ['2026-02-22T18:30:00.000Z', '2026-03-01T18:30:00.000Z']],
    ['month', ['2026-01-31T18:30:00.000Z', '2026-02-28T18:30:00.000Z']],
  ] as const)('by %s put each call in its step', async (interval, expected) => {
    const { orgId, owner } = installation.organization();
    const started = { hour: '2026-03-02T09:29:59.999Z', week: '2026-03-01T18:29:59.999Z', month: '2026-02-28T18:29:59.999Z' };
    const first = started[interval];
    await report(orgId, 5, 'CONNECTED', first);
    await report(orgId, 5, 'CONNECTED', new Date(Date.parse(first) + 1).toISOString());
    const query = { startDate: '2026-02-01', endDate: '2026-03-31', interval };
    const { series } = await installation.bus.ask(getCallTrends, query, { principal: owner });
    expect(series.filter(({ calls }) => calls > 0).map(({ at }) => at)).toEqual(expected);
    expect(series.reduce((total, { calls }) => total + calls, 0)).toBe(2);
  });

  it('by hour are refused for more than 150 days', async () => {
    const { owner } = installation.organization();
    const query = { startDate: '2026-01-01', endDate: '2026-12-31', interval: 'hour' as const };
    await expect(installation.bus.ask(getCallTrends, query, { principal: owner })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
  });
});
