// An upgrade that is taken back: an older build serves, this one takes its place service by service under load, and the older one again on
// the newer schema. What a rolling update does: one more of a service starts and is ready, then the one before is taken off the list and
// ends. UPGRADE_FROM names the older build (a tag, a commit, or the folder of one that is built; the newest tag), UPGRADE_RATE the questions a
// second, UPGRADE_LINES the lines.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { apiOf, firstAnswer, keyOf } from './first-answer.mjs';
import { newKeys } from './keys.mjs';
import { freePort, serviceNames, startProcesses } from './processes.mjs';
import { inTime } from './ready-in-time.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const rate = Number(process.env.UPGRADE_RATE ?? 200);
const lines = Number(process.env.UPGRADE_LINES ?? 20);
/** As long as `preStop` of the manifests waits for balancers. */
const delistedMs = 2_000;
const resumedMsMax = 2_000;
/** A line that is not back by then is lost. */
const resumePatienceMs = 60_000;
/** Limits are as they are shipped, and a key may have 200 questions open: they come from several. */
const keyCount = 10;

export async function upgradeChecks(table, home) {
  const title = 'upgrade: an older build serves under load';
  const from = process.env.UPGRADE_FROM ?? newestTag();
  if (!from) return table.cannot(title, 'no tag in this history: UPGRADE_FROM names a commit to come from');
  const folder = path.join(home, 'upgrade');
  mkdirSync(folder, { mode: 0o755 });
  const older = olderBuild(path.join(folder, 'older'), from);
  if (older.why) return table.cannot(title, older.why);
  const installation = await startProcesses(folder, newKeys(folder));
  const roll = new Roll(installation, older.tree);
  let load;
  try {
    const isUp = await table.check(title, async () => {
      await ended(installation.migrate(older.tree));
      for (const name of serviceNames) await roll.begin(name);
      const used = await firstAnswer(installation);
      await giveRoom(installation, String(used.made.OrgID));
      load = new Load(roll, await keysOf(installation, used));
      await load.begin();
      await delay(5_000);
      assert.equal(load.failures.length, 0, `${load.failuresByStep()}: ${load.figures()}`);
      return `${from}: ${load.figures()}`;
    });
    if (!isUp) return;
    const there = `upgrade: to this build, service by service, at ${rate} questions a second beside ${lines} lines`;
    await rolled(table, there, load, async () => {
      load.step = 'migration';
      await ended(installation.migrate());
      for (const name of serviceNames) await roll.replace((load.step = name), root);
    });
    await rolled(table, 'upgrade: back to the older build, on the newer schema', load, async () => {
      for (const name of serviceNames) await roll.replace((load.step = name), older.tree);
    });
  } finally {
    await load?.end();
    await installation.stop();
  }
}

async function rolled(table, title, load, work) {
  load.forget();
  const isWhole = await table.check(title, async () => {
    await work();
    load.step = 'afterwards';
    await load.untilResumed();
    assert.equal(load.failures.length, 0, `${load.failuresByStep()}: ${load.figures()}`);
    return load.figures();
  });
  if (!isWhole) return;
  const slowest = Math.max(...load.resumedMs);
  inTime(table, `${title}: each line resumes within 2 s`, { isLate: slowest > resumedMsMax, seen: `${slowest} ms` });
}

/** An organization is held to fewer questions than are asked here, and to what it has bought. */
export async function giveRoom(installation, organization) {
  const quota = { limit: 1_000_000, windowSeconds: 60 };
  const limits = JSON.stringify({ key: { chat: quota, read: quota }, organization: { chat: quota, read: quota } });
  const commands = [
    ['plan', 'save', '--name', 'roomy', '--limits', limits],
    ['plan', 'assign', '--organization', organization, '--name', 'roomy'],
    ['credits', 'grant', '--organization', organization, '--ttt', '100000000', '--tts', '100000000', '--stt', '100000000'],
  ];
  for (const words of commands) await ended(installation.admin(...words));
}

function keysOf({ url }, { agent, made }) {
  const names = Array.from({ length: keyCount }, (_, index) => `Website ${index + 1}`);
  return Promise.all(names.map((name) => keyOf(apiOf(url), made.key, { agent, name })));
}

async function ended(run) {
  const { code, err } = await run;
  assert.equal(code, 0, err.slice(-500));
}

function newestTag() {
  const { status, stdout } = spawnSync('git', ['describe', '--tags', '--abbrev=0', 'HEAD^'], { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

/** The tree of another commit, built; it borrows the packages of this one, so both must want the same. */
function olderBuild(tree, from) {
  if (existsSync(path.join(from, 'dist'))) return { tree: path.resolve(from) };
  mkdirSync(tree, { recursive: true, mode: 0o755 });
  const { status, stdout } = spawnSync('git', ['archive', from], { cwd: root, maxBuffer: 512 * 1024 * 1024 });
  if (status !== 0) return { why: `${from} is not in this history` };
  execFileSync('tar', ['-x', '-C', tree], { input: stdout });
  const packagesOf = (folder) => readFileSync(path.join(folder, 'package-lock.json'), 'utf8');
  if (packagesOf(tree) !== packagesOf(root)) return { why: `${from} has other packages than this build` };
  symlinkSync(path.join(root, 'node_modules'), path.join(tree, 'node_modules'));
  execFileSync(process.execPath, ['tools/build.mjs'], { cwd: tree, stdio: ['ignore', 'ignore', 'inherit'] });
  return { tree };
}

/** The replicas of an installation, one of each service and a second one while it is replaced. */
class Roll {
  /** Where gateways are asked: what a balancer has on its list. */
  listed = [];
  running = new Map();
  count = 0;

  constructor(installation, tree) {
    this.installation = installation;
    this.tree = tree;
  }

  /** The first of each service, under its own name. */
  async begin(name) {
    await this.installation.start(name, { tree: this.tree });
    this.running.set(name, { as: name, url: name === 'gateway' ? this.installation.url : undefined });
    if (name === 'gateway') this.listed = [this.installation.url];
  }

  async replace(name, tree) {
    const before = this.running.get(name);
    const as = `${name}-${(this.count += 1)}`;
    const port = name === 'gateway' ? await freePort() : undefined;
    await this.installation.start(name, { as, tree, ...(port && { port }) });
    const url = port && `http://127.0.0.1:${port}`;
    this.running.set(name, { as, url });
    if (url) this.listed = [url];
    await delay(delistedMs);
    await this.installation.kill(before.as, 'SIGTERM');
  }
}

/** Questions at a steady rate, however long the answers take, and lines of live voice that come back when they are closed. */
class Load {
  /** What is being replaced. */
  step = 'before';
  failures = [];
  slowestMs = 0;
  openMax = 0;
  resumedMs = [];
  answered = 0;
  isOver = false;
  sockets = new Set();
  ready = new Set();
  underWay = new Set();

  constructor(roll, keys) {
    this.roll = roll;
    this.keys = keys;
  }

  turn = 0;

  /** Each key in its turn. */
  headers() {
    this.turn += 1;
    return { 'x-api-key': this.keys[this.turn % this.keys.length] };
  }

  async begin() {
    this.clock = setInterval(() => this.tick(), 20);
    this.startedAt = performance.now();
    await Promise.all(Array.from({ length: lines }, () => this.line()));
  }

  /** Failures so far are forgotten: what follows is counted. */
  forget() {
    Object.assign(this, {
      failures: [],
      resumedMs: [],
      answered: 0,
      asked: 0,
      slowestMs: 0,
      openMax: 0,
      startedAt: performance.now(),
    });
  }

  asked = 0;

  tick() {
    const due = Math.floor(((performance.now() - this.startedAt) / 1000) * rate);
    for (; this.asked < due; this.asked += 1) {
      const asking = this.question().finally(() => this.underWay.delete(asking));
      this.underWay.add(asking);
    }
    this.openMax = Math.max(this.openMax, this.underWay.size);
  }

  fail(why) {
    this.failures.push({ step: this.step, why });
  }

  /** How often each thing went wrong at which step: a machine that is too slow fails at all of them, a fault of ours at one. */
  failuresByStep() {
    const counts = Map.groupBy(this.failures, ({ step, why }) => `${step}: ${why}`);
    return [...counts].map(([what, each]) => `${each.length} × ${what}`).join('; ');
  }

  async question() {
    const [url] = this.roll.listed;
    const askedAt = performance.now();
    try {
      const answer = await fetch(`${url}/api/v1/ttt`, {
        method: 'POST',
        headers: { ...this.headers(), 'content-type': 'application/json' },
        body: JSON.stringify({ question: 'When are you open?' }),
        signal: AbortSignal.timeout(20_000),
      });
      const { status } = answer;
      const text = await answer.text();
      if (status === 200) this.answered += 1;
      else this.fail(`${status} ${/"code":"(\w+)"/.exec(text)?.[1] ?? text.slice(0, 60)}`);
    } catch (error) {
      this.fail(`${error.message} ${error.cause?.code ?? ''}`);
    }
    this.slowestMs = Math.max(this.slowestMs, Math.round(performance.now() - askedAt));
  }

  /** A line that is silent for as long as it is held: nobody speaks, and everything is heard. */
  async line(sessionUUID, closedAt, headers = this.headers()) {
    const socket = new WebSocket(`${this.roll.listed[0].replace('http', 'ws')}/ws/sts`, { headers });
    const silence = Buffer.alloc(640);
    const sound = setInterval(() => socket.readyState === WebSocket.OPEN && socket.send(silence), 20);
    this.sockets.add(socket);
    let session = sessionUUID;
    socket.on('open', () => socket.send(JSON.stringify({ type: 'session.start', ...(session && { sessionUUID: session }) })));
    socket.on('error', (error) => !this.isOver && this.fail(`line: ${error.message}`));
    socket.on('close', (code, reason) => {
      clearInterval(sound);
      this.sockets.delete(socket);
      this.ready.delete(socket);
      if (this.isOver) return;
      if (code !== 1012) this.fail(`line: closed with ${code} ${reason}`);
      void this.line(session, performance.now(), headers);
    });
    await new Promise((resolve) => {
      socket.on('close', resolve);
      socket.on('message', (data, isBinary) => {
        if (isBinary) return;
        const frame = JSON.parse(String(data));
        if (frame.type === 'error') this.fail(`line: ${frame.code ?? JSON.stringify(frame).slice(0, 100)}`);
        if (frame.type !== 'session.ready') return;
        session = frame.sessionUUID;
        this.ready.add(socket);
        if (closedAt !== undefined) this.resumedMs.push(Math.round(performance.now() - closedAt));
        resolve();
      });
    });
  }

  /** The gateway went last, and took every line with it. One that was lost before may have come back twice. */
  async untilResumed() {
    const isLeft = () => this.resumedMs.length < lines || this.ready.size < lines;
    for (const giveUpAt = Date.now() + resumePatienceMs; isLeft(); await delay(100))
      assert.ok(Date.now() < giveUpAt, `${lines - this.ready.size} of ${lines} lines did not come back: ${this.figures()}`);
  }

  figures() {
    const seconds = (performance.now() - this.startedAt) / 1000;
    const slowest = this.resumedMs.length ? `, the slowest after ${Math.max(...this.resumedMs)} ms` : '';
    return (
      `${this.answered} answered in ${seconds.toFixed(0)} s (${(this.answered / seconds).toFixed(0)}/s), ${this.failures.length} failed, ` +
      `the slowest after ${this.slowestMs} ms, at most ${this.openMax} open at a time; ` +
      `${this.sockets.size} lines, ${this.resumedMs.length} resumed${slowest}`
    );
  }

  async end() {
    this.isOver = true;
    clearInterval(this.clock);
    for (const socket of this.sockets) socket.close();
    await Promise.allSettled(this.underWay);
  }
}
