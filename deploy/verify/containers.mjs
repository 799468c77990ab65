// An installation in containers: each service in its own, read-only, without capabilities, as 10001, over a real NATS and Postgres in
// theirs. Everything that a container is told comes from docker-compose.yml.
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { engine } from '../stand-ins/engine.mjs';
import { composeServices } from '../compose-environment.mjs';
import { secretsOf } from './keys.mjs';
import { serviceNames, withPostgres } from './processes.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const usualStartMs = 90_000;
/** Health is asked from here; a few engines cannot run such checks by themselves. */
const unwatched = '--no-healthcheck';
const hardened = [
  unwatched,
  '--read-only',
  '--cap-drop',
  'ALL',
  '--security-opt',
  'no-new-privileges',
  '--tmpfs',
  '/tmp:size=256m',
];

/**
 * Sets up an installation under names that begin with `name`; its data lies in volumes of the engine. `images` are other images of
 * services than docker-compose.yml has.
 */
export async function startContainers(engineName, name, keys, { images = {}, startMs = usualStartMs } = {}) {
  const services = composeServices(keys.variables);
  for (const [service, image] of Object.entries(images)) services[service] = { ...services[service], image };
  const run = (words, options) => engine(engineName, words, options);
  const named = (service) => `${name}-${service}`;
  const place = { run, named, services, startMs, secrets: keys.folder, network: named('net') };
  await run(['network', 'create', place.network]);
  for (const volume of ['postgres', 'nats', 'files']) await run(['volume', 'create', named(volume)]);
  await startStores(place);
  const once = (service, words) => runToItsEnd(place, service, words);
  const readyMs = {};
  const replicas = [];
  const start = async (service, { as = service } = {}) => {
    replicas.push(as);
    readyMs[as] = { wall: await startService(place, service, as) };
    if (as === 'gateway') url = await gatewayUrl(as);
  };
  let url;
  const gatewayUrl = async (as) => `http://${await addressOf(place, as)}:8080`;
  return {
    readyMs,
    start,
    get url() {
      return url;
    },
    startSecond: (service) => start(service, { as: `${service}-2` }),
    gatewayUrls: () => Promise.all(['gateway', 'gateway-2'].map(gatewayUrl)),
    migrate: () => once('migrate', services.migrate.command),
    startAll: async () => {
      for (const service of serviceNames) await start(service);
    },
    admin: (...words) => once('admin', ['node', 'dist/apps/admin/src/main.js', ...words]),
    superuser: async (work) =>
      withPostgres(
        `postgres://postgres:${secretsOf(keys, 'postgres').POSTGRES_PASSWORD}@${await addressOf(place, 'postgres')}:5432/parley`,
        work,
      ),
    inside: (service, ...words) => run(['exec', named(service), ...words]),
    inspect: async (service) => JSON.parse(await run(['inspect', named(service)]))[0],
    kill: (service) => run(['kill', named(service)]),
    revive: async (service) => {
      await run(['start', named(service)]);
      await untilReady(place, service);
    },
    stopNicely: (service) => run(['stop', '--time', '45', named(service)]),
    exitCodeOf: async (service) => Number(await run(['inspect', '--format', '{{.State.ExitCode}}', named(service)])),
    stop: async () => {
      for (const service of [...replicas, 'qdrant', 'nats', 'postgres'])
        await run(['rm', '--force', named(service)]).catch(() => undefined);
      for (const volume of ['postgres', 'nats', 'files']) await run(['volume', 'rm', named(volume)]).catch(() => undefined);
      await run(['network', 'rm', place.network]).catch(() => undefined);
    },
  };
}

/** Runs a command of the image in a container that goes away with it. */
function runToItsEnd(place, service, words) {
  const { run, named, services, network } = place;
  const { image } = services[service];
  const name = named(`${service}-${Math.random().toString(36).slice(2, 8)}`);
  const settings = ['--name', name, '--network', network, ...hardened];
  return run(['run', '--rm', ...settings, ...told(place, service), image, ...words], { timeoutMs: 180_000 }).then(
    (out) => ({ code: 0, out, err: '' }),
    (error) => ({ code: error.code, out: error.out ?? '', err: (error.err || error.message).slice(-600) }),
  );
}

/** Starts a service, under another name as one more of it, and tells after how many milliseconds it was ready. */
async function startService(place, service, as) {
  const { run, named, services, network } = place;
  const { image, command } = services[service];
  const startedAt = performance.now();
  const names = ['--name', named(as), '--hostname', as, '--network', network, '--network-alias', service];
  const files = ['--volume', `${named('files')}:/var/lib/parley`];
  const settings = [...hardened, ...limits(services[service]), ...files, ...told(place, service)];
  await run(['run', '--detach', ...names, ...settings, image, ...command]);
  await untilReady(place, as);
  return Math.round(performance.now() - startedAt);
}

async function untilReady(place, as) {
  const address = await addressOf(place, as);
  await until(
    () => isWell(`http://${address}:9090/health/ready`),
    async () => `${as}: ${await logsOf(place, as)}`,
    place.startMs,
  );
}

async function startStores(place) {
  const { run, named, services, network } = place;
  const store = (service, extra, words) =>
    run([
      'run',
      '--detach',
      unwatched,
      '--name',
      named(service),
      '--hostname',
      service,
      '--network',
      network,
      '--network-alias',
      service,
      ...extra,
      ...told(place, service),
      services[service].image,
      ...words,
    ]);
  const stores = path.join(root, 'deploy/stores');
  await store(
    'postgres',
    [
      '--volume',
      `${named('postgres')}:/var/lib/postgresql`,
      '--volume',
      `${stores}/10-parley.sql:/docker-entrypoint-initdb.d/10-parley.sql:ro`,
    ],
    services.postgres.command,
  );
  await store(
    'nats',
    [
      '--volume',
      `${named('nats')}:/data`,
      '--volume',
      `${stores}/nats.conf:/etc/nats/nats.conf:ro`,
      '--volume',
      `${stores}/nats-users.conf:/etc/nats/nats-users.conf:ro`,
    ],
    services.nats.command,
  );
  await store('qdrant', [], []);
  for (const service of ['postgres', 'nats', 'qdrant']) {
    const { test } = services[service].healthcheck;
    await until(
      () =>
        run(['exec', named(service), ...test.slice(1)]).then(
          () => true,
          () => false,
        ),
      async () => `${service}: ${await logsOf(place, service)}`,
    );
  }
}

/** The environment of a service and where its secrets are, as words for the engine. */
function told({ services, secrets }, service) {
  const { environment = {} } = services[service];
  const variables = Object.entries(environment).flatMap(([name, value]) => (value === '' ? [] : ['--env', `${name}=${value}`]));
  const mount = 'SECRETS_DIR' in environment ? ['--volume', `${path.join(secrets, service)}:/run/secrets:ro`] : [];
  return [...variables, ...mount];
}

function limits({ deploy }) {
  const { memory } = deploy.resources.limits;
  return ['--memory', memory.toLowerCase()];
}

async function addressOf({ run, named }, service) {
  const text = await run(['inspect', '--format', '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}', named(service)]);
  return text.trim();
}

async function logsOf({ run, named }, service) {
  return (await run(['logs', '--tail', '30', named(service)]).catch(({ message }) => message)).slice(-1_500);
}

async function isWell(address) {
  const answer = await fetch(address, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
  return answer?.ok ?? false;
}

async function until(isSo, complaint, patienceMs = usualStartMs) {
  for (const giveUpAt = Date.now() + patienceMs; Date.now() < giveUpAt; await delay(50)) if (await isSo()) return;
  throw new Error(await complaint());
}
