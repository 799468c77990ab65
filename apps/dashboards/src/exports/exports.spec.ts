import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { exportedFacts, exportFacts, type Principal } from '@parley/contracts';
import { Installation } from '../installation.suite';

const march = { startDate: '2026-03-01', endDate: '2026-03-31' };

let installation: Installation;
beforeAll(async () => {
  installation = await Installation.start();
  await installation.openMonths(['2026-03']);
});
afterAll(() => installation.stop());

/** Calls of two agents in turn, a minute apart. */
const drawCalls = (orgId: number, count: number) =>
  installation.sql.query(
    `INSERT INTO call_facts (org_id, queued_at, call_key, call_id, agent_id, direction, state, duration_seconds, rank, told_at, told_by)
     SELECT $1, timestamptz '2026-03-02T00:00Z' + n * interval '100 ms', gen_random_uuid(), n, 12 + n % 2, 'OUTBOUND', 'COMPLETED', 60, 3,
       now(), n::text FROM generate_series(1, $2::int) n`,
    [orgId, count],
  );

const partsOf = (principal: Principal, query: object = {}) =>
  installation.bus.stream(exportFacts, { facts: 'calls', ...march, ...query }, { principal });

async function read(principal: Principal, query: object = {}): Promise<string[]> {
  let text = '';
  for await (const { csv } of partsOf(principal, query)) text += csv;
  return text.trim().split('\r\n');
}

describe('an export', () => {
  it('has a line for each fact, across parts, limited to a restricted member’s agents', async () => {
    const { orgId, owner } = installation.organization();
    await drawCalls(orgId, 601);
    const [header, ...lines] = await read(owner);
    expect(header).toMatch(/^CallKeyID,CallID,AgentID/);
    expect(lines.map((line) => Number(line.split(',')[1]))).toEqual(Array.from({ length: 601 }, (_, index) => index + 1));
    const own = await read({ ...owner, roleTypeId: 3, agentIds: [13] });
    const counted = await installation.recount(
      'SELECT call_id::int FROM call_facts WHERE org_id = $1 AND agent_id = 13 ORDER BY 1',
      [orgId],
    );
    expect(own.slice(1).map((line) => Number(line.split(',')[1]))).toEqual(counted.map(({ call_id }) => call_id));
    expect(await read(owner, { endDate: '2026-03-01' })).toEqual([header]);
  });

  it('reports the sound of calls, and the providers that failed in turns', async () => {
    const { orgId, owner } = installation.organization();
    await drawCalls(orgId, 1);
    await installation.sql.query(
      `UPDATE call_facts SET frames = 1500, late_frames = 7, jitter_us = 4512, is_one_way = false WHERE org_id = ${orgId};
       INSERT INTO turn_facts (org_id, asked_at, turn_uuid, session_uuid, agent_id, channel, language, turn_number, status, is_from_faq,
         is_known, prompt_tokens, completion_tokens, audio_seconds, provider_errors, rank, told_at, told_by)
       SELECT ${orgId}, timestamptz '2026-03-02T00:00Z', gen_random_uuid(), gen_random_uuid(), 12, 'PHONE', 'english', 1, 'FAILED', false,
         false, 0, 0, 0, '[{"role":"LANGUAGE_MODEL","provider":"first","kind":"BUSY"},{"role":"LANGUAGE_MODEL","provider":"second","kind":"TIMEOUT"}]',
         0, now(), 'x'`,
    );
    const [, call] = await read(owner);
    expect(call).toMatch(/,60,1500,7,,4\.512,false$/);
    const [header, turn] = await read(owner, { facts: 'turns' });
    expect(header).toMatch(/,providerErrors$/);
    expect(turn).toMatch(/,"LANGUAGE_MODEL first BUSY; LANGUAGE_MODEL second TIMEOUT"$/);
  });

  it('takes no more memory the longer it is', async () => {
    const { orgId, owner } = installation.organization();
    await drawCalls(orgId, 60_000);
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const held = () => (collect(), process.memoryUsage().heapUsed / 1_000_000);
    let [bytes, parts] = [0, 0];
    const heldMb: number[] = [];
    for await (const { csv } of partsOf(owner)) {
      bytes += csv.length;
      if (++parts % 60 === 0) heldMb.push(held());
    }
    expect(bytes).toBeGreaterThan(5_000_000);
    expect(heldMb).toHaveLength(4);
    expect((heldMb.at(-1) ?? 0) - (heldMb[0] ?? 0)).toBeLessThan(2);
  });

  it('neutralizes formulas', async () => {
    const { orgId, owner } = installation.organization();
    await installation.sql.query(
      `INSERT INTO session_facts (org_id, started_at, session_uuid, agent_id, channel, reason, outcome, duration_seconds, turn_count,
         total_tokens, rank, told_at, told_by)
       VALUES ($1, '2026-03-02T00:00Z', gen_random_uuid(), 12, 'API', '=HYPERLINK("x")', 'ANSWERED', 1, 1, 1, 0, now(), 'x')`,
      [orgId],
    );
    expect((await read(owner, { facts: 'conversations' })).at(1)).toContain('"\'=HYPERLINK(""x"")"');
  });

  it.each(exportedFacts)('of %s has its header even when empty', async (facts) => {
    const [header, ...lines] = await read(installation.organization().owner, { facts });
    expect([header?.split(',').length, lines]).toEqual([expect.any(Number), []]);
    expect(header).toMatch(/^\w+ID,|^\w+UUID,/);
  });

  it.each([
    ['a reversed range', { startDate: '2026-03-31', endDate: '2026-03-01' }, 'VALIDATION_FAILED'],
    ['a huge range', { startDate: '1900-01-01', endDate: '2100-01-01' }, 'VALIDATION_FAILED'],
    ['a zone that does not exist', { timeZone: 'Mars/Olympus_Mons' }, 'VALIDATION_FAILED'],
    ['an agent that does not exist', { agentIds: [4711] }, 'NOT_FOUND'],
    ['facts that do not exist', { facts: 'secrets' }, 'VALIDATION_FAILED'],
  ])('is refused for %s before its first line', async (_what, query, code) => {
    await expect(read(installation.organization().owner, query)).rejects.toMatchObject({ code });
  });
});
