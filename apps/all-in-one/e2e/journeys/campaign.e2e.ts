import { eventually, recordOf } from '@parley/testing';
import { z } from 'zod';
import { get, post, sendForm } from '../platform/client';
import { demo } from '../platform/platform';

const caller = '+15550177';
/** Whatever the time of the test, calls are legal in one of these countries. */
const places = [
  { beginning: '+573100', timeZone: 'America/Bogota', lastHour: 18 },
  { beginning: '+919820', timeZone: 'Asia/Kolkata', lastHour: 19 },
  { beginning: '+6799', timeZone: 'Pacific/Fiji', lastHour: 18 },
];
const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** A number that may be called for at least another hour. Its last two digits determine how its phone behaves. */
function openNumber(ending: string): string {
  const hourIn = (timeZone: string) =>
    Number(new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', hourCycle: 'h23' }).format());
  const place = places.find(({ timeZone, lastHour }) => hourIn(timeZone) >= 9 && hourIn(timeZone) <= lastHour);
  if (!place) throw new Error('nobody may be called anywhere');
  return place.beginning.padEnd(place.beginning.startsWith('+6799') ? 9 : 11, '2') + ending;
}

const campaign = (path: string, body: object) => post(`/api/v1/external/campaign/${path}`, body, demo().workspaceKey);
/** Keys have rate limits. */
const askEveryMs = 500;
const reaches = (what: string, isTrue: () => Promise<boolean>) => eventually(what, isTrue, undefined, askEveryMs);
const dataOf = (reply: { readonly body: { readonly data: unknown } }) => recordOf(reply.body.data);

async function saved(CampaignName: string, change: object = {}): Promise<string> {
  const reply = await campaign('add-update-campaign', {
    CampaignName,
    AgentID: demo().AgentID,
    CallerNumber: caller,
    CallingHours: { days, from: '00:00', to: '23:59' },
    CallsPerMinute: 60,
    Retry: { maxAttempts: 1 },
    ringSeconds: 10,
    ResultSchema: { properties: { will_pay: { type: 'boolean', description: 'Whether they will pay.' } } },
    ...change,
  });
  expect(reply).toMatchObject({ status: 200, body: { data: { status: 'DRAFT' } } });
  return String(dataOf(reply).CampaignKeyID);
}

async function upload(CampaignKeyID: string, numbers: readonly string[]): Promise<object> {
  const rows = numbers.map((number, index) => `${number},Person ${index},${100 * index}`);
  const file = new File([['Mobile,Name,Amount', ...rows, 'twelve,Nobody,0'].join('\n')], 'due.csv', { type: 'text/csv' });
  const mapping = JSON.stringify({ Mobile: 'ContactNumber', Name: 'CustomerName', Amount: 'due_amount' });
  return dataOf(
    await sendForm('/api/v1/external/campaign/upload-contacts', demo().workspaceKey, { CampaignKeyID, mapping, file }),
  );
}

const read = async (CampaignKeyID: string) =>
  dataOf(await get(`/api/v1/external/campaign/get-campaign?CampaignKeyID=${CampaignKeyID}`, demo().workspaceKey));

describe('a campaign', () => {
  beforeAll(async () => {
    const wish = { CarrierAccountKeyID: null, carrier: 'loopback', AccountName: 'Campaigns', credentials: {} };
    const account = await post('/api/v1/external/number/add-update-carrier-account', wish, demo().workspaceKey);
    const { CarrierAccountKeyID } = dataOf(account);
    const number = { CarrierAccountKeyID, number: caller, AgentID: demo().AgentID, isDefault: 0 };
    expect((await post('/api/v1/external/number/add-update-number', number, demo().workspaceKey)).status).toBe(200);
  });

  it('calls those of a mapped file, each once, and shows, counts and exports what came of it', async () => {
    const [talks, busy, silent, listed] = ['01', '02', '03', '11'].map(openNumber);
    if (!talks || !busy || !silent || !listed) throw new Error('a number is missing');
    const CampaignKeyID = await saved('Due amounts');
    expect(await upload(CampaignKeyID, [talks, busy, silent, listed])).toMatchObject({
      addedCount: 4,
      errorCount: 1,
      errors: [{ row: 6, field: 'ContactNumber' }],
    });
    const preview = dataOf(await campaign('preview', { CampaignKeyID }));
    expect(preview).toMatchObject({ ContactNumber: talks, variables: { name: 'Person 0', due_amount: '0' } });
    expect(preview.greeting).toMatch(/./);
    await campaign('add-do-not-call', { ContactNumbers: [listed], reason: 'asked in a letter' });
    expect((await campaign('start', { CampaignKeyID })).status).toBe(200);
    await reaches('it is over', async () => (await read(CampaignKeyID)).status === 'COMPLETED');
    const list = async () => {
      const { body } = await campaign('contact-list', { CampaignKeyID, sortOrder: 'ASC' });
      return z.looseObject({ result: z.unknown(), resultReason: z.unknown() }).array().parse(body.data);
    };
    expect(await read(CampaignKeyID)).toMatchObject({
      contactCount: 4,
      progress: { waiting: 0, active: 0, completed: 1, missed: 2, failed: 0, doNotCall: 1, cancelled: 0 },
    });
    const learned = async () => {
      const [first] = await list();
      return first?.result !== null || first.resultReason !== null;
    };
    await reaches('it is known what was said', learned);
    expect(await list()).toMatchObject([
      { ContactNumber: talks, state: 'COMPLETED', disposition: 'REACHED', attempts: 1 },
      { ContactNumber: busy, state: 'MISSED', disposition: 'BUSY', attempts: 1, result: null },
      { ContactNumber: silent, state: 'MISSED', disposition: 'NO_ANSWER', attempts: 1 },
      { ContactNumber: listed, state: 'DO_NOT_CALL', disposition: 'DO_NOT_CALL', attempts: 0 },
    ]);
    const { CampaignID } = await read(CampaignKeyID);
    const { body } = await post('/api/v1/external/call/call-list', { CampaignID }, demo().workspaceKey);
    const calls = z.object({ to: z.string() }).array().parse(body.data);
    expect(calls.map(({ to }) => to).toSorted()).toEqual([talks, busy, silent].toSorted());
    const csv = String((await campaign('export-contacts', { CampaignKeyID })).body);
    const [title = '', ...lines] = csv.split('\r\n').map((line) => line.split(','));
    expect(title).toEqual(expect.arrayContaining(['CallKeyID', 'lastOutcome', 'due_amount', 'will_pay', 'resultReason']));
    const shown = ['ContactNumber', 'state', 'attempts', 'disposition', 'due_amount'].map((column) => title.indexOf(column));
    expect(lines.map((cells) => shown.map((at) => cells[at]))).toContainEqual([busy, 'MISSED', '1', 'BUSY', '100']);
  });

  it('stops when it is paused, goes on when it is resumed, and can be cancelled', async () => {
    const CampaignKeyID = await saved('Pausing', { CallsPerMinute: 20, MaxConcurrentCalls: 20 });
    const numbers = Array.from(
      { length: 60 },
      (_, index) => openNumber('02').slice(0, -4) + String(index).padStart(2, '0') + '02',
    );
    expect(await upload(CampaignKeyID, numbers)).toMatchObject({ addedCount: 60 });
    expect((await campaign('start', { CampaignKeyID })).status).toBe(200);
    const { CampaignID } = await read(CampaignKeyID);
    const counted = z.object({ totalCount: z.int() });
    const count = async () =>
      counted.parse((await post('/api/v1/external/call/call-list', { CampaignID }, demo().workspaceKey)).body).totalCount;
    await reaches('it calls', async () => (await count()) > 0);
    expect((await campaign('pause', { CampaignKeyID })).status).toBe(200);
    const remaining = async () => {
      const { progress } = await read(CampaignKeyID);
      return z.object({ waiting: z.int(), active: z.int() }).parse(progress);
    };
    await reaches('the calls that it had begun are over', async () => (await remaining()).active === 0);
    const placed = await count();
    expect((await remaining()).waiting).toBe(60 - placed);
    expect((await campaign('resume', { CampaignKeyID })).status).toBe(200);
    expect((await campaign('cancel', { CampaignKeyID })).status).toBe(200);
    const isCleared = async () => {
      const { waiting, active } = await remaining();
      return waiting + active === 0;
    };
    await reaches('nobody waits', isCleared);
  });
});
