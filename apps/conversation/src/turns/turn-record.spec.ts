import { randomUUID } from 'node:crypto';
import { connectionOptions, migrateSchema, TenantScope } from '@parley/database';
import { createLogger, Metrics, RegularTasks } from '@parley/service-kit';
import { testDatabase, type TestDatabase } from '@parley/testing';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { conversationSchema } from '../service';
import { Leases, TurnLane, type TurnWrite } from './turn-record';

const patienceMs = 30_000;
const [ours, theirs] = [1, 2];

interface Spoken {
  readonly orgId: number;
  readonly turnUuid: string;
  readonly sessionUuid: string;
}

const newTurn = (orgId = ours, sessionUuid: string = randomUUID()): Spoken => ({ orgId, turnUuid: randomUUID(), sessionUuid });
const write = ({ orgId, turnUuid, sessionUuid }: Spoken, change: TurnWrite['change'], row: object): TurnWrite => ({
  orgId,
  change,
  row: { turn_uuid: turnUuid, session_uuid: sessionUuid, agent_id: 1, question: 'hello?', ...row },
});
const named = { agent_key_id: randomUUID(), agent_name: 'Maya', channel: 'API', language: 'english', variables: {} };
const creating = (turn: Spoken, row: object = {}) => write(turn, 'creating', { ...named, ...row });
const claiming = (turn: Spoken) => write(turn, 'claiming', { variables: { name: 'Asha' } });
const sums = {
  prompt_tokens: 10,
  completion_tokens: 5,
  audio_seconds: 0,
  is_from_faq: false,
  is_known: true,
  sources: [],
  latency: {},
};
const closing = (turn: Spoken, row: object = {}) =>
  write(turn, 'closing', { status: 'COMPLETED', answer: 'Hello.', language: 'english', ...sums, ...row });

const recording = (turn: Spoken, row: object = {}) =>
  write(turn, 'recording', { ...named, status: 'COMPLETED', answer: 'Hello.', ...sums, taken_ms: 90_000, ...row });

const manyTurns = `
  WITH made AS (
    INSERT INTO sessions (org_id, session_uuid, agent_id, agent_key_id, agent_name, channel, language)
    SELECT $1, gen_random_uuid(), 1, gen_random_uuid(), 'Maya', 'API', 'english' FROM generate_series(1, 5000) RETURNING id
  )
  INSERT INTO turns (org_id, session_id, turn_uuid, status, question) SELECT $1, id, gen_random_uuid(), 'COMPLETED', 'hello?' FROM made`;

describe('TurnLane', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let tenants: TenantScope;
  let lane: TurnLane;
  let admin: Client;

  beforeAll(async () => {
    database = await testDatabase();
    await migrateSchema(conversationSchema, database.url);
    dataSource = await new DataSource(connectionOptions(conversationSchema, { url: database.url })).initialize();
    tenants = new TenantScope(dataSource);
    lane = new TurnLane(tenants);
    admin = new Client({ connectionString: database.adminUrl, options: '-c search_path=conversation' });
    await admin.connect();
  });
  afterAll(async () => {
    await admin.end();
    await dataSource.destroy();
    await database.close();
  });

  const together = (...writes: TurnWrite[]) => Promise.all(writes.map((each) => lane.write(each, patienceMs)));
  const rows = async (text: string, ...values: unknown[]) => (await admin.query(text, values)).rows;
  const turnsOf = (...turns: Spoken[]) =>
    rows(
      'SELECT status, question, answer FROM turns WHERE turn_uuid = ANY($1)',
      turns.map(({ turnUuid }) => turnUuid),
    );
  const created = async (orgId = ours) => {
    const turn = newTurn(orgId);
    await together(creating(turn));
    return turn;
  };

  it('makes no organization wait for another’s commit, and keeps each one’s writes in order', async () => {
    const commit = Promise.withResolvers<void>();
    const slow = jest.spyOn(tenants, 'together').mockImplementationOnce(async () => {
      await commit.promise;
      return [];
    });
    const [first, second, other] = [newTurn(), newTurn(), newTurn(theirs)];
    const done: string[] = [];
    const written = (turn: Spoken, name: string) => lane.write(creating(turn), patienceMs).then(() => done.push(name));
    const all = [written(first, 'first')];
    await new Promise(setImmediate);
    all.push(written(second, 'second'));
    await written(other, 'other');
    expect([done, slow.mock.calls.length]).toEqual([['other'], 2]);
    commit.resolve();
    await Promise.all(all);
    expect(done).toEqual(['other', 'first', 'second']);
    slow.mockRestore();
  });

  it('commits together what arrives together, for all organizations', async () => {
    const before = await created();
    const turns = [newTurn(), newTurn(), newTurn(theirs)];
    await together(closing(before), ...turns.map((turn) => creating(turn)));
    const uuids = [before, ...turns].map(({ sessionUuid }) => sessionUuid);
    const found = await rows(
      'SELECT org_id AS "orgId", xmin::text FROM sessions WHERE session_uuid = ANY($1) ORDER BY id',
      uuids,
    );
    expect(found.map(({ orgId }) => orgId)).toEqual([ours, ours, ours, theirs]);
    expect(new Set(found.map(({ xmin }) => xmin)).size).toBe(1);
  });

  it('keeps every organization to its own sessions, even in a shared commit', async () => {
    const [mine, stranger] = [await created(), newTurn(theirs)];
    await together(closing(mine));
    const next = newTurn(ours, mine.sessionUuid);
    const reaching = { ...stranger, sessionUuid: mine.sessionUuid };
    const [refused, claimed] = await together(claiming(reaching), claiming(next));
    expect(refused).toBeUndefined();
    expect(claimed?.sessionId).toEqual(expect.any(Number));
    expect(await together(closing({ ...next, orgId: theirs }))).toEqual([undefined]);
    expect(await turnsOf(next)).toMatchObject([{ status: 'RUNNING' }]);
  });

  it('isolates a turn that cannot be stored from the others', async () => {
    const [good, bad, other] = [newTurn(), newTurn(), newTurn(theirs)];
    const outcomes = await Promise.allSettled(
      [creating(good), creating(bad, { channel: 'SMOKE' }), creating(other)].map((each) => lane.write(each, patienceMs)),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await turnsOf(good, other)).toHaveLength(2);
    expect(await turnsOf(bad)).toEqual([]);
  });

  it('gives a session to the first of concurrent turns, and tells the others that it is busy', async () => {
    const before = await created();
    await together(closing(before));
    const asking = [1, 2, 3].map(() => newTurn(ours, before.sessionUuid));
    const claims = await together(...asking.map(claiming));
    expect(claims.map((claim) => claim?.sessionId)).toEqual([expect.any(Number), null, null]);
    expect(claims[0]?.claimed).toMatchObject({
      variables: { name: 'Asha' },
      history: [{ question: 'hello?', answer: 'Hello.' }],
    });
    expect(await turnsOf(...asking)).toMatchObject([{ status: 'RUNNING' }]);
  });

  it('admits the next turn by the commit that ends the previous one, which is then in its history', async () => {
    const before = await created();
    const next = newTurn(ours, before.sessionUuid);
    const [claim, ended] = await together(claiming(next), closing(before, { answer: 'At last.' }));
    expect(claim?.claimed).toMatchObject({ isStale: false, history: [{ answer: 'At last.' }] });
    expect(claim?.sessionId).toBe(ended?.sessionId);
  });

  it('does not wait for a locked session: its turns are told so, the others go on', async () => {
    const [held, before, free] = [await created(), await created(), newTurn()];
    await together(closing(before));
    const next = newTurn(ours, before.sessionUuid);
    await admin.query('BEGIN');
    await rows('SELECT 1 FROM sessions WHERE session_uuid = ANY($1) FOR UPDATE', [held.sessionUuid, before.sessionUuid]);
    const [ended, claim] = await together(closing(held), claiming(next), creating(free));
    expect([ended?.sessionId, claim?.sessionId]).toEqual([null, null]);
    await admin.query('COMMIT');
    expect(await turnsOf(free)).toMatchObject([{ status: 'RUNNING' }]);
    const again = await together(closing(held), claiming(next));
    expect(again.map((each) => each?.sessionId)).toEqual([expect.any(Number), expect.any(Number)]);
  });

  it('does nothing when repeated after an unacknowledged commit', async () => {
    const first = newTurn();
    for (const _ of [1, 2]) await together(creating(first));
    const close = closing(first);
    const [ended] = await together(close);
    expect(await together(close)).toEqual([{ turnUuid: first.turnUuid, sessionId: ended?.sessionId }]);
    const next = newTurn(ours, first.sessionUuid);
    const claims = [await together(claiming(next)), await together(claiming(next))].flat();
    expect(claims.map((claim) => claim?.claimed?.history)).toEqual([[expect.anything()], [expect.anything()]]);
    expect(await turnsOf(first, next)).toMatchObject([{ status: 'COMPLETED' }, { status: 'RUNNING' }]);
    const session = 'SELECT turn_count AS turns, prompt_tokens AS tokens FROM sessions WHERE session_uuid = $1';
    expect(await rows(session, first.sessionUuid)).toEqual([{ turns: 1, tokens: 10 }]);
  });

  it('stores a turn nobody reported together with its session, as of when it was asked, once', async () => {
    const turn = newTurn();
    const first = await together(recording(turn));
    expect(await together(recording(turn))).toEqual(first);
    expect(first).toEqual([{ turnUuid: turn.turnUuid, sessionId: expect.any(Number) }]);
    const stored = `SELECT turn_count AS turns, known_count AS known, sessions.prompt_tokens AS tokens, preview, duration_seconds AS seconds,
        busy_turn AS busy, channel, turns.status, (SELECT count(*)::int FROM turn_changes WHERE turn_uuid = $1) AS told,
        extract(epoch FROM answered_on - asked_on)::int AS took, asked_on = created_on AS "isFirst"
      FROM turns JOIN sessions ON sessions.id = session_id WHERE turn_uuid = $1`;
    expect(await rows(stored, turn.turnUuid)).toEqual([
      {
        ...{ turns: 1, known: 1, tokens: 10, preview: 'hello?', seconds: 90, took: 90 },
        ...{ busy: null, channel: 'API', status: 'COMPLETED', told: 1, isFirst: true },
      },
    ]);
    const next = newTurn(ours, turn.sessionUuid);
    const [claim] = await together(claiming(next));
    expect(claim?.claimed).toMatchObject({ isStale: false, history: [{ question: 'hello?', answer: 'Hello.' }] });
  });

  it('counts a failed whole turn as none of its session', async () => {
    const turn = newTurn();
    await together(recording(turn, { status: 'FAILED', answer: '', is_known: false }));
    const counted = 'SELECT turn_count AS turns, preview FROM sessions WHERE session_uuid = $1';
    expect(await rows(counted, turn.sessionUuid)).toEqual([{ turns: 0, preview: 'hello?' }]);
  });

  it('leaves a turn alone that was given up as lost', async () => {
    const dead = await created();
    await rows(`UPDATE sessions SET busy_until = now() - interval '1 second' WHERE session_uuid = $1`, dead.sessionUuid);
    const next = newTurn(ours, dead.sessionUuid);
    await together(claiming(next));
    expect(await together(closing(dead))).toEqual([undefined]);
    expect(await turnsOf(dead, next)).toMatchObject([{ status: 'LOST', answer: '' }, { status: 'RUNNING' }]);
  });

  it('finds turns by key among many, even with plans made for an empty table', async () => {
    const fresh = await testDatabase();
    await migrateSchema(conversationSchema, fresh.url);
    const only = await new DataSource(connectionOptions(conversationSchema, { url: fresh.url, poolMax: 1 })).initialize();
    const scope = new TenantScope(only);
    const busy = new TurnLane(scope);
    const turn = newTurn();
    for (let round = 0; round < 12; round += 1)
      for (const change of [creating(turn), closing(turn), recording(newTurn()), claiming(newTurn(ours, turn.sessionUuid))])
        await busy.write(change, patienceMs);
    await scope.run(ours, (manager) => manager.query(manyTurns, [ours]));
    const planOf = async ({ change, row }: TurnWrite) => {
      const text = `EXPLAIN EXECUTE "turns-${change}" (${ours}, '${JSON.stringify([row])}')`;
      const statement = { name: `plan-${change}`, text, values: [] };
      const [lines] = await scope.together<{ 'QUERY PLAN': string }>([{ orgId: ours, statement }]);
      return (lines ?? []).map((line) => line['QUERY PLAN']);
    };
    const isScan = (line: string) => / Scan /.test(line) && /on (turns|sessions)/.test(line);
    // Turns left in a session by a dead replica are found by session or by organization.
    const claim = (await planOf(claiming(turn))).filter((line) => !/on turns/.test(line));
    const scans = [await planOf(closing(turn)), await planOf(recording(turn)), claim].flat().filter(isScan);
    const ofKey = ['turns_turn_uuid_key', 'sessions_session_uuid_key', 'sessions_pkey', 'turns_of_session', 'turns_pkey'];
    expect(scans.length).toBeGreaterThan(5);
    expect(scans.filter((line) => ofKey.every((key) => !line.includes(key)))).toEqual([]);
    await only.destroy();
    await fresh.close();
  });

  it('replaces characters that Postgres cannot store, and keeps words that only look like the mark', async () => {
    const turn = newTurn();
    await together(creating(turn, { question: 'whales \ud83d, \\u0000 \ud83d\udc33', variables: { 'na\0me': '\0' } }));
    await together(closing(turn, { answer: 'NUL: \0.', sources: [{ title: '\udc33' }] }));
    const said = { question: 'whales \ufffd, \\u0000 \ud83d\udc33', answer: 'NUL: \ufffd.', status: 'COMPLETED' };
    expect(await turnsOf(turn)).toMatchObject([said]);
  });

  it('extends the claims on sessions of running turns, and of no others', async () => {
    const log = createLogger({ level: 'silent', isReadable: false, writesPii: false });
    const lifetime = { draining: new AbortController().signal, overdue: new AbortController().signal };
    const leases = new Leases(tenants, new RegularTasks(lifetime, log, new Metrics().metricsOf('conversation')));
    const [mine, foreign, over] = [await created(), await created(theirs), await created()];
    await rows(`UPDATE sessions SET busy_until = '2000-01-01' WHERE busy_turn IS NOT NULL`);
    for (const turn of [mine, foreign, over]) leases.hold(turn);
    leases.release(over);
    await leases.renew();
    const kept = `SELECT session_uuid AS uuid FROM sessions WHERE busy_until > '2001-01-01' ORDER BY id`;
    expect(await rows(kept)).toEqual([{ uuid: mine.sessionUuid }, { uuid: foreign.sessionUuid }]);
  });
});
