import { randomUUID } from 'node:crypto';
import {
  callStateChanged,
  conversationEnded,
  examplesOf,
  getConversationFigures,
  getFaqHits,
  getLatencyFigures,
  getTodayCounts,
  getUnansweredQuestions,
  getUsageFigures,
  getVoiceQuality,
  TurnFact,
  usageRecorded,
  watchTodayCounts,
} from '@parley/contracts';
import { eventually } from '@parley/testing';
import { Installation } from '../installation.suite';
import { recounts } from '../testing/recounts';

const march = { startDate: '2026-03-01', endDate: '2026-03-31' };
const inMarch = (orgId: number, agentIds: number[] | null = null) => [
  orgId,
  march.startDate,
  march.endDate,
  'Asia/Kolkata',
  agentIds,
];
const turnExample = TurnFact.parse(examplesOf(TurnFact)[0]);
const [sessionExample] = conversationEnded.payload.array().parse(examplesOf(conversationEnded.payload));
const [callExample] = callStateChanged.payload.array().parse(examplesOf(callStateChanged.payload));

let installation: Installation;
beforeAll(async () => {
  installation = await Installation.start();
});
afterAll(() => installation.stop());

function aTurn(orgId: number, changes: Partial<TurnFact> = {}): TurnFact {
  return { ...turnExample, orgId, turnUUID: randomUUID(), sessionUUID: randomUUID(), question: null, isKnown: true, ...changes };
}

/** Stores turns where conversation reports them, and waits until they are counted. */
async function converse(orgId: number, ...turns: TurnFact[]): Promise<void> {
  installation.surroundings.turns.push(...turns);
  const counted = async () =>
    Number((await installation.recount('SELECT count(*) AS turns FROM turn_facts WHERE org_id = $1', [orgId]))[0]?.['turns']);
  const count = new Set(turns.map(({ turnUUID }) => turnUUID)).size;
  await eventually('turns are counted', async () => (await counted()) === count);
}

const waits = (totalMs: number) => ({
  endOfTurnMs: null,
  transcriptionMs: 90,
  retrievalMs: null,
  firstTokenMs: totalMs / 2,
  firstAudioMs: null,
  pacingMs: null,
  totalMs,
});

describe('latency', () => {
  it('is within 4 % of the true percentiles, for each agent, channel and part', async () => {
    const { orgId, owner } = installation.organization();
    const turns = Array.from({ length: 200 }, (_, index) =>
      aTurn(orgId, { AgentID: 12 + (index % 2), latency: waits(3 + index * index * 0.7) }),
    );
    await converse(orgId, ...turns, aTurn(orgId, { latency: waits(90_000), status: 'DISCARDED' }));
    const { agents } = await installation.bus.ask(getLatencyFigures, march, { principal: owner });
    const told = agents.flatMap(({ AgentID, channel, parts }) => parts.map((part) => ({ AgentID, channel, ...part })));
    const exact = await installation.recount(recounts.getLatencyFigures, inMarch(orgId));
    expect(told).toHaveLength(exact.length);
    expect(exact.length).toBe(6);
    for (const truth of exact) {
      const found = told.find((each) => each.AgentID === truth['AgentID'] && each.part === truth['part']);
      expect(found?.turns).toBe(truth['turns']);
      for (const percentile of ['p50Ms', 'p90Ms', 'p95Ms', 'p99Ms'] as const) {
        const [is, ought] = [Number(found?.[percentile]), Number(truth[percentile])];
        expect(Math.abs(is - ought) / ought).toBeLessThan(0.0405);
      }
    }
  });

  it('is 0 if nobody waited', async () => {
    const { orgId, owner } = installation.organization();
    await converse(orgId, ...[0, 0, 0.4].map((pacingMs) => aTurn(orgId, { latency: { ...waits(640), pacingMs } })));
    const { agents } = await installation.bus.ask(getLatencyFigures, march, { principal: owner });
    const pacing = agents[0]?.parts.find(({ part }) => part === 'pacing');
    expect(pacing).toEqual({ part: 'pacing', turns: 3, p50Ms: 0, p90Ms: 0, p95Ms: 0, p99Ms: 0 });
  });
});

describe('usage', () => {
  it('shows credits and tokens by agent and day, limited to a restricted member’s agents', async () => {
    const { orgId, owner } = installation.organization();
    const at = { occurredAt: '2026-03-02T18:31:00.000Z' };
    for (const [AgentID, kind, units] of [
      [12, 'TTT_API', 400],
      [12, 'TTT_API', 12],
      [13, 'TTS_API', 30],
      [null, 'STT_API', 7],
    ] as const)
      await installation.tell(usageRecorded, orgId, { kind, units, requests: 2, AgentID }, at);
    const asked = { askedAt: '2026-03-02T18:31:00Z', promptTokens: 100, completionTokens: 9, audioSeconds: 3 };
    await converse(orgId, aTurn(orgId, asked), aTurn(orgId, { ...asked, status: 'DISCARDED' }));
    const usage = await installation.bus.ask(getUsageFigures, march, { principal: owner });
    expect(usage).toMatchObject({ credits: { TTT_API: 412, TTS_API: 30, STT_API: 7 }, requests: 8, promptTokens: 100 });
    expect(usage.byDay.map(({ date, AgentID }) => [date, AgentID])).toEqual([
      ['2026-03-03', null],
      ['2026-03-03', 12],
      ['2026-03-03', 13],
    ]);
    expect(usage.byDay[1]).toMatchObject({ credits: { TTT_API: 412 }, promptTokens: 100, completionTokens: 9, audioSeconds: 3 });
    expect(usage.byDay.slice(1, 2)).toMatchObject(await installation.recount(recounts.usedByTurns, inMarch(orgId)));
    const counted = await installation.recount(recounts.getUsageFigures, inMarch(orgId));
    expect(counted.map(({ units }) => units)).toEqual([412, 30, 7]);
    const member = { ...owner, agentIds: [13] };
    const own = await installation.bus.ask(getUsageFigures, march, { principal: member });
    expect(own).toMatchObject({ credits: { TTT_API: 0, TTS_API: 30, STT_API: 0 }, byDay: [{ AgentID: 13 }] });
  });
});

describe('conversations', () => {
  it('are counted by outcome, break-off and language, the same as a recount', async () => {
    const { orgId, owner } = installation.organization();
    const ended = (changes: object) =>
      sessionExample && installation.tell(conversationEnded, orgId, { ...sessionExample, sessionUUID: randomUUID(), ...changes });
    await ended({ channel: 'PHONE', reason: 'ENDED_BY_USER', turnCount: 2 });
    await ended({ channel: 'PHONE', reason: 'CALL_ENDED', outcome: 'ABANDONED', turnCount: 0 });
    await ended({ channel: 'PHONE', reason: 'TRANSFERRED', outcome: 'TRANSFERRED' });
    await ended({ AgentID: 13, outcome: 'ABANDONED', turnCount: 0 });
    await ended({ AgentID: 13, outcome: 'UNANSWERED' });
    await converse(
      orgId,
      aTurn(orgId, { turnNumber: 1 }),
      aTurn(orgId, { turnNumber: 2, status: 'INTERRUPTED', language: 'hindi' }),
      aTurn(orgId, { turnNumber: 25, status: 'FAILED' }),
      aTurn(orgId, { turnNumber: 2, status: 'DISCARDED' }),
    );
    const figures = await installation.bus.ask(getConversationFigures, march, { principal: owner });
    expect(figures).toMatchObject({ conversations: 5, engaged: 3, contained: 2, containmentRate: 0.6667, hungUp: 1 });
    expect(figures).toMatchObject({ turns: 3, interruptedTurns: 1, failedTurns: 1, lostTurns: 0 });
    expect(figures.byTurn).toEqual([
      { turn: 1, turns: 1, interruptedTurns: 0, hungUp: 0 },
      { turn: 2, turns: 1, interruptedTurns: 1, hungUp: 1 },
      { turn: 20, turns: 1, interruptedTurns: 0, hungUp: 0 },
    ]);
    expect(figures.languages.map(({ language, turns }) => ({ language, turns }))).toEqual(
      await installation.recount(recounts.turnsByLanguage, inMarch(orgId)),
    );
    expect(figures.agents).toMatchObject(await installation.recount(recounts.getConversationFigures, inMarch(orgId)));
    const places = await installation.recount(recounts.turnsByPlace, inMarch(orgId));
    expect(figures.byTurn).toMatchObject(places);
    const own = await installation.bus.ask(getConversationFigures, march, { principal: { ...owner, agentIds: [13] } });
    expect(own.agents).toMatchObject(await installation.recount(recounts.getConversationFigures, inMarch(orgId, [13])));
    expect(own).toMatchObject({ conversations: 2, turns: 0 });
  });

  it('report which providers failed and how, the same as a recount', async () => {
    const { orgId, owner } = installation.organization();
    const failed = (provider: string, kind: 'BUSY' | 'TIMEOUT') => ({ role: 'LANGUAGE_MODEL' as const, provider, kind });
    await converse(
      orgId,
      aTurn(orgId, { providerErrors: [failed('first', 'BUSY'), failed('second', 'TIMEOUT')], status: 'FAILED' }),
      aTurn(orgId, { providerErrors: [failed('first', 'BUSY')], AgentID: 13 }),
      aTurn(orgId, { providerErrors: [failed('first', 'TIMEOUT')], status: 'DISCARDED' }),
      aTurn(orgId),
    );
    const { providerErrors } = await installation.bus.ask(getConversationFigures, march, { principal: owner });
    expect(providerErrors).toEqual([
      { ...failed('first', 'BUSY'), errors: 2 },
      { ...failed('second', 'TIMEOUT'), errors: 1 },
    ]);
    expect(providerErrors).toEqual(await installation.recount(recounts.providerErrors, inMarch(orgId)));
    const own = await installation.bus.ask(getConversationFigures, march, { principal: { ...owner, agentIds: [13] } });
    expect(own.providerErrors).toEqual(await installation.recount(recounts.providerErrors, inMarch(orgId, [13])));
    expect(own.providerErrors).toEqual([{ ...failed('first', 'BUSY'), errors: 1 }]);
  });

  it('in which the caller was not heard report the failed engines, and count as failed, not as contained', async () => {
    const { orgId, owner } = installation.organization();
    const ended = (changes: object) =>
      sessionExample && installation.tell(conversationEnded, orgId, { ...sessionExample, sessionUUID: randomUUID(), ...changes });
    const deaf = { role: 'SPEECH_TO_TEXT', provider: 'deepgram', kind: 'TIMEOUT' } as const;
    const unheard = { channel: 'PHONE', turnCount: 0, outcome: 'FAILED', isUnheard: true, providerErrors: [deaf, deaf] };
    await ended({ ...unheard, startedAt: '2026-03-02T18:31:00Z', heardSeconds: 4, spokenSeconds: 9 });
    await ended({ channel: 'PHONE', startedAt: '2026-03-02T18:31:00Z', heardSeconds: 60, spokenSeconds: 21 });
    await ended({ ...unheard, AgentID: 13 });
    await ended({});
    await converse(orgId, aTurn(orgId, { providerErrors: [deaf] }));
    for (const principal of [owner, { ...owner, agentIds: [13] }]) {
      const only = principal === owner ? null : [13];
      const figures = await installation.bus.ask(getConversationFigures, march, { principal });
      const agents = await installation.recount(recounts.getConversationFigures, inMarch(orgId, only));
      expect(figures.agents).toMatchObject(agents);
      expect(figures.providerErrors).toEqual(await installation.recount(recounts.providerErrors, inMarch(orgId, only)));
      expect(figures.providerErrors).toEqual([{ ...deaf, errors: only ? 2 : 5 }]);
    }
    const figures = await installation.bus.ask(getConversationFigures, march, { principal: owner });
    expect(figures).toMatchObject({ conversations: 4, engaged: 2, contained: 2, failed: 2, unheard: 2, abandoned: 0 });
    const usage = await installation.bus.ask(getUsageFigures, march, { principal: owner });
    expect(usage).toMatchObject({ heardSeconds: 64, spokenSeconds: 30, audioSeconds: 3 });
    const sounded = usage.byDay.filter(({ heardSeconds }) => heardSeconds > 0);
    expect(sounded).toMatchObject([{ date: '2026-03-03', AgentID: 12, heardSeconds: 64, spokenSeconds: 30 }]);
    const recounted = await installation.recount(recounts.soundOfConversations, inMarch(orgId));
    expect(recounted.filter(({ heardSeconds }) => Number(heardSeconds) > 0)).toEqual([
      { date: '2026-03-03', AgentID: 12, heardSeconds: 64, spokenSeconds: 30 },
    ]);
  });

  it('that are resumed and end again count once, by their last end', async () => {
    const { orgId, owner } = installation.organization();
    if (!sessionExample) throw new Error('no example');
    const later = { occurredAt: '2026-03-02T12:00:00.000Z' };
    await installation.tell(conversationEnded, orgId, { ...sessionExample, outcome: 'UNANSWERED' }, later);
    await installation.tell(conversationEnded, orgId, sessionExample, { occurredAt: '2026-03-02T11:00:00.000Z' });
    const figures = await installation.bus.ask(getConversationFigures, march, { principal: owner });
    expect(figures).toMatchObject({ conversations: 1, answered: 0, unanswered: 1 });
  });

  it('are updated when a turn is corrected later', async () => {
    const { orgId, owner } = installation.organization();
    const turn = aTurn(orgId);
    await converse(orgId, turn);
    installation.surroundings.turns.push({ ...turn, status: 'DISCARDED' });
    const turns = async () => (await installation.bus.ask(getConversationFigures, march, { principal: owner })).turns;
    await eventually('the turn counts no more', async () => (await turns()) === 0);
    expect(await installation.recount('SELECT 1 FROM turn_quarters WHERE org_id = $1', [orgId])).toEqual([]);
  });
});

describe('unanswered questions', () => {
  const asked = (orgId: number, question: string, changes: Partial<TurnFact> = {}) =>
    aTurn(orgId, { question, isKnown: false, ...changes });

  it('are grouped by meaning, with examples and a suggested FAQ', async () => {
    const { orgId, owner } = installation.organization();
    await converse(
      orgId,
      asked(orgId, 'Do you deliver to Nashik?'),
      asked(orgId, 'do you deliver to nashik'),
      asked(orgId, 'Can it be delivered to Nashik?', { AgentID: 13 }),
      asked(orgId, 'Who owns the company?'),
      asked(orgId, 'Hello there'),
      asked(orgId, 'Something known indeed', { isKnown: true }),
    );
    const found = await installation.bus.ask(getUnansweredQuestions, march, { principal: owner });
    expect(found.questions).toBe(4);
    expect(await installation.recount(recounts.getUnansweredQuestions, inMarch(orgId))).toEqual([{ questions: 4 }]);
    expect(found.groups.map(({ count, conversations, AgentIDs }) => ({ count, conversations, AgentIDs }))).toEqual([
      { count: 3, conversations: 3, AgentIDs: [12, 13] },
      { count: 1, conversations: 1, AgentIDs: [12] },
    ]);
    expect(found.groups[0]?.examples).toHaveLength(2);
    expect(found.groups[0]?.addFaq).toMatchObject({
      path: '/api/v1/external/kb-faq/add-update-faq',
      body: { KBID: 4, faqs: [{ KBFAQID: 0, Question: found.groups[0]?.question, Answer: '' }] },
    });
    const own = await installation.bus.ask(getUnansweredQuestions, march, { principal: { ...owner, agentIds: [13] } });
    expect(own.groups).toMatchObject([{ count: 1, AgentIDs: [13] }]);
  });

  it('contain no names of people', async () => {
    const { orgId, owner } = installation.organization();
    await converse(orgId, asked(orgId, 'Please call +91 98200 12345 or write to asha.patil@example.com about order 7'));
    const { groups } = await installation.bus.ask(getUnansweredQuestions, march, { principal: owner });
    expect(groups[0]?.question).toBe('Please call … or write to …@… about order 7');
  });

  it.each([
    ['Why was ९८७६५४३२१० charged for dragons?', 'Why was … charged for dragons?'],
    ['माझा नंबर +९१ ९८२२०-१२३४५ वर ड्रॅगन का आला?', 'माझा नंबर … वर ड्रॅगन का आला?'],
    ['Call me on ９８７６５‑４３２１０ or on ٩٨٧٦٥٤٣٢١٠', 'Call me on … or on …'],
    ['மூன்று பொருட்கள் ௯௮௭௬௫௪௩௨௧௦ எங்கே', 'மூன்று பொருட்கள் … எங்கே'],
    ['Open on 25 December 2026, 25.12.2026 or 2026-12-25?', 'Open on 25 December 2026, 25.12.2026 or 2026-12-25?'],
    ['२५-१२-२०२६ रोजी सुरू आहे का?', '२५-१२-२०२६ रोजी सुरू आहे का?'],
    ['Is it 100 - 200 or 020 2612 3456 now?', 'Is it 100 - 200 or … now?'],
    ['Paid on 25.12.2026 98200 12345 by whom', 'Paid on 25.12.2026 … by whom'],
    ['Open on 25.12.2026 10:30 or 2026-12-25 18:00-20:00?', 'Open on 25.12.2026 10:30 or 2026-12-25 18:00-20:00?'],
    ['A table on 31.12.2026 24 people, or 24. 12. 2026', 'A table on 31.12.2026 24 people, or 24. 12. 2026'],
    ['From 25.12.2026-28.12.2026 or 2026-12-25 2026-12-28', 'From 25.12.2026-28.12.2026 or 2026-12-25 2026-12-28'],
    ['On 25 12 2026, or 25/12/26-28/12/26 at 9:00', 'On 25 12 2026, or 25/12/26-28/12/26 at 9:00'],
    ['Ordered 25.12.2026,9876543210 by phone', 'Ordered 25.12.2026,… by phone'],
    ['Call me on 98765/43210 or 98765 / 43210 or 98765_43210', 'Call me on … or … or …'],
    ['Call 98765, 43210 or 98765\u200B43210 or 020/25501234', 'Call … or … or …'],
    ['Is 45-67-8901 or 99.99.9999 or 2550-12-34 yours', 'Is … or … or … yours'],
    ['Not +25.12.2026 nor 25.12.2026-9876 nor 7-25.12.2026', 'Not … nor … nor …'],
    ['A flat of ₹1,00,00,000 in 2024, 2025 or 2026', 'A flat of ₹1,00,00,000 in 2024, 2025 or 2026'],
    ['माझी ऑर्डर ७ कधी येईल, ५०० रुपये?', 'माझी ऑर्डर ७ कधी येईल, ५०० रुपये?'],
  ])('contain no numbers in any script: %s', async (question, told) => {
    const { orgId, owner } = installation.organization();
    await converse(orgId, asked(orgId, question));
    const { groups } = await installation.bus.ask(getUnansweredQuestions, march, { principal: owner });
    expect(groups).toMatchObject([{ question: told, examples: [told], addFaq: { body: { faqs: [{ Question: told }] } } }]);
  });
});

it('counts how often each stored answer was given, under its latest wording', async () => {
  const { orgId, owner } = installation.organization();
  const given = (Question: string, askedAt: string, KBFAQID = 21) =>
    aTurn(orgId, { isFromFaq: true, faq: { KBFAQID, Question }, askedAt });
  await converse(
    orgId,
    given('When do you deliver?', '2026-03-02T09:00:00Z'),
    given('When is delivery?', '2026-03-03T09:00:00Z'),
    given('Of a base that is gone?', '2026-03-03T09:00:00Z', 1_021),
    aTurn(orgId),
  );
  const hits = await installation.bus.ask(getFaqHits, march, { principal: owner });
  expect(hits).toEqual({
    hits: 3,
    faqs: [
      { KBFAQKeyID: '00000000-0000-4000-8000-000000000021', KBFAQID: 21, Question: 'When is delivery?', hits: 2 },
      { KBFAQKeyID: null, KBFAQID: 1_021, Question: 'Of a base that is gone?', hits: 1 },
    ],
  });
  expect(await installation.recount(recounts.getFaqHits, inMarch(orgId))).toEqual([
    { KBFAQID: 21, hits: 2 },
    { KBFAQID: 1_021, hits: 1 },
  ]);
});

it('reports the sound of calls, the same as a recount', async () => {
  const { orgId, owner } = installation.organization();
  const call = (quality?: object) =>
    callExample &&
    installation.tell(callStateChanged, orgId, {
      ...callExample,
      CallKeyID: randomUUID(),
      ...(quality && { quality: { frames: 1000, lateFrames: 3, jitterMs: 4.5, isOneWay: false, ...quality } }),
    });
  await call({});
  await call({ lateFrames: 10, lostFrames: 1, frames: 1000, jitterMs: 9.25, isOneWay: true });
  await call();
  const { agents, series, ...quality } = await installation.bus.ask(getVoiceQuality, march, { principal: owner });
  expect([quality]).toEqual(await installation.recount(recounts.getVoiceQuality, inMarch(orgId)));
  expect(quality).toEqual({ calls: 2, lateFrameRate: 0.0065, lostFrameRate: 0.001, averageJitterMs: 6.88, oneWayCalls: 1 });
  expect(agents).toEqual([{ AgentID: 12, AgentKeyID: '00000000-0000-4000-8000-000000000012', ...quality }]);
  expect(series.filter(({ calls }) => calls > 0)).toEqual([{ date: '2026-03-02', ...quality }]);
});

describe('today’s counts', () => {
  const callNow = (orgId: number, changes: object = {}) =>
    callExample &&
    installation.tell(callStateChanged, orgId, {
      ...callExample,
      CallKeyID: randomUUID(),
      queuedAt: new Date().toISOString(),
      ...changes,
    });

  it('are sent on every change, and at once to a client that reconnects with outdated ones', async () => {
    const { orgId, owner } = installation.organization();
    const leaving = new AbortController();
    const watch = (after?: string) =>
      installation.bus
        .stream(watchTodayCounts, after ? { after } : {}, { principal: owner, signal: leaving.signal })
        [Symbol.asyncIterator]();
    const first = watch();
    expect((await first.next()).value).toMatchObject({ totalCalls: 0 });
    await callNow(orgId);
    const { value: told } = await first.next();
    expect(told).toMatchObject({ totalCalls: 1, completed: 1 });
    const missed = watch('2026-03-02_0');
    expect((await missed.next()).value).toMatchObject({ change: told.change });
    const upToDate = watch(told.change);
    const next = upToDate.next();
    await callNow(orgId, { state: 'MISSED', answeredAt: null });
    expect((await next).value).toMatchObject({ totalCalls: 2, missed: 1 });
    leaving.abort();
  });

  it('are limited to a restricted member’s agents', async () => {
    const { orgId, owner } = installation.organization();
    await callNow(orgId, { AgentID: 12 });
    await callNow(orgId, { AgentID: 13 });
    const own = await installation.bus.ask(getTodayCounts, {}, { principal: { ...owner, agentIds: [13] } });
    expect(own).toMatchObject({ totalCalls: 1 });
  });
});
