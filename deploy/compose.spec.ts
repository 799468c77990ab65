import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { newInstallationKeys } from '../apps/all-in-one/src/keys/installation-keys';
import { services as platform } from '../apps/all-in-one/src/platform';
import { serviceNames } from '../libs/contracts/src';
import { describeConfiguration } from '../libs/service-kit/src';
import { commandOf } from './checks/command';
import { keptComplete, withMissingSettings } from './checks/completed';
import { ComposeFile, interpolate, schemaErrorsOf, settingsIn, variablesIn } from './checks/compose-file';
import { Mapping, parseYaml, repository } from './checks/yaml-documents';

const read = (file: string) => readFileSync(path.join(repository, file), 'utf8');
const source = read('docker-compose.yml');
const isUpdated = Boolean(process.env['UPDATE_DOCS']);
const { publicKeys: required, secrets } = newInstallationKeys();
const [file] = parseYaml(source);
const resolved = Mapping.parse(interpolate(file, required));
const { services, networks } = ComposeFile.parse(resolved);
const names = [...serviceNames];
const watching = ['prometheus', 'grafana', 'otel-collector', 'jaeger'];
const optional = [...watching, 'mail', 'storage'];
const Scraping = z.object({
  scrape_configs: z.array(z.object({ dns_sd_configs: z.array(z.object({ names: z.array(z.string()) })) })),
});

it('satisfies the schema of the Compose specification', () => {
  expect(schemaErrorsOf(resolved)).toEqual([]);
});

it('has a schema that rejects a misspelt field, so that the check above means something', () => {
  expect(schemaErrorsOf({ services: { gateway: { imagine: 'parley' } } })).toEqual([expect.stringContaining('imagine')]);
});

it.each(Object.keys(required))('does not start without %s', (name) => {
  expect(() => interpolate(file, { ...required, [name]: '' })).toThrow(`${name} is required`);
});

it('.env.example has every setting of the file, with its default (add them with UPDATE_DOCS=1 jest deploy/compose)', () => {
  const settings = settingsIn(keptComplete('.env.example', isUpdated, (text) => withMissingSettings(text, variablesIn(source))));
  expect([...settings.keys()].sort()).toEqual(
    variablesIn(source)
      .map(({ name }) => name)
      .sort(),
  );
  for (const variable of variablesIn(source))
    expect([variable.name, settings.get(variable.name)]).toEqual([variable.name, variable.default ?? '']);
});

it('runs every service from one image, the stores, the migration, the operator’s commands, and monitoring', () => {
  expect(Object.keys(services).sort()).toEqual(
    [...names, 'admin', 'migrate', 'models', ...optional, 'nats', 'postgres', 'qdrant'].sort(),
  );
  const { version } = JSON.parse(read('package.json'));
  expect(new Set([...names, 'migrate', 'admin', 'models'].map((name) => services[name]?.image))).toEqual(
    new Set([`parley:${version}`]),
  );
});

describe.each(names)('%s', (name) => {
  const service = services[name];

  it('runs its own program and starts after the migration', () => {
    expect(service?.command).toEqual(commandOf(name));
    expect(service?.depends_on).toMatchObject({
      migrate: { condition: 'service_completed_successfully' },
      nats: { condition: 'service_healthy' },
      postgres: { condition: 'service_healthy' },
    });
  });

  it('has its connections, a health port, a read-only root and no capabilities', () => {
    expect(service?.environment).toMatchObject({
      NATS_URL: 'nats://nats:4222',
      ADMIN_HOST: '0.0.0.0',
      ADMIN_PORT: '9090',
    });
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      restart: 'unless-stopped',
    });
  });

  it('has longer to stop than its drain takes', () => {
    expect(Number.parseInt(String(service?.['stop_grace_period']), 10)).toBeGreaterThan(
      Number(service?.environment['DRAIN_SECONDS']) + 3,
    );
  });
});

it('keeps a bounded log of every container', () => {
  const logs = Object.entries(services).map(([name, { logging }]) => [name, logging]);
  const bounded = {
    driver: 'json-file',
    options: { 'max-size': expect.stringMatching(/^\d+m$/), 'max-file': expect.any(String) },
  };
  expect(logs).toEqual(logs.map(([name]) => [name, bounded]));
});

it('has the home of the image’s user in no volume, and a place for caches that can be written', () => {
  const [home = '', caches = ''] = ['HOME', 'XDG_CACHE_HOME'].map((name) => read('Dockerfile').match(`    ${name}=(\\S+)`)?.[1]);
  expect([home, caches]).toEqual(['/home/parley', '/tmp/cache']);
  const ofImage = Object.values(services).filter(({ image }) => image.startsWith('parley:'));
  expect(ofImage.length).toBeGreaterThan(8);
  for (const { volumes, tmpfs } of ofImage) {
    const targets = volumes.map((volume) => (typeof volume === 'string' ? (volume.split(':')[1] ?? '') : volume.target));
    expect(targets.filter((target) => `${home}/`.startsWith(`${target}/`))).toEqual([]);
    expect(tmpfs.map((mount) => mount.split(':')[0])).toContain(path.dirname(caches));
  }
});

it('mounts only its own secrets, read-only, and has no secret in the file or .env', () => {
  const withSecrets = [...names, 'migrate', 'admin', 'postgres', 'storage'];
  for (const [name, { volumes, environment }] of Object.entries(services)) {
    const mounts = volumes.filter((volume) => typeof volume !== 'string');
    const own = { type: 'bind', source: `./secrets/${name}`, target: '/run/secrets', read_only: true };
    expect([name, mounts]).toEqual([name, withSecrets.includes(name) ? [{ ...own, bind: { create_host_path: false } }] : []]);
    expect([name, environment['SECRETS_DIR']]).toEqual([name, withSecrets.includes(name) ? '/run/secrets' : undefined]);
  }
  const isSecret = new Set(describeConfiguration(platform).flatMap(({ variable, isSecret: is }) => (is ? [variable] : [])));
  const told = Object.values(services).flatMap(({ environment }) => Object.keys(environment));
  expect(told.filter((variable) => isSecret.has(variable) && variable !== 'NATS_URL')).toEqual([]);
  expect([...settingsIn(read('.env.example')).keys()].filter((variable) => isSecret.has(variable))).toEqual([]);
  // The broker knows public keys only.
  expect(JSON.stringify(services['nats']?.environment)).not.toMatch(/"SU/);
});

it('gives each process its own database role, its own broker user, and no secret of another', () => {
  const own = new Map<string, string>();
  for (const name of [...names, 'migrate', 'admin']) {
    const { DATABASE_URL, NATS_NKEY, PARLEY_CALL_KEY } = secrets[name] ?? {};
    for (const secret of [DATABASE_URL, NATS_NKEY, PARLEY_CALL_KEY].filter((each) => each !== undefined)) {
      expect([name, secret, own.get(secret)]).toEqual([name, secret, undefined]);
      own.set(secret, name);
    }
  }
  expect(secrets['gateway']?.['DATABASE_URL']).toMatch(/^postgres:\/\/parley_gateway:\w+@postgres:5432\/parley$/);
  expect(secrets['migrate']?.['DATABASE_URL']).toMatch(/^postgres:\/\/parley:\w+@/);
  const held = JSON.stringify(names.map((name) => secrets[name]));
  const { POSTGRES_PASSWORD = '-', PARLEY_DATABASE_PASSWORD = '-' } = secrets['postgres'] ?? {};
  for (const secret of [POSTGRES_PASSWORD, PARLEY_DATABASE_PASSWORD, secrets['migrate']?.['NATS_NKEY']])
    expect(held).not.toContain(secret);
});

it('publishes only the gateway and the telephony bridge, and what is watched locally; stores have no way out', () => {
  const published = Object.entries(services).filter(([, { ports }]) => ports.length > 0);
  expect(published.map(([name, { ports }]) => [name, ports])).toEqual([
    ['gateway', ['8080:8080']],
    ['telephony-bridge', ['8090:8090']],
    ['grafana', ['127.0.0.1:3000:3000']],
    ['jaeger', ['127.0.0.1:16686:16686']],
    ['mail', ['127.0.0.1:8025:8025']],
  ]);
  expect(networks['inside']).toEqual({ internal: true });
  for (const store of ['nats', 'postgres', 'qdrant', 'migrate', 'admin', 'prometheus', 'storage'])
    expect(services[store]?.networks).toEqual(['inside']);
});

it('waits only for stores with a health check', () => {
  for (const store of ['nats', 'postgres', 'qdrant']) expect(services[store]).toHaveProperty(['healthcheck', 'test', 0], 'CMD');
});

it('limits no service to more processors than the smallest machine has, since Docker starts none of those', () => {
  const asked = Object.entries(services).map(([name, { deploy }]) => ({ name, cpus: Number(deploy.resources.limits.cpus ?? 0) }));
  expect(asked.filter(({ cpus }) => cpus > 1)).toEqual([]);
});

it('every image has a fixed tag', () => {
  for (const { image } of Object.values(services)) expect(image).toMatch(/:v?\d+(\.\d+)*(-[a-z]+)?$/);
});

it('Prometheus asks every service (update with UPDATE_DOCS=1 jest deploy/compose)', () => {
  const named = (text: string) => text.replace(/(?<=- names: \[)[^\]]*(?=\])/u, names.toSorted().join(', '));
  const [scraping] = parseYaml(keptComplete('deploy/observability/prometheus.yaml', isUpdated, named));
  const { scrape_configs: jobs } = Scraping.parse(scraping);
  expect(jobs.flatMap((job) => job.dns_sd_configs.flatMap((found) => found.names)).sort()).toEqual([...names].sort());
});

it('keeps each documented command that is run once in a profile of its name, which podman-compose has to be told', () => {
  const page = ['docs/deployment.md', 'docs/operations.md'].map(read).join('\n');
  const runOnce = new Set([...page.matchAll(/docker compose run --rm ([\w-]+)/g)].map(([, name = '']) => name));
  expect([...runOnce].toSorted()).toEqual(['admin', 'models']);
  for (const name of runOnce) {
    expect(services[name]).toMatchObject({ profiles: [name] });
    expect(page).toContain(`--profile ${name} run --rm ${name}`);
  }
});

it('has its profiles: mail, storage and observability, which mount existing files', () => {
  for (const name of optional) {
    const profile = watching.includes(name) ? 'observability' : name;
    expect(services[name]).toMatchObject({ profiles: [profile], read_only: true, cap_drop: ['ALL'] });
    const mounted = services[name]?.volumes
      .filter((volume) => typeof volume === 'string' && volume.startsWith('./'))
      .map((volume) => String(volume).split(':')[0] ?? '');
    expect(mounted?.filter((place) => !existsSync(path.join(repository, place)))).toEqual([]);
  }
});
