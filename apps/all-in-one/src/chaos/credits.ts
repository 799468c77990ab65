import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmbeddedPostgres } from '@parley/database';
import { processEnvironment } from '@parley/service-kit';
import { awaitedDemo } from '../demo/awaited-demo';
import { proveBooks, type Verdict } from './books';
import { Callers } from './callers';
import { doorsOf, killOne, victimsInTurn, type Whereabouts } from './victims';

const callerCount = 12;
/** So many answers between two deaths: the platform works again before the next one. */
const answersBetween = 25;
const recoverWithinMs = 30_000;
const unlimited = { limit: 10_000_000, windowSeconds: 60 };
const plans = { standard: { key: { chat: unlimited }, organization: { chat: unlimited } } };

/** What a run did and what became of the money. */
export interface Outcome extends Verdict {
  readonly kills: Readonly<Record<string, number>>;
  readonly acknowledged: number;
  readonly givenUp: number;
  readonly attempts: number;
  readonly slowRecoveries: number;
}

/** Runs the cluster under load, ends its processes one after the other, and proves the books at the end. */
export async function creditsUnderKills(home: string, kills: number): Promise<Outcome> {
  const postgres = await startEmbeddedPostgres({ home });
  const where = { home, postgresData: path.join(postgres.folder, 'data') };
  const cluster = startCluster(home, postgres.url);
  try {
    const { agentKey } = await awaitedDemo(home, cluster, 'chaos.log');
    const callers = new Callers({ baseUrls: doorsOf(where), agentKey }, callerCount);
    const rampage = await killUnderLoad(where, callers, kills);
    await callers.finish();
    const verdict = await proveBooks(postgres.adminUrl, callers.acknowledged);
    const { acknowledged, givenUp, attempts } = callers;
    return { ...verdict, ...rampage, acknowledged: acknowledged.length, givenUp: givenUp.length, attempts };
  } finally {
    cluster.kill('SIGTERM');
    if (cluster.exitCode === null && cluster.signalCode === null) await once(cluster, 'exit');
    await postgres.stop();
  }
}

function startCluster(home: string, databaseUrl: string): ChildProcess {
  const entry = path.resolve(__dirname, '../cluster/main.js');
  const settings = {
    DATABASE_URL: databaseUrl,
    PARLEY_HOME: home,
    PORT: '0',
    RATE_LIMIT_PLANS: JSON.stringify(plans),
    CREDIT_HOLD_TIME: '20s',
    CREDIT_TOKENS_PER_TURN: '100',
  };
  const env = { ...processEnvironment(), ...settings };
  const child = spawn(process.execPath, ['--enable-source-maps', entry, '--replicas', 'gateway=2'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const log = createWriteStream(path.join(home, 'chaos.log'));
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  return child;
}

async function killUnderLoad(where: Whereabouts, callers: Callers, count: number): Promise<Pick<Outcome, 'kills' | 'slowRecoveries'>> {
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

/** Waits for some answers more; answers whether they came in time. */
async function answered(callers: Callers): Promise<boolean> {
  const wanted = callers.acknowledged.length + answersBetween;
  for (const giveUpAtMs = Date.now() + recoverWithinMs; callers.acknowledged.length < wanted; await delay(20)) {
    if (Date.now() > giveUpAtMs) return false;
  }
  return true;
}
