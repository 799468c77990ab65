import type { z } from 'zod';
import {
  acceptInvite,
  AgentTool,
  agentKeyExample,
  bindImei,
  ChatBody,
  examplesOf,
  getAgent,
  listAgents,
  listKeys,
  listRepresentatives,
  previewVoice,
  resetImei,
  saveAgent,
  saveBusinessProfile,
  saveContact,
  saveDocument,
  saveInvite,
  saveKnowledgeBase,
  savePlan,
  saveRuntimeConfig,
  SpeechText,
} from '.';

/** The first example of a schema with some fields changed. */
function varied(schema: z.ZodType, change: Record<string, unknown>): unknown {
  return Object.assign({}, examplesOf(schema)[0], change);
}

function complaints(schema: z.ZodType, change: Record<string, unknown>): string[] {
  const { error } = schema.safeParse(varied(schema, change));
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

const profile = { business_name: 'Demo Bazaar', timezone: 'Asia/Kolkata' };

describe('takes what the specification allows', () => {
  it.each([
    ['30 emoji as a name of 30 characters', saveAgent.request, { AgentName: '🛒'.repeat(30) }],
    ['15 Devanagari letters with their vowel signs', saveAgent.request, { AgentName: 'की'.repeat(15) }],
    ['a description of 10 characters', saveAgent.request, { AgentDescription: 'x'.repeat(10) }],
    ['a description of 1200 characters', saveAgent.request, { AgentDescription: 'x'.repeat(1200) }],
    ['a noise filter of 0', saveRuntimeConfig.request, { BackgroundNoiceFilterCount: 0 }],
    ['a noise filter of 100', saveRuntimeConfig.request, { BackgroundNoiceFilterCount: 100 }],
    ['a pace of 0.7', SpeechText, { pace: 0.7 }],
    ['a pace of 1.2', SpeechText, { pace: 1.2 }],
    ['5,000 characters that take two code units each', SpeechText, { text: '𝄞'.repeat(5000) }],
    ['a page of 200 rows', listAgents.request, { pageSize: 200 }],
    ['an empty IMEI, which clears the lock', resetImei.request, { IMEI: '' }],
    ['an empty document id, which makes a new document', saveDocument.request, { KBDocumentKeyID: '' }],
    ['a day as a bound', listRepresentatives.request, { fromDate: '2026-03-01', toDate: '2026-03-01' }],
    ['an instant as a bound', listRepresentatives.request, { fromDate: '2026-03-01T00:00:00+05:30' }],
    ['a field that nobody knows', saveContact.request, { favouriteColour: 'blue' }],
  ])('%s', (_what, schema, change) => {
    expect(complaints(schema, change)).toEqual([]);
  });

  it('what stays as it is left out of a change, but nothing left out of a new agent, whatever the template', () => {
    expect(saveAgent.request.safeParse({ AgentKeyID: agentKeyExample, ToneID: 2 })).toMatchObject({ success: true });
    const { error } = saveAgent.request.safeParse({ TemplateID: 1, AgentName: 'Maya' });
    const missing = [
      'AgentDescription',
      'AgentTypeID',
      'RegionTypeID',
      'TimeZoneID',
      'IndustryTypeID',
      'LanguageID',
      'ToneID',
      'IconID',
    ];
    expect(error?.issues.map(({ path, message }) => [path[0], message])).toEqual(missing.map((field) => [field, 'is required']));
  });
});

describe('refuses what the specification forbids', () => {
  it.each([
    ['31 letters as a name', saveAgent.request, { AgentName: 'x'.repeat(31) }, 'AgentName'],
    ['a name that is only space', saveAgent.request, { AgentName: '   ' }, 'AgentName'],
    ['a name of one endless character', saveAgent.request, { AgentName: `e${'\u0301'.repeat(100_000)}` }, 'AgentName'],
    ['a NUL character', saveAgent.request, { AgentName: 'a\0b' }, 'AgentName'],
    ['a description of 9 characters', saveAgent.request, { AgentDescription: 'x'.repeat(9) }, 'AgentDescription'],
    ['a description of 1201 characters', saveAgent.request, { AgentDescription: 'x'.repeat(1201) }, 'AgentDescription'],
    ['a number as text', saveAgent.request, { ToneID: '1' }, 'ToneID'],
    ['an id that no column holds', saveAgent.request, { ToneID: 2 ** 31 }, 'ToneID'],
    ['a noise filter of 101', saveRuntimeConfig.request, { BackgroundNoiceFilterCount: 101 }, 'BackgroundNoiceFilterCount'],
    ['2 as a switch', saveRuntimeConfig.request, { IsAllowInteruption: 2 }, 'IsAllowInteruption'],
    ['true as a switch', saveRuntimeConfig.request, { IsEnableDTMF: true }, 'IsEnableDTMF'],
    ['a pace of 1.21', SpeechText, { pace: 1.21 }, 'pace'],
    ['5,001 characters', SpeechText, { text: 'x'.repeat(5001) }, 'text'],
    ['a language of no voice', SpeechText, { language: 'french' }, 'language'],
    ['a page of 201 rows', listAgents.request, { pageSize: 201 }, 'pageSize'],
    ['page 0', listAgents.request, { pageNo: 0 }, 'pageNo'],
    ['half a page', listAgents.request, { pageNo: 1.5 }, 'pageNo'],
    ['an empty text as a page of a query', listKeys.request, { pageNo: '' }, 'pageNo'],
    ['a word as a page of a query', listKeys.request, { pageNo: 'two' }, 'pageNo'],
    ['a day that is in no calendar', listRepresentatives.request, { fromDate: '2026-02-30' }, 'fromDate'],
    [
      'a range that ends before it starts',
      listRepresentatives.request,
      { fromDate: '2026-03-02', toDate: '2026-03-01' },
      'fromDate',
    ],
    ['a key that is no UUID', getAgent.request, { AgentKeyID: '1; drop table' }, 'AgentKeyID'],
    ['an IMEI with a wrong check digit', bindImei.request, { IMEI: '490154203237519' }, 'IMEI'],
    ['an IMEI of zeros', bindImei.request, { IMEI: '000000000000000' }, 'IMEI'],
    ['an IMEI of 14 digits', bindImei.request, { IMEI: '49015420323751' }, 'IMEI'],
    [
      'a mode that is neither voice nor chat',
      saveKnowledgeBase.request,
      { ConversationalModeIDs: '1,3' },
      'ConversationalModeIDs',
    ],
    ['a speed of nothing', previewVoice.request, { speed: '' }, 'speed'],
    [
      'words as a telephone number',
      saveBusinessProfile.request,
      { businessInfo: { ...profile, support_phone: 'call me' } },
      'businessInfo.support_phone',
    ],
    [
      'a number without its country',
      saveBusinessProfile.request,
      { businessInfo: { ...profile, support_phone: '020 2550 1234' } },
      'businessInfo.support_phone',
    ],
    ['an invitation of nobody', saveInvite.request, { emails: [] }, 'emails'],
    ['both ways to accept at once', acceptInvite.request, { TeamInviteKeyID: '2c4e6a80-1b3d-4f57-9a7b-8c9d0e1f2a3b' }, 'token'],
    ['chat without a question', ChatBody, { question: undefined }, 'question'],
    ['spoken chat without sound', ChatBody, { connectionType: 'stt' }, 'audioFile'],
  ])('%s', (_what, schema, change, field) => {
    expect(complaints(schema, change)).toEqual([expect.stringMatching(new RegExp(`^${field}: `))]);
  });

  it.each(['x@exämple.com', 'रमेश@उदाहरण.भारत'])(
    'an address that mail cannot be sent to, and says how it is written: %s',
    (email) => {
      expect(complaints(saveInvite.request, { emails: [email] })).toEqual([expect.stringContaining('in Latin letters')]);
    },
  );

  it.each([
    { keys: { chat: { limit: 1, windowSeconds: 60 } } },
    { key: {}, organisation: {} },
    { key: { chatt: { limit: 1, windowSeconds: 60 } } },
    { key: { chat: { limit: 1, windowSeconds: 60, burst: 2 } } },
  ])('a plan of misspelt limits, which would limit nothing: %j', (limits) => {
    expect(savePlan.request.safeParse({ name: 'tiny', limits })).toMatchObject({ success: false });
  });

  it('another column than the allowed ones, which it names', () => {
    const complaint = 'sortColumn: must be one of CreatedOn, UpdatedOn, AgentName, AgentID';
    expect(complaints(listAgents.request, { sortColumn: 'password' })).toEqual([complaint]);
  });

  it('hours that no clock shows', () => {
    const hours = { day: 'Monday', open_time: '13:00 PM', close_time: '07:00 PM', is_open: true };
    const businessInfo = { business_name: 'B', timezone: 'Asia/Kolkata', working_hours: [hours] };
    const complaint = 'businessInfo.working_hours.0.open_time: must be a time such as 09:30 AM';
    expect(complaints(saveBusinessProfile.request, { businessInfo })).toEqual([complaint]);
  });
});

describe('fills in', () => {
  it('the paging of a list that says nothing', () => {
    expect(listAgents.request.parse({})).toEqual({
      searchName: '',
      pageNo: 1,
      pageSize: 20,
      sortColumn: 'CreatedOn',
      sortOrder: 'DESC',
    });
  });

  it('numbers that arrive as text in a query', () => {
    expect(listKeys.request.parse({ pageNo: '3', pageSize: '50' })).toMatchObject({ pageNo: 3, pageSize: 50 });
  });
});

it.each([
  'Transfer-Encoding',
  'content-length',
  'Host',
  'connection',
  'Upgrade',
  'expect',
  'TE',
  'trailer',
  'Proxy-Authorization',
])('a tool has no header %s of its own', (name) => {
  const [tool] = examplesOf(AgentTool);
  const headers = [{ name, value: 'x' }];
  expect(AgentTool.safeParse(Object.assign({}, tool, { headers })).success).toBe(false);
  expect(AgentTool.safeParse(Object.assign({}, tool, { headers: [{ name: 'x-host', value: 'x' }] })).success).toBe(true);
});
