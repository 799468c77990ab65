// Postgres fails over to a streaming standby amid questions, by the steps of docs/operations.md: the primary loses its power, the standby is
// promoted, the address moved. Of a synchronous standby nothing that was answered may be lost; of an asynchronous one whose log is
// STANDBY_BEHIND ms late (1000) the rows say what is. STANDBY_RATE requests a second (20), Postgres is away for STANDBY_AWAY ms (5000).
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FailoverLoad } from './failover-load.mjs';
import { apiOf, done, firstAnswer, until } from './first-answer.mjs';
import { newKeys } from './keys.mjs';
import { findPostgres } from './postgres-pair.mjs';
import { serviceNames, startProcesses } from './processes.mjs';
import { giveRoom } from './upgrade-checks.mjs';

const rate = Number(process.env.STANDBY_RATE ?? 20);
const behindMs = Number(process.env.STANDBY_BEHIND ?? 1_000);
const awayMs = Number(process.env.STANDBY_AWAY ?? 5_000);
const [beforeMs, afterMs, patienceMs] = [5_000, 10_000, 60_000];
/**
 * Who needs Postgres and waits for it in vain says so, or gave up waiting for a service that does. A key whose answer could not be stored
 * stays in flight until its lease ends, after half a minute.
 */
const isUnavailable = ({ status, code }) => [503, 504].includes(status) || code === 'IDEMPOTENCY_KEY_IN_FLIGHT';
/** While nothing is refused, questions stay open until they give up: a key may have no more of them. */
const isCrowded = ({ code }) => code === 'RATE_LIMITED';
const guide = path.resolve(import.meta.dirname, '../../docs/operations.md');

export async function standbyChecks(table, home) {
  const postgresBin = findPostgres();
  if (!postgresBin)
    return table.cannot('standby: a primary and its standby', 'no Postgres with pg_basebackup and pg_rewind here');
  const among = async (form, work) => {
    const folder = path.join(home, form);
    mkdirSync(folder, { mode: 0o755 });
    const pair = new Pair(`standby, ${form}`, table);
    try {
      if (await pair.setUp(folder, postgresBin, form)) await work(pair);
    } finally {
      await pair.stop();
    }
  };
  await among('synchronous', nothingIsLost);
  await among('asynchronous', whatIsLost);
}

async function nothingIsLost(pair) {
  await pair.check(
    'the primary loses its power amid questions: 503 until the standby is promoted, and then answers',
    async () => {
      const { ports, address } = pair.installation;
      await pair.lose({ isSilent: false }, async () => {
        await pair.standby('SELECT pg_promote()');
        address.moveTo(ports.standby);
      });
      return pair.seen();
    },
  );
  await pair.check('nothing that was answered is lost, charged twice or not counted', async () => {
    const kept = await pair.kept();
    assert.deepEqual([kept.lost, kept.uncounted, kept.unsaved], [0, 0, 0], JSON.stringify(kept));
    assert.deepEqual([kept.changed, kept.repeatedCharges, kept.unchargedKeys], [0, 0, 0], JSON.stringify(kept));
    return kept.figures;
  });
  await pair.check(
    'ledger, balance and dashboards agree, nothing stays held or in an outbox, the audit log verifies',
    async () => {
      const books = await pair.books();
      assert.deepEqual(
        [books.disagreeing, books.usageMissing, books.uncharged, books.waiting, books.audit],
        [[], [], 0, 0, true],
      );
      return books.figures;
    },
  );
  await pair.check('no process ended, and the line of live voice stayed', async () => {
    for (const pid of pair.pids) process.kill(pid, 0);
    assert.deepEqual(
      pair.load.lineEvents.map(({ what }) => what),
      ['session.ready', 'closed 1005'],
    );
  });
  await pair.check('the former primary comes back by pg_rewind as the standby, and is synchronous again', async () => {
    const { installation } = pair;
    await installation.bringBackPrimary();
    await pair.makeSynchronous('postgres');
    const { status } = await pair.load.ask('/api/v1/ttt', { question: 'When are you open?' });
    assert.equal(status, 200);
    return 'and a question is answered';
  });
}

async function whatIsLost(pair) {
  const title = `${behindMs} ms behind, the primary falls silent, the address is moved too early: 503, and then answers`;
  await pair.check(title, async () => {
    const { ports, address } = pair.installation;
    await pair.lose({ isSilent: true }, async () => {
      address.moveTo(ports.standby);
      await delay(2_000);
      await pair.standby('SELECT pg_promote()');
      await pair.standby(documented('setval'));
    });
    return pair.seen();
  });
  await pair.check('what is left agrees with itself, and no id of a lost row comes again', async () => {
    const kept = await pair.kept();
    const books = await pair.books();
    assert.deepEqual([books.disagreeing, books.uncharged, books.waiting], [[], 0, 0], books.figures);
    assert.equal(kept.repeatedCharges, 0);
    assert.deepEqual(await pair.idsSeenTwice(), []);
    for (const pid of pair.pids) process.kill(pid, 0);
    return `${kept.figures}; ${books.figures}`;
  });
}

/** The statement of the guide that has this word. */
function documented(word) {
  const statement = readFileSync(guide, 'utf8')
    .split('```')
    .find((block) => block.startsWith('sql') && block.includes(word));
  assert.ok(statement, `docs/operations.md has no statement with ${word}`);
  return statement.slice('sql'.length);
}

class Pair {
  constructor(form, table) {
    Object.assign(this, { form, table });
  }

  check(title, work) {
    return this.table.check(`${this.form}: ${title}`, work);
  }

  setUp(folder, postgresBin, form) {
    return this.check('an installation over a primary and its standby', async () => {
      this.installation = await startProcesses(folder, newKeys(folder), { postgresBin, isMovable: true });
      const { installation } = this;
      const migrated = await installation.migrate();
      assert.equal(migrated.code, 0, migrated.err);
      for (const name of serviceNames) await installation.start(name);
      this.used = await firstAnswer(installation);
      await giveRoom(installation, String(this.used.made.OrgID));
      // pg_rewind needs the log since the servers parted.
      await this.set('wal_keep_size', '1GB');
      await installation.startStandby({ delayMs: form === 'synchronous' ? 0 : behindMs });
      if (form === 'synchronous') await this.makeSynchronous('standby');
      this.pids = serviceNames.map((name) => installation.pidOf(name));
      const { agentKey, made } = this.used;
      this.load = new FailoverLoad({ url: installation.url, agentKey, workspaceKey: made.key, KBID: 1, rate });
      return postgresBin;
    });
  }

  async makeSynchronous(name) {
    await this.set('synchronous_standby_names', name);
    const state = () => this.query(`SELECT sync_state FROM pg_stat_replication WHERE application_name = '${name}'`);
    await until(state, (rows) => rows[0]?.sync_state === 'sync');
  }

  async set(name, value) {
    await this.query(`ALTER SYSTEM SET ${name} = '${value}'`);
    await this.query('SELECT pg_reload_conf()');
  }

  /** Asks whom the address leads to. */
  query(text, values = []) {
    return this.installation.superuser(async (client) => (await client.query(text, values)).rows);
  }

  standby(text) {
    return this.installation.superuser((client) => client.query(text), this.installation.ports.standby);
  }

  /** A primary that falls silent refuses no connection and ends none. */
  async lose({ isSilent }, recover) {
    const { load, installation } = this;
    load.begin();
    await delay(beforeMs);
    assert.deepEqual(load.failures, [], 'before anything was lost');
    this.lostAtMs = load.nowMs();
    if (isSilent) installation.address.fallSilent();
    await installation.losePrimary();
    await delay(awayMs);
    await recover();
    this.backAtMs = load.nowMs();
    await delay(afterMs);
    await load.end(patienceMs);
    this.failed = installation.logOf('gateway').match(/"code":"SERVICE_UNAVAILABLE"[^\n]*"msg":"A request failed"/g) ?? [];
    const others = load.failures.filter((failure) => !isUnavailable(failure) && !(isSilent && isCrowded(failure)));
    assert.deepEqual(others.slice(0, 3), [], load.failuresByKind());
    const unnamed = this.failed.filter((line) => !line.includes('"dependency":"postgres"'));
    assert.deepEqual(unnamed.slice(0, 2), [], 'each 503 names Postgres in the log');
  }

  seen() {
    const { load, lostAtMs, backAtMs } = this;
    const last = Math.max(...load.failures.map(({ atMs }) => atMs));
    const slowest = Math.max(...load.failures.map(({ tookMs }) => tookMs));
    return (
      `${load.answered.length} answered; ${load.failuresByKind()}; Postgres was away for ${backAtMs - lostAtMs} ms, ` +
      `the last failure came ${last - backAtMs} ms later, the slowest after ${slowest} ms`
    );
  }

  /** What is left of everything that was acknowledged. Repeats every key first. */
  async kept() {
    const { load } = this;
    const changed = await load.repeatKeyed();
    const answered = load.answered.map(({ session }) => session);
    const turns = () =>
      this.query(
        `SELECT count(DISTINCT turns.turn_uuid)::int AS kept, count(DISTINCT facts.turn_uuid)::int AS counted
         FROM conversation.sessions JOIN conversation.turns ON turns.session_id = sessions.id AND turns.status = 'COMPLETED'
         LEFT JOIN dashboards.turn_facts facts ON facts.turn_uuid = turns.turn_uuid WHERE sessions.session_uuid = ANY ($1)`,
        [answered],
      );
    const [{ kept, counted }] = await until(turns, ([row]) => row.counted === row.kept);
    const [{ saved }] = await this.query('SELECT count(*)::int AS saved FROM knowledge.faqs WHERE question = ANY ($1)', [
      load.saved.map(({ title }) => title),
    ]);
    const [charges] = await this.query(
      `SELECT count(*) FILTER (WHERE lines = 0)::int AS without, count(*) FILTER (WHERE lines > 1)::int AS twice FROM (
         SELECT count(reference) AS lines FROM gateway.idempotent_requests LEFT JOIN gateway.credit_ledger ON reference = charge_id
         WHERE idempotent_requests.key = ANY ($1) GROUP BY charge_id) requests`,
      [load.answered.flatMap(({ key }) => key ?? [])],
    );
    const lost = answered.length - kept;
    const unsaved = load.saved.length - saved;
    return {
      ...{ lost, unsaved, uncounted: kept - counted, changed: changed.length },
      ...{ repeatedCharges: charges.twice, unchargedKeys: charges.without },
      figures:
        `of ${answered.length} answered questions ${lost} are lost, of ${load.saved.length} changes ${unsaved}; ` +
        `of ${load.answered.filter(({ key }) => key).length} keys ${changed.length} were answered anew, none charged twice`,
    };
  }

  /** Holds that a lost settlement left behind end now instead of in ten minutes. */
  async books() {
    await this.query('UPDATE gateway.credit_holds SET expires_at = now()');
    const held = () => this.query('SELECT sum(held)::int AS held FROM gateway.credit_accounts');
    await until(held, ([row]) => row.held === 0);
    const outboxes = await this.query(`SELECT table_schema AS name FROM information_schema.tables WHERE table_name = 'outbox'`);
    const texts = outboxes.map(({ name }) => `SELECT FROM ${name}.outbox`);
    const waiting = () => this.query(`SELECT count(*)::int FROM (${texts.join(' UNION ALL ')}) events`);
    const [{ count }] = await until(waiting, ([row]) => row.count === 0);
    const disagreeing = await this.query(
      `SELECT kind, available + held AS balance, coalesce(sum(units), 0) AS ledger FROM gateway.credit_accounts
       LEFT JOIN gateway.credit_ledger USING (org_id, kind) GROUP BY kind, available, held HAVING available + held <> coalesce(sum(units), 0)`,
    );
    const usage = () =>
      this.query(
        `SELECT kind, charged::int, counted::int FROM
           (SELECT kind, -sum(units) AS charged FROM gateway.credit_ledger WHERE entry = 'CHARGE' GROUP BY 1) ledger
           FULL JOIN (SELECT kind, sum(units) AS counted FROM dashboards.usage_facts GROUP BY 1) facts USING (kind)`,
      );
    const isCounted = ({ charged, counted }) => charged === counted;
    const usages = await until(usage, (rows) => rows.every(isCounted)).catch(usage);
    // One with a key is charged under its key.
    const plain = this.load.answered.filter(({ key }) => !key).map(({ session }) => session);
    const [{ uncharged }] = await this.query(
      `SELECT count(*)::int AS uncharged FROM conversation.turns JOIN conversation.sessions ON sessions.id = session_id
       LEFT JOIN gateway.credit_ledger ON reference = turn_uuid WHERE session_uuid = ANY ($1) AND reference IS NULL`,
      [plain],
    );
    const { isIntact, firstBroken } = (
      await done(apiOf(this.installation.url)('/api/v1/external/audit/verify', this.used.made.key))
    ).data;
    const usageText = usages.map(({ kind, charged, counted }) => `${kind} ${charged} charged, ${counted} counted`).join(', ');
    return {
      ...{ disagreeing, uncharged, waiting: count, audit: isIntact, usageMissing: usages.filter((row) => !isCounted(row)) },
      figures: `${usageText}; the audit log is ${isIntact ? 'intact' : `broken: ${firstBroken?.reason}`}`,
    };
  }

  /** Ids that were told to a client, and then given to something else. */
  async idsSeenTwice() {
    const now = await this.query('SELECT id::int, question FROM knowledge.faqs');
    return this.load.saved.filter(({ id, title }) => now.some((row) => row.id === id && row.question !== title));
  }

  async stop() {
    if (this.load && !this.load.isOver) await this.load.end();
    await this.installation?.stop();
    this.installation?.stopAddresses();
  }
}
