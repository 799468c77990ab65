// Two replicas of every service behind a balancer, and one of them killed: who notices? At KILL_RATE requests a second (20), half of them
// questions and half readings of the service that is killed.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { firstAnswer } from './first-answer.mjs';
import { newKeys } from './keys.mjs';
import { freePort, serviceNames, startProcesses } from './processes.mjs';
import { giveRoom } from './upgrade-checks.mjs';

const rate = Number(process.env.KILL_RATE ?? 20);
const failedMax = 1;
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

export async function killChecks(table, home) {
  const folder = path.join(home, 'kill');
  mkdirSync(folder, { mode: 0o755 });
  let installation;
  try {
    let load;
    const isUp = await table.check('kill: two replicas of every service start', async () => {
      installation = await startProcesses(folder, newKeys(folder));
      const migrated = await installation.migrate();
      assert.equal(migrated.code, 0, migrated.err);
      await installation.compileAhead();
      const ports = { first: installation.ports.gateway, second: await freePort() };
      for (const name of serviceNames) {
        await installation.start(name);
        await installation.start(name, { as: `${name}-2`, port: ports.second });
      }
      const used = await firstAnswer(installation);
      await giveRoom(installation, String(used.made.OrgID));
      load = new Load(Object.values(ports), { agent: used.agentKey, workspace: used.made.key });
      return `${serviceNames.length} services, twice`;
    });
    if (!isUp) return;
    for (const name of serviceNames)
      await table.check(`kill: at most ${failedMax} of ${rate} requests a second fails when a ${name} is killed`, async () => {
        load.begin(name);
        try {
          await delay(beforeMs);
          assert.equal(load.failures.length, 0, `before anybody was killed: ${load.figures()}`);
          await installation.kill(name);
          await delay(afterMs);
        } finally {
          await load.end();
        }
        const seen = load.figures();
        await installation.start(name);
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

  constructor(ports, keys) {
    this.urls = ports.map((port) => `http://127.0.0.1:${port}`);
    this.keys = keys;
  }

  begin(service) {
    Object.assign(this, { failures: [], answered: 0, slowestMs: 0, underWay: new Set() });
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
        const mayGoOn = code === 'ECONNREFUSED' || request.method === 'GET';
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
