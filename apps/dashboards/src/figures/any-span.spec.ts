import { randomUUID } from 'node:crypto';
import {
  Fault,
  getCallTrends,
  getCampaignDashboard,
  getConversationFigures,
  getDashboardCount,
  getFaqHits,
  getLatencyFigures,
  getSalesLeaderboard,
  getSalesSummary,
  getTargetAchievement,
  getUnansweredQuestions,
  getUsageFigures,
  getVoiceQuality,
  type Principal,
  type RequestContract,
} from '@parley/contracts';
import { daysBetween, daysLater } from '@parley/service-kit';
import fc from 'fast-check';
import { Installation } from '../installation.suite';
import { recounts } from '../testing/recounts';

const orgId = 501;
const owner: Principal = { kind: 'wsk', keyId: 'spec', orgId, userId: 1, roleTypeId: 1 };
const agents = [11, 12, 13];
const zones = Intl.supportedValuesOf('timeZone');
/** A hundred days in which clocks are set in most zones that set them, in both directions. */
const days = daysBetween('2026-01-25', '2026-05-04');
const facts = 4_000;

let installation: Installation;
beforeAll(async () => {
  installation = await Installation.start();
  installation.surroundings.team = [1, 2, 3].map((id) => ({
    SalesUserKeyID: randomUUID(),
    SalesUserID: id,
    name: `Representative ${id}`,
  }));
  await drawFacts();
}, 120_000);
afterAll(() => installation.stop());

/** Facts at all hours of the day, drawn by Postgres and counted by a rebuild, as in an installation that has run for months. */
async function drawFacts(): Promise<void> {
  await installation.openMonths(['2026-01', '2026-02', '2026-03', '2026-04', '2026-05']);
  const drawn = `(SELECT n, ${orgId} AS org_id, 11 + (hashint4(n) & 1023) % 3 AS agent_id,
    timestamptz '${days[0]}T00:00Z' + ((hashint4(n + 1) & 1048575) % ${days.length * 1440}) * interval '1 minute' AS at
    FROM generate_series(1, ${facts}) n) d`;
  await installation.sql.query(`
    INSERT INTO call_facts (org_id, queued_at, call_key, call_id, agent_id, campaign_id, contact_id, direction, state, answered_at,
      duration_seconds, frames, late_frames, lost_frames, jitter_us, is_one_way, rank, told_at, told_by)
    SELECT org_id, at, gen_random_uuid(), n, agent_id, CASE n % 4 WHEN 0 THEN 3 END, n % 50, 'OUTBOUND',
      CASE WHEN n % 10 < 6 THEN 'COMPLETED' WHEN n % 10 < 8 THEN 'MISSED' ELSE 'FAILED' END, CASE WHEN n % 10 < 7 THEN at END, n % 300,
      CASE WHEN n % 10 < 6 THEN 1500 END, CASE WHEN n % 10 < 6 THEN n % 40 END, CASE WHEN n % 10 < 4 THEN n % 7 END,
      CASE WHEN n % 10 < 6 THEN 4000 + n % 5000 END, CASE WHEN n % 10 < 6 THEN n % 50 = 0 END, 3, at, n::text FROM ${drawn};
    INSERT INTO turn_facts (org_id, asked_at, turn_uuid, session_uuid, agent_id, channel, language, turn_number, status, is_from_faq,
      is_known, faq_id, faq_title, question, prompt_tokens, completion_tokens, audio_seconds, total_ms, provider_errors, rank, told_at, told_by)
    SELECT org_id, at, gen_random_uuid(), gen_random_uuid(), agent_id, 'PHONE', CASE n % 3 WHEN 0 THEN 'hindi' ELSE 'english' END,
      1 + n % 25, CASE WHEN n % 9 = 0 THEN 'INTERRUPTED' WHEN n % 9 = 1 THEN 'DISCARDED' ELSE 'COMPLETED' END, n % 4 = 0, n % 20 > 0,
      CASE WHEN n % 4 = 0 THEN n % 40 END, CASE WHEN n % 4 = 0 THEN 'When?' END, CASE WHEN n % 20 = 0 THEN 'is it number ' || n % 60 END,
      400, 40, 3, 100 + n % 900,
      CASE WHEN n % 15 = 0 THEN '[{"role":"LANGUAGE_MODEL","provider":"first","kind":"BUSY"}]'::jsonb END, 0, at, n::text FROM ${drawn};
    INSERT INTO usage_facts (org_id, charged_at, event_id, agent_id, kind, requests, units, rank, told_at, told_by)
    SELECT org_id, at, gen_random_uuid(), CASE n % 6 WHEN 0 THEN 0 ELSE agent_id END, CASE n % 2 WHEN 0 THEN 'TTT_API' ELSE 'STT_API' END,
      1, n % 90, 0, at, n::text FROM ${drawn};
    INSERT INTO session_facts (org_id, started_at, session_uuid, agent_id, channel, reason, outcome, duration_seconds, turn_count,
      total_tokens, rank, told_at, told_by)
    SELECT org_id, at, gen_random_uuid(), agent_id, 'PHONE', CASE n % 3 WHEN 0 THEN 'IDLE' ELSE 'ENDED_BY_USER' END,
      CASE n % 8 WHEN 0 THEN 'TRANSFERRED' ELSE 'ANSWERED' END, 60, n % 12, 4000, 0, at, n::text FROM ${drawn};
    INSERT INTO sales_call_facts (org_id, started_at, sales_call_key, representative_id, contact_id, duration_seconds, outcome, rank,
      told_at, told_by)
    SELECT org_id, at, gen_random_uuid(), agent_id - 10, n % 100, n % 300,
      (ARRAY['CONVERTED', 'CONNECTED', 'CALLBACK', 'NO_ANSWER', 'BUSY'])[1 + n % 5], 0, at, n::text FROM ${drawn};
    INSERT INTO assignment_facts (org_id, assigned_at, event_id, representative_id, contacts, rank, told_at, told_by)
    SELECT org_id, at, gen_random_uuid(), agent_id - 10, n % 20 - 4, 0, at, n::text FROM ${drawn};
    INSERT INTO sales_targets (org_id, target_key, target_id, representative_id, metric, target, start_date, end_date, told_at, told_by)
    SELECT ${orgId}, gen_random_uuid(), n, 1 + n % 3, (ARRAY['CALLS', 'CONNECTED_CALLS', 'TALK_SECONDS', 'CONVERSIONS'])[1 + n % 4], 100,
      date '2026-02-01' + n * 4, date '2026-02-20' + n * 5, now(), 'x' FROM generate_series(1, 12) n;
    INSERT INTO campaigns (org_id, campaign_id, campaign_key, name, status, contact_count, told_at, told_by)
    VALUES (${orgId}, 3, gen_random_uuid(), 'March', 'RUNNING', 50, now(), 'x')`);
  await installation.rebuild();
}

interface Asked {
  readonly startDate: string;
  readonly endDate: string;
  readonly timeZone: string;
  readonly agentIds: number[] | undefined;
}

/** Any span of days, of any zone, of any agents. */
const asked: fc.Arbitrary<Asked> = fc
  .record({
    first: fc.nat({ max: days.length - 1 }),
    length: fc.nat({ max: 100 }),
    timeZone: fc.oneof(
      fc.constantFrom(...zones),
      fc.constantFrom('Asia/Kolkata', 'America/New_York', 'Europe/London', 'Pacific/Auckland'),
    ),
    agentIds: fc.option(fc.subarray(agents, { minLength: 1 }), { nil: undefined }),
  })
  .map(({ first, length, timeZone, agentIds }) => {
    const startDate = days[first] ?? '';
    return { startDate, endDate: daysLater(startDate, length), timeZone, agentIds };
  });

const valuesOf = ({ startDate, endDate, timeZone, agentIds }: Asked) => [orgId, startDate, endDate, timeZone, agentIds ?? null];
const span = ({ startDate, endDate, timeZone }: Asked) => ({ startDate, endDate, timeZone });
const askedBy = ({ agentIds }: Asked) => ({ principal: { ...owner, ...(agentIds && { roleTypeId: 3, agentIds }) } });

describe('figures of any span, in any time zone, for whoever may see some agents only', () => {
  it('are those of a recount, day by day', async () => {
    await fc.assert(
      fc.asyncProperty(asked, async (query) => {
        const { series } = await installation.bus.ask(getDashboardCount, span(query), askedBy(query));
        const counted = await installation.recount(recounts.getDashboardCount, valuesOf(query));
        expect(series.filter(({ totalCalls }) => totalCalls > 0)).toEqual(counted);
        expect(series.map(({ date }) => date)).toEqual(daysBetween(query.startDate, query.endDate));
      }),
      { numRuns: 60 },
    );
  });

  it('are those of a recount to the millisecond where bounds are instants', async () => {
    const instant = fc.date({ min: new Date('2026-01-25'), max: new Date('2026-05-04'), noInvalidDate: true });
    await fc.assert(
      fc.asyncProperty(instant, instant, fc.constantFrom(...zones), async (one, other, timeZone) => {
        const [startDate = '', endDate = ''] = [one, other].map((at) => at.toISOString()).toSorted();
        const { totalCalls } = await installation.bus.ask(
          getDashboardCount,
          { startDate, endDate, timeZone },
          { principal: owner },
        );
        const text = 'SELECT count(*)::int AS calls FROM call_facts WHERE org_id = $1 AND queued_at BETWEEN $2 AND $3';
        expect([{ calls: totalCalls }]).toEqual(await installation.recount(text, [orgId, startDate, endDate]));
      }),
      { numRuns: 30 },
    );
  });

  it('are those of a recount at every endpoint', async () => {
    await fc.assert(
      fc.asyncProperty(asked, async (query) => {
        const values = valuesOf(query);
        const ask = { body: span(query), by: askedBy(query) };
        const usage = await installation.bus.ask(getUsageFigures, ask.body, ask.by);
        const credits = usage.byDay.flatMap(({ date, AgentID, credits: { TTT_API, STT_API } }) =>
          Object.entries({ STT_API, TTT_API }).flatMap(([kind, units]) => (units > 0 ? [{ date, AgentID, kind, units }] : [])),
        );
        const charged = await installation.recount(recounts.getUsageFigures, values);
        expect(credits.map(textOf).toSorted()).toEqual(
          charged
            .filter(({ units }) => Number(units) > 0)
            .map(({ requests, ...row }) => textOf(row))
            .toSorted(),
        );
        const used = usage.byDay.flatMap(({ date, AgentID, promptTokens, completionTokens, audioSeconds }) =>
          promptTokens + completionTokens + audioSeconds > 0
            ? [textOf({ date, AgentID, promptTokens, completionTokens, audioSeconds })]
            : [],
        );
        const byTurns = await installation.recount(recounts.usedByTurns, values);
        expect(used.toSorted()).toEqual(byTurns.map(textOf).toSorted());
        const { agents: conversations, ...figures } = await installation.bus.ask(getConversationFigures, ask.body, ask.by);
        const ended = conversations.filter((agent) => agent.conversations > 0);
        expect(ended).toMatchObject(await installation.recount(recounts.getConversationFigures, values));
        expect(figures.languages).toMatchObject(await installation.recount(recounts.turnsByLanguage, values));
        expect(figures.providerErrors).toEqual(await installation.recount(recounts.providerErrors, values));
        expect(figures.byTurn.filter(({ turns }) => turns > 0)).toMatchObject(
          await installation.recount(recounts.turnsByPlace, values),
        );
        const { faqs } = await installation.bus.ask(getFaqHits, ask.body, ask.by);
        expect(faqs.map(({ KBFAQID, hits }) => ({ KBFAQID, hits }))).toEqual(
          await installation.recount(recounts.getFaqHits, values),
        );
        const { questions } = await installation.bus.ask(getUnansweredQuestions, ask.body, ask.by);
        expect([{ questions }]).toEqual(await installation.recount(recounts.getUnansweredQuestions, values));
        const { agents: waits } = await installation.bus.ask(getLatencyFigures, ask.body, ask.by);
        const told = waits.flatMap(({ AgentID, parts }) => parts.map(({ part, turns }) => ({ AgentID, part, turns })));
        const exact = await installation.recount(recounts.getLatencyFigures, values);
        expect(told).toEqual(exact.map(({ AgentID, part, turns }) => ({ AgentID, part, turns })));
        const waitsOf = (rows: readonly object[]) =>
          rows.flatMap((row) =>
            ['p50Ms', 'p90Ms', 'p95Ms', 'p99Ms'].map((name) => Number(Object.entries(row).find(([key]) => key === name)?.[1])),
          );
        const exactly = waitsOf(exact);
        for (const [index, ms] of waitsOf(waits.flatMap(({ parts }) => parts)).entries())
          expect(Math.abs(ms / (exactly[index] ?? 0) - 1)).toBeLessThan(0.041);
        const quality = await installation.bus.ask(getVoiceQuality, ask.body, ask.by);
        expect([quality]).toMatchObject(await installation.recount(recounts.getVoiceQuality, values));
        const { campaigns } = await installation.bus.ask(getCampaignDashboard, ask.body, ask.by);
        expect(campaigns.filter(({ totalCalls }) => totalCalls > 0)).toMatchObject(
          await installation.recount(recounts.getCampaignDashboard, values),
        );
      }),
      { numRuns: 12 },
    );
  });

  it('are those of a recount for the sales team, in steps of any width', async () => {
    const width = fc.constantFrom('hour', 'day', 'week', 'month');
    await fc.assert(
      fc.asyncProperty(asked, width, async (query, interval) => {
        const SalesUserIDs = query.agentIds?.map((id) => id - 10);
        const body = { ...span(query), ...(SalesUserIDs && { SalesUserIDs }) };
        const values = valuesOf(query).with(4, SalesUserIDs ?? null);
        const by = { principal: owner };
        expect([await installation.bus.ask(getSalesSummary, body, by)]).toMatchObject(
          await installation.recount(recounts.getSalesSummary, values),
        );
        const { rows } = await installation.bus.ask(getSalesLeaderboard, { ...body, sortColumn: 'calls' }, by);
        const called = rows.filter(({ calls }) => calls > 0).toSorted((a, b) => a.SalesUserID - b.SalesUserID);
        expect(called).toMatchObject(await installation.recount(recounts.getSalesLeaderboard, values));
        const { targets } = await installation.bus.ask(getTargetAchievement, body, by);
        const reached = targets.map(({ SalesTargetID, achieved }) => ({ SalesTargetID, achieved }));
        expect(reached.toSorted((a, b) => a.SalesTargetID - b.SalesTargetID)).toEqual(
          await installation.recount(recounts.getTargetAchievement, values),
        );
        const { series } = await installation.bus.ask(getCallTrends, { ...body, interval }, by);
        const counted = await installation.recount(recounts.getCallTrends, [...values, interval]);
        expect(series.filter(({ calls }) => calls > 0)).toMatchObject(counted);
      }),
      { numRuns: 30 },
    );
  });
});

describe('what cannot be answered', () => {
  const right = { startDate: '2026-03-01', endDate: '2026-03-31' };
  const agentQueries = {
    getDashboardCount,
    getLatencyFigures,
    getUsageFigures,
    getConversationFigures,
    getUnansweredQuestions,
    getFaqHits,
    getVoiceQuality,
  };
  const salesQueries = { getSalesSummary, getSalesLeaderboard, getTargetAchievement, getCallTrends };
  const refusal = (contract: RequestContract, query: object) =>
    installation.bus.ask(contract, query, { principal: owner }).then(
      () => 'answered',
      (error: unknown) => (error instanceof Fault ? error.code : String(error)),
    );

  it.each(Object.entries({ ...agentQueries, ...salesQueries, getCampaignDashboard }))(
    'is refused by %s',
    async (_name, contract) => {
      const reversed = { startDate: '2026-03-31', endDate: '2026-03-01' };
      for (const wrong of [reversed, { startDate: 'soon' }, { timeZone: 'Mars/Olympus_Mons' }, { timeZone: '+05:30' }])
        expect([wrong, await refusal(contract, { ...right, ...wrong })]).toEqual([wrong, 'VALIDATION_FAILED']);
      const unknown = contract === getCampaignDashboard ? { campaignIds: [4711] } : { agentIds: [4711], SalesUserIDs: [4711] };
      expect(await refusal(contract, { ...right, ...unknown })).toBe('NOT_FOUND');
    },
  );

  it.each(Object.entries({ ...agentQueries, ...salesQueries }))('for its size is refused by %s', async (_name, contract) => {
    expect(await refusal(contract, { startDate: '1900-01-01', endDate: '2100-01-01' })).toBe('VALIDATION_FAILED');
  });
});

const textOf = (row: object): string => JSON.stringify(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1)));
