import { randomUUID } from 'node:crypto';
import { callStateChanged, examplesOf, getCampaignDashboard, getDashboardCount, campaignStatusChanged } from '@parley/contracts';
import type { z } from 'zod';
import { Installation } from '../installation.suite';
import { recounts } from '../testing/recounts';

type CallEvent = z.input<typeof callStateChanged.payload>;

const [example] = examplesOf(callStateChanged.payload) as [CallEvent];
const march = { startDate: '2026-03-01', endDate: '2026-03-31' };

let installation: Installation;
beforeAll(async () => {
  installation = await Installation.start();
});
afterAll(() => installation.stop());

function aCall(changes: Partial<CallEvent> = {}): CallEvent {
  return { ...example, CallKeyID: randomUUID(), CampaignID: null, CampaignContactID: null, ...changes };
}

const tell = (orgId: number, ...calls: CallEvent[]) =>
  Promise.all(calls.map((call) => installation.tell(callStateChanged, orgId, call)));

describe('get-dashboard-count', () => {
  it('counts calls by outcome, and adds up', async () => {
    const { orgId, owner } = installation.organization();
    await tell(
      orgId,
      aCall({ durationSeconds: 100 }),
      aCall({ durationSeconds: 51 }),
      aCall({ state: 'MISSED', answeredAt: null, durationSeconds: 0 }),
      aCall({ state: 'FAILED', answeredAt: null, durationSeconds: 0 }),
      aCall({ state: 'CANCELLED', answeredAt: null, durationSeconds: 0 }),
      aCall({ state: 'RINGING', answeredAt: null, endedAt: null, durationSeconds: 0 }),
    );
    const { series, ...counts } = await installation.bus.ask(getDashboardCount, march, { principal: owner });
    expect(counts).toEqual({
      totalCalls: 6,
      completed: 2,
      answered: 2,
      missed: 1,
      failed: 1,
      cancelled: 1,
      open: 1,
      averageDurationSeconds: 75.5,
    });
    expect(series).toHaveLength(31);
    expect(series.filter(({ totalCalls }) => totalCalls > 0).map(({ date }) => date)).toEqual(['2026-03-02']);
    const days = await installation.recount(recounts.getDashboardCount, [
      orgId,
      '2026-03-01',
      '2026-03-31',
      'Asia/Kolkata',
      null,
    ]);
    expect(series.filter(({ totalCalls }) => totalCalls > 0)).toEqual(days);
  });

  it('no longer counts a call as answered once it turns out that it could not be taken', async () => {
    const { orgId, owner } = installation.organization();
    const begun = aCall({ state: 'IN_PROGRESS', endedAt: null, durationSeconds: 0 });
    await tell(orgId, aCall({ durationSeconds: 40 }), begun);
    await tell(orgId, { ...begun, state: 'FAILED', answeredAt: null, endedAt: '2026-03-02T09:30:08.200Z' });
    const counts = await installation.bus.ask(getDashboardCount, march, { principal: owner });
    expect(counts).toMatchObject({ totalCalls: 2, answered: 1, failed: 1, averageDurationSeconds: 40 });
  });

  it('counts an event once, however often and late it arrives', async () => {
    const { orgId, owner } = installation.organization();
    const call = aCall();
    const ended = { id: randomUUID(), occurredAt: '2026-03-02T09:33:00.000Z' };
    await installation.tell(callStateChanged, orgId, call, ended);
    await installation.tell(callStateChanged, orgId, { ...call, state: 'QUEUED' }, { occurredAt: '2026-03-02T09:30:00.000Z' });
    const counts = await installation.bus.ask(getDashboardCount, march, { principal: owner });
    expect(counts).toMatchObject({ totalCalls: 1, completed: 1, open: 0 });
  });

  it.each([
    ['Asia/Kolkata', '2026-03-02T18:29:59.000Z', '2026-03-02'],
    ['Asia/Kolkata', '2026-03-02T18:30:00.000Z', '2026-03-03'],
    ['Asia/Kathmandu', '2026-03-02T18:14:59.000Z', '2026-03-02'],
    ['Asia/Kathmandu', '2026-03-02T18:15:00.000Z', '2026-03-03'],
    ['America/New_York', '2026-03-08T04:59:00.000Z', '2026-03-07'],
    ['America/New_York', '2026-03-09T03:59:00.000Z', '2026-03-08'],
  ])('counts a call in %s at %s on %s', async (timeZone, queuedAt, date) => {
    const { orgId, owner } = installation.organization();
    await tell(orgId, aCall({ queuedAt }));
    const { series } = await installation.bus.ask(getDashboardCount, { ...march, timeZone }, { principal: owner });
    expect(series.filter(({ totalCalls }) => totalCalls > 0).map((day) => day.date)).toEqual([date]);
  });

  it('counts to the millisecond if a bound is an instant', async () => {
    const { orgId, owner } = installation.organization();
    const queued = ['09:07:00.000', '09:14:59.999', '09:15:00.000', '09:31:00.000', '09:31:00.001'];
    await tell(orgId, ...queued.map((time) => aCall({ queuedAt: `2026-03-02T${time}Z` })));
    const count = async (startDate: string, endDate: string) =>
      (await installation.bus.ask(getDashboardCount, { startDate, endDate }, { principal: owner })).totalCalls;
    expect(await count('2026-03-02T09:07:00.000Z', '2026-03-02T09:31:00.000Z')).toBe(4);
    expect(await count('2026-03-02T09:07:00.001Z', '2026-03-02T09:14:59.998Z')).toBe(0);
    expect(await count('2026-03-02T09:15:00.000Z', '2026-03-02T09:31:00.001Z')).toBe(3);
  });

  it('shows restricted members their agents only', async () => {
    const { orgId, owner } = installation.organization();
    await tell(orgId, aCall({ AgentID: 12 }), aCall({ AgentID: 12 }), aCall({ AgentID: 13 }));
    const member = { ...owner, roleTypeId: 3, agentIds: [13] };
    expect(await installation.bus.ask(getDashboardCount, march, { principal: member })).toMatchObject({ totalCalls: 1 });
    const asked = installation.bus.ask(getDashboardCount, { ...march, agentIds: [12] }, { principal: member });
    await expect(asked).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('hides other organizations’ calls', async () => {
    const [{ orgId }, { owner: stranger }] = [installation.organization(), installation.organization()];
    await tell(orgId, aCall());
    expect(await installation.bus.ask(getDashboardCount, march, { principal: stranger })).toMatchObject({ totalCalls: 0 });
  });

  it.each([
    ['a reversed range', { startDate: '2026-03-31', endDate: '2026-03-01' }, 'VALIDATION_FAILED'],
    ['a day after an instant', { startDate: '2026-03-03', endDate: '2026-03-02T00:00:00Z' }, 'VALIDATION_FAILED'],
    ['a huge range', { startDate: '1900-01-01', endDate: '2100-01-01' }, 'VALIDATION_FAILED'],
    ['a zone that does not exist', { ...march, timeZone: 'Mars/Olympus_Mons' }, 'VALIDATION_FAILED'],
    ['a zone that is an offset', { ...march, timeZone: '+05:30' }, 'VALIDATION_FAILED'],
    ['an agent that does not exist', { ...march, agentIds: [4711] }, 'NOT_FOUND'],
  ])('refuses %s', async (_what, query, code) => {
    const { owner } = installation.organization();
    await expect(installation.bus.ask(getDashboardCount, query, { principal: owner })).rejects.toMatchObject({ code });
  });

  it('still names a deleted agent that has calls', async () => {
    const { orgId, owner } = installation.organization();
    await tell(orgId, aCall({ AgentID: 4712 }));
    const counts = installation.bus.ask(getDashboardCount, { ...march, agentIds: [4712] }, { principal: owner });
    await expect(counts).resolves.toMatchObject({ totalCalls: 1 });
  });
});

describe('get-campaign-dashboard', () => {
  const campaign = { CampaignKeyID: randomUUID(), CampaignName: 'March renewals', status: 'RUNNING', contactCount: 10 } as const;

  it('counts calls and reached contacts, by campaign and in total', async () => {
    const { orgId, owner } = installation.organization();
    await installation.tell(campaignStatusChanged, orgId, { ...campaign, CampaignID: 3 });
    await installation.tell(campaignStatusChanged, orgId, { ...campaign, CampaignID: 4, CampaignKeyID: randomUUID() });
    await tell(
      orgId,
      aCall({ CampaignID: 3, ContactID: 1, state: 'MISSED', answeredAt: null }),
      aCall({ CampaignID: 3, ContactID: 1 }),
      aCall({ CampaignID: 3, ContactID: 1 }),
      aCall({ CampaignID: 3, ContactID: 2 }),
      aCall({ CampaignID: 3, ContactID: 5, outcome: 'VOICEMAIL' }),
      aCall({ CampaignID: null }),
    );
    const dashboard = await installation.bus.ask(getCampaignDashboard, {}, { principal: owner });
    expect(dashboard.campaigns.map(({ CampaignID, totalCalls }) => [CampaignID, totalCalls])).toEqual([
      [4, 0],
      [3, 5],
    ]);
    expect(dashboard.campaigns[1]).toMatchObject({ answered: 4, missed: 1, contactsReached: 2, answerRate: 0.8 });
    expect(dashboard.total).toMatchObject({ totalCalls: 5, contactsReached: 2, contactCount: 20, answerRate: 0.8 });
    // Contacts that came as a list have an id within their campaign only.
    await tell(orgId, ...[501, 502, 502].map((id) => aCall({ CampaignID: 4, CampaignContactID: id, ContactID: null })));
    const listed = await installation.bus.ask(getCampaignDashboard, { campaignIds: [4] }, { principal: owner });
    expect(listed.campaigns).toMatchObject([{ answered: 3, contactsReached: 2 }]);
    const counted = await installation.recount(recounts.getCampaignDashboard, [orgId, '2026-03-01', '2026-03-31', 'UTC', null]);
    expect([...dashboard.campaigns.slice(1), ...listed.campaigns]).toMatchObject(counted);
  });

  it('keeps the latest status, in any order of events', async () => {
    const { orgId, owner } = installation.organization();
    const at = (second: number) => ({ occurredAt: `2026-03-02T09:00:0${second}.000Z` });
    await installation.tell(campaignStatusChanged, orgId, { ...campaign, CampaignID: 3, status: 'COMPLETED' }, at(2));
    await installation.tell(campaignStatusChanged, orgId, { ...campaign, CampaignID: 3, status: 'RUNNING' }, at(1));
    const { campaigns } = await installation.bus.ask(getCampaignDashboard, {}, { principal: owner });
    expect(campaigns).toMatchObject([{ status: 'COMPLETED' }]);
  });

  it('shows restricted members only their agents’ campaigns, and knows no others', async () => {
    const { orgId, owner } = installation.organization();
    for (const CampaignID of [3, 4]) await installation.tell(campaignStatusChanged, orgId, { ...campaign, CampaignID });
    await tell(orgId, aCall({ CampaignID: 3, AgentID: 12 }), aCall({ CampaignID: 4, AgentID: 13 }));
    const member = { ...owner, roleTypeId: 3, agentIds: [13] };
    const { campaigns, total } = await installation.bus.ask(getCampaignDashboard, {}, { principal: member });
    expect(campaigns).toMatchObject([{ CampaignID: 4, totalCalls: 1 }]);
    expect(total).toMatchObject({ totalCalls: 1 });
    const asked = installation.bus.ask(getCampaignDashboard, { campaignIds: [3] }, { principal: member });
    await expect(asked).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
