import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { differenceOf, type Equation, readEquation } from '@parley/apps/gateway/credits';
import { startEmbeddedPostgres } from '@parley/database';
import { processEnvironment } from '@parley/service-kit';
import { Client } from 'pg';
import { z } from 'zod';
import { awaitedDemo } from '../demo/demo-file';

const Roster = z.array(z.object({ name: z.string(), pid: z.int().optional(), doorPort: z.int().optional() }));

/** Everything on the path of a charge. */
const kinds = ['gateway', 'conversation', 'agent-config', 'nats', 'postgres'] as const;

type Victim = (typeof kinds)[number];

/** Where to look up which process runs what. */
interface Whereabouts {
  readonly home: string;
  /** The data directory of Postgres, which contains its process id. */
  readonly postgresData: string;
}

/** What the database shows after the run. Everything except the sums must be 0. */
interface Verdict extends Equation {
  readonly difference: number;
  /** Acknowledged calls without a ledger line, or with more than one. */
  readonly acknowledgedWrongly: number;
  /** Ledger lines that belong to no acknowledged call and no turn. */
  readonly linesTooMany: number;
  /** Acknowledged calls without an Idempotency-Key whose turn has no ledger line, or one of another amount. */
  readonly turnsUnpaid: number;
  /** Acknowledged calls that have no turn. */
  readonly turnsMissing: number;
}

const settleWithinMs = 60_000;

const Counted = z.tuple([z.object({ n: z.coerce.number() })]);

const wronglyAcknowledged = `
  SELECT count(*) AS n FROM (
    SELECT call FROM unnest($1::text[]) AS call
    LEFT JOIN idempotent_requests r ON r.key = call
    LEFT JOIN credit_ledger l ON l.org_id = r.org_id AND l.reference = r.charge_id AND l.entry = 'CHARGE'
    GROUP BY call HAVING count(l.seq) <> 1) wrong`;

/** Different questions with and without a key, which distinguish their turns. */
const [questionOfKeyed, questionOfOthers] = ['When are you open?', 'When do you open?'];

const unaccountedLines = `
  SELECT count(*) AS n FROM credit_ledger l WHERE entry = 'CHARGE' AND NOT EXISTS (
    SELECT FROM idempotent_requests r WHERE r.org_id = l.org_id AND r.charge_id = l.reference AND r.key = ANY($1::text[]))
  AND NOT EXISTS (SELECT FROM conversation.turns t WHERE t.turn_uuid = l.reference AND t.question = '${questionOfOthers}')`;

const unpaidTurns = `
  SELECT count(*) AS n FROM conversation.turns t JOIN conversation.sessions s ON s.id = t.session_id
  LEFT JOIN credit_ledger l ON l.reference = t.turn_uuid AND l.entry = 'CHARGE'
  WHERE t.status = 'COMPLETED' AND s.session_uuid = ANY($1::uuid[])
    AND -l.units IS DISTINCT FROM t.prompt_tokens + t.completion_tokens`;

const missingTurns = `
  SELECT count(*) AS n FROM unnest($1::uuid[]) AS answered LEFT JOIN conversation.sessions s ON s.session_uuid = answered
  LEFT JOIN conversation.turns t ON t.session_id = s.id AND t.status = 'COMPLETED' WHERE t.id IS NULL`;

const callerCount = 12;
/** This many answers between two kills, so that the platform works again before the next one. */
const answersBetween = 25;
const recoverWithinMs = 30_000;
const unlimited = { limit: 10_000_000, windowSeconds: 60 };
const plans = { standard: { key: { chat: unlimited }, organization: { chat: unlimited } } };

/** What a run did, and the state of the books after it. */
export interface CreditsRun extends Verdict {
  readonly kills: Readonly<Record<string, number>>;
  readonly acknowledged: number;
  readonly givenUp: number;
  readonly attempts: number;
  readonly slowRecoveries: number;
}

/** Runs the cluster under load, kills its processes one after the other, and checks the books at the end. */
export async function creditsUnderKills(home: string, kills: number): Promise<CreditsRun> {
  const postgres = await startEmbeddedPostgres({ home });
  const where = { home, postgresData: path.join(postgres.folder, 'data') };
  const cluster = startCluster(home, postgres.adminUrl);
  try {
    const { agentKey } = await awaitedDemo(home, cluster, 'chaos.log');
    const callers = new Callers({ baseUrls: doorsOf(where), agentKey }, callerCount);
    const rampage = await killUnderLoad(where, callers, kills);
    await callers.finish();
    const verdict = await proveBooks(postgres.adminUrl, callers);
    const { acknowledged, givenUp, attempts } = callers;
    return { ...verdict, ...rampage, acknowledged: acknowledged.length, givenUp: givenUp.length, attempts };
  } finally {
    cluster.kill('SIGTERM');
    if (cluster.exitCode === null && cluster.signalCode === null) await once(cluster, 'exit');
    await postgres.stop();
  }
}

function startCluster(home: string, administratorsUrl: string): ChildProcess {
  const entry = path.resolve(__dirname, '../cluster/main.js');
  const settings = {
    DATABASE_URL: administratorsUrl,
    PARLEY_HOME: home,
    PORT: '0',
    RATE_LIMIT_PLANS: JSON.stringify(plans),
    CREDIT_TOKENS_PER_TURN: '100',
  };
  const env = { ...processEnvironment(), ...settings };
  const child = spawn(process.execPath, ['--enable-source-maps', entry, '--replicas', 'gateway=2'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = createWriteStream(path.join(home, 'chaos.log'));
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  return child;
}

async function killUnderLoad(
  where: Whereabouts,
  callers: Callers,
  count: number,
): Promise<Pick<CreditsRun, 'kills' | 'slowRecoveries'>> {
  const kills: Record<string, number> = {};
  let slowRecoveries = 0;
  const victims = victimsInTurn();
  await answered(callers);
  for (let n = 0; n < count; n += 1) {
    await delay(randomInt(200));
    const name = killOne(where, victims.next().value);
    kills[name] = (kills[name] ?? 0) + 1;
    process.stderr.write(`chaos: ${n + 1}/${count} ended ${name}, ${callers.acknowledged.length} answered\n`);
    if (!(await answered(callers))) slowRecoveries += 1;
  }
  return { kills, slowRecoveries };
}

/** Waits for a number of further answers; returns whether they came in time. */
async function answered(callers: Callers): Promise<boolean> {
  const wanted = callers.acknowledged.length + answersBetween;
  for (const giveUpAtMs = Date.now() + recoverWithinMs; callers.acknowledged.length < wanted; await delay(20)) {
    if (Date.now() > giveUpAtMs) return false;
  }
  return true;
}

/** Lets the holds of dead processes expire, waits until they are swept, then compares the books with what the clients know. */
async function proveBooks(adminUrl: string, { acknowledged, sessions }: Callers): Promise<Verdict> {
  const client = new Client({ connectionString: databaseOf(adminUrl) });
  await client.connect();
  try {
    await client.query('SET search_path = gateway');
    await client.query('UPDATE credit_holds SET expires_at = now()');
    const query = async (statement: string): Promise<unknown[]> => (await client.query<Record<string, unknown>>(statement)).rows;
    let equation = await readEquation({ query });
    for (const giveUpAtMs = Date.now() + settleWithinMs; equation.held > 0 && Date.now() < giveUpAtMs; await delay(200)) {
      equation = await readEquation({ query });
    }
    const count = async (statement: string, about?: readonly string[]): Promise<number> =>
      Counted.parse((await client.query(statement, about && [about])).rows)[0].n;
    return {
      ...equation,
      difference: differenceOf(equation),
      acknowledgedWrongly: await count(wronglyAcknowledged, acknowledged),
      linesTooMany: await count(unaccountedLines, acknowledged),
      turnsUnpaid: await count(unpaidTurns, sessions),
      turnsMissing: await count(missingTurns, sessions),
    };
  } finally {
    await client.end();
  }
}

/** The superuser's URL names the superuser's database; the services use another. */
function databaseOf(adminUrl: string): string {
  const url = new URL(adminUrl);
  url.pathname = '/parley';
  return url.href;
}

/** The URLs of the cluster's gateways and bridges, which keep their ports across restarts. */
function doorsOf({ home }: Whereabouts): string[] {
  return rosterOf(home).flatMap(({ doorPort }) => (doorPort === undefined ? [] : [`http://127.0.0.1:${doorPort}`]));
}

/** Each kind once in random order, then all of them again in another order. */
function* victimsInTurn(): Generator<Victim, never> {
  for (;;) {
    const left = [...kinds];
    while (left.length > 0) yield* left.splice(randomInt(left.length), 1);
  }
}

/** Kills one process of a kind, and returns its name. */
function killOne({ home, postgresData }: Whereabouts, kind: Victim): string {
  const replicas = rosterOf(home).filter(({ name }) => name === kind || name.startsWith(`${kind}.`));
  const { name, pid } = replicas[randomInt(Math.max(1, replicas.length))] ?? { name: kind, pid: postmasterIn(postgresData) };
  if (pid !== undefined) killHard(pid);
  return name;
}

function rosterOf(home: string): z.output<typeof Roster> {
  return Roster.parse(JSON.parse(readFileSync(path.join(home, 'cluster.json'), 'utf8')));
}

function postmasterIn(data: string): number | undefined {
  try {
    return Number(readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  } catch {
    // It is already down.
    return undefined;
  }
}

function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ESRCH';
    if (!isGone) throw error;
  }
}

const callTimeoutMs = 30_000;
const giveUpMs = 90_000;
const pauseMs = 150;

interface Door {
  readonly baseUrls: readonly string[];
  readonly agentKey: string;
}

const Answered = z.object({ sessionUUID: z.uuid() });

/**
 * Well-behaved clients: a call with an Idempotency-Key is repeated until it is answered. Every second caller uses no keys and
 * accepts any outcome.
 */
class Callers {
  /** The Idempotency-Keys of calls that were answered with 200. */
  readonly acknowledged: string[] = [];
  /** The sessions of answered calls without a key. */
  readonly sessions: string[] = [];
  readonly givenUp: string[] = [];
  attempts = 0;
  private isStopping = false;
  private readonly running: Promise<void>[];

  constructor(
    private readonly door: Door,
    count: number,
  ) {
    this.running = Array.from({ length: count }, (_, n) => (n % 2 === 0 ? this.callOnAndOn() : this.callWithoutKeys()));
  }

  /** Lets every caller finish its current call. */
  async finish(): Promise<void> {
    this.isStopping = true;
    await Promise.all(this.running);
  }

  private async callOnAndOn(): Promise<void> {
    while (!this.isStopping) {
      const key = randomUUID();
      const isAnswered = await this.callUntilAnswered(key);
      (isAnswered ? this.acknowledged : this.givenUp).push(key);
    }
  }

  private async callWithoutKeys(): Promise<void> {
    while (!this.isStopping) {
      const reply = await this.send({ question: questionOfOthers }).catch(() => undefined);
      const body = reply?.status === 200 ? Answered.safeParse(reply.body).data : undefined;
      if (body) this.sessions.push(body.sessionUUID);
      else await delay(pauseMs);
    }
  }

  private async callUntilAnswered(key: string): Promise<boolean> {
    for (const giveUpAtMs = Date.now() + giveUpMs; Date.now() < giveUpAtMs; await delay(pauseMs)) {
      this.attempts += 1;
      const status = await this.call(key).catch(() => undefined);
      if (status === 200) return true;
      // Any other client error is a defect, and gives this key up.
      if (status !== undefined && status < 500 && status !== 409 && status !== 429) return false;
    }
    return false;
  }

  private async call(key: string): Promise<number> {
    return (await this.send({ question: questionOfKeyed }, { 'idempotency-key': key })).status;
  }

  private async send(body: object, headers: Record<string, string> = {}): Promise<{ status: number; body: unknown }> {
    const { baseUrls, agentKey } = this.door;
    const reply = await fetch(`${baseUrls[randomInt(baseUrls.length)]}/api/v1/ttt`, {
      method: 'POST',
      headers: { 'x-api-key': agentKey, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(callTimeoutMs),
    });
    return { status: reply.status, body: await reply.json() };
  }
}
