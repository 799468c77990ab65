// Two replicas of every service behind a balancer, and one of them killed: who notices? At KILL_RATE requests a second (20), half of them
// questions and half readings of the service that is killed. As processes, and with every replica in a container of its own.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findEngine } from '../stand-ins/engine.mjs';
import { startContainers } from './containers.mjs';
import { firstAnswer } from './first-answer.mjs';
import { newKeys } from './keys.mjs';
import { serviceNames, startProcesses } from './processes.mjs';
import { giveRoom } from './upgrade-checks.mjs';

const rate = Number(process.env.KILL_RATE ?? 20);
const failedMax = 1;
/** A container's address is gone with it: the system says so at once, or the client gives up. */
const neverConnected = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);
const [beforeMs, afterMs] = [3_000, 12_000];

/** What reads from each service, with a workspace's key. Speech is asked by lines and sounds, so questions alone stand for it. */
const readings = {
  'agent-config': ['/api/v1/external/lookup/tones'],
  'team-sales': ['/api/v1/external/team-management/my-access'],
  'knowledge-ingest': ['/api/v1/external/kb/kb-list', {}],
  conversation: ['/api/v1/external/logs/conversational-log-list', {}],
  dashboards: ['/api/v1/external/dashboard-count/get-today-count'],
  'telephony-bridge': ['/api/v1/external/call/call-list', {}],
  gateway: ['/api/v1/external/credits/balance'],
};

export function killChecks(table, home) {
  const start = async (keys, folder) => {
    const installation = await startProcesses(folder, keys);
    await installation.compileAhead();
    return installation;
  };
  return killInTurn(table, { form: 'kill', folder: path.join(home, 'kill'), start });
}

export async function containerKillChecks(table, home) {
  const engineName = findEngine();
  const form = 'kill in containers';
  if (!engineName) return table.cannot(`${form}: two replicas of every service`, 'no podman or docker here');
  const start = (keys) => startContainers(engineName, `parley-kill-${process.pid}`, keys);
  return killInTurn(table, { form, folder: path.join(home, 'kill-containers'), start });
}

async function killInTurn(table, { form, folder, start }) {
  mkdirSync(folder, { mode: 0o755 });
  let installation;
  try {
    let load;
    const isUp = await table.check(`${form}: two replicas of every service start, and a question is answered`, async () => {
      installation = await start(newKeys(folder), folder);
      const migrated = await installation.migrate();
      assert.equal(migrated.code, 0, migrated.err);
      for (const name of serviceNames) {
        await installation.start(name);
        await installation.startSecond(name);
      }
      const used = await firstAnswer(installation);
      await giveRoom(installation, String(used.made.OrgID));
      load = new Load({ agent: used.agentKey, workspace: used.made.key });
      return `${serviceNames.length} services, twice; ${used.figures}`;
    });
    if (!isUp) return;
    for (const name of serviceNames)
      await table.check(`${form}: at most ${failedMax} of ${rate} requests a second fails when a ${name} is killed`, async () => {
        load.begin(name, await installation.gatewayUrls());
        try {
          await delay(beforeMs);
          assert.equal(load.failures.length, 0, `before anybody was killed: ${load.figures()}`);
          await installation.kill(name);
          await delay(afterMs);
        } finally {
          await load.end();
        }
        const seen = load.figures();
        await installation.revive(name);
        assert.ok(load.failures.length <= failedMax, seen);
        return seen;
      });
  } finally {
    await installation?.stop();
  }
}

/** Requests at a steady rate by way of a balancer: to the next gateway when one takes no connection, and a GET also when one broke off. */
class Load {
  failures = [];

  constructor(keys) {
    this.keys = keys;
  }

  begin(service, urls) {
    Object.assign(this, { urls, failures: [], answered: 0, slowestMs: 0, underWay: new Set() });
    let count = 0;
    this.clock = setInterval(() => {
      count += 1;
      const asking = this.request(count, readings[service]).finally(() => this.underWay.delete(asking));
      this.underWay.add(asking);
    }, 1_000 / rate);
  }

  async end() {
    clearInterval(this.clock);
    await Promise.all(this.underWay);
  }

  async request(count, reading) {
    const isQuestion = !reading || count % 2 === 0;
    const [place, body] = isQuestion ? ['/api/v1/ttt', { question: 'When are you open?' }] : reading;
    const key = isQuestion ? this.keys.agent : this.keys.workspace;
    const askedAt = performance.now();
    const why = await this.balanced(count >> 1, place, {
      method: body ? 'POST' : 'GET',
      headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    this.slowestMs = Math.max(this.slowestMs, Math.round(performance.now() - askedAt));
    if (why) this.failures.push(`${place} ${why}`);
    else this.answered += 1;
  }

  /** Why it failed, or undefined. */
  async balanced(turn, place, request) {
    for (let attempt = 0; ; attempt += 1) {
      const url = this.urls[(turn + attempt) % this.urls.length];
      try {
        const answer = await fetch(url + place, { ...request, signal: AbortSignal.timeout(30_000) });
        const text = await answer.text();
        return answer.status === 200 ? undefined : `${answer.status} ${/"code":"(\w+)"/.exec(text)?.[1] ?? ''}`;
      } catch (error) {
        const code = error.cause?.code ?? error.message;
        const mayGoOn = neverConnected.has(code) || request.method === 'GET';
        if (!mayGoOn || attempt === this.urls.length) return code;
      }
    }
  }

  figures() {
    const counts = Map.groupBy(this.failures, (why) => why);
    const failed = [...counts].map(([why, each]) => `${each.length} × ${why}`).join('; ');
    return `${this.answered} answered, the slowest after ${this.slowestMs} ms; ${failed || 'none failed'}`;
  }
}
