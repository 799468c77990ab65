import type { CampaignPlan, PlannedContact } from '../plan/campaign';
import { describeCampaignStore } from '../plan/campaign-store.suite';
import { MemoryCampaignStore } from './memory-store';

const usual: Omit<CampaignPlan, 'id'> = {
  orgId: 1,
  status: 'RUNNING',
  calling: { fromMinute: 540, toMinute: 1200, weekdays: [1, 2, 3, 4, 5], holidays: [], legalHours: {} },
  retry: { attemptsMax: 3, on: {} },
  pacing: { callsPerMinute: 60, linesMax: 20, conversationsMax: 20, abandonedShareMax: 0 },
  breaker: { failures: 5, among: 10 },
  organizationLinesMax: 50,
  callsPerNumberMax: 3,
  callers: ['+912025501234'],
  regions: ['IN Asia/Kolkata'],
};

describeCampaignStore('the store in memory', () => {
  let now = Date.parse('2026-03-02T12:00:00Z');
  let campaigns = 0;
  const listed = new Set<string>();
  const store = new MemoryCampaignStore(
    () => now,
    (number) => listed.has(number),
  );
  return Promise.resolve({
    store,
    advance: (ms) => (now += ms),
    campaign: (count, changed) => {
      const id = (campaigns += 1);
      const contacts = Array.from({ length: count }, (_, index): PlannedContact => ({
        ...{
          id: id * 1000 + index,
          campaignId: id,
          number: `+9198${String(id * 1000 + index).padStart(8, '0')}`,
          region: 'IN Asia/Kolkata',
          state: 'WAITING',
        },
        ...{ attempt: 1, dueAt: now, isBooked: false, bookings: 0, tries: [] },
      }));
      store.add({ ...usual, id, ...changed }, contacts);
      return Promise.resolve(id);
    },
    setStatus: (id, status) => Promise.resolve(store.setStatus(id, status)),
    list: (number) => Promise.resolve(void listed.add(number)),
    setLegalHours: (legalHours) => Promise.resolve(store.setLegalHours(1, legalHours)),
    contacts: (id) => Promise.resolve([...store.contacts(id)]),
    status: (id) => Promise.resolve(store.campaign(id).status),
    close: () => Promise.resolve(),
  });
});
