import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describeConfiguration } from '@parley/service-kit';
import Ajv from 'ajv';
import { parseAllDocuments } from 'yaml';
import { services } from '../apps/all-in-one/src/platform';
import { connectionsOf, connectionsOfYours, settingOf } from './checks/connections';
import { helmChart } from './checks/helm-chart';
import { ClusterObject, identityOf, workloadsIn } from './checks/manifest';
import { typeErrorsOf } from './checks/manifest-types';
import { hasProgram, outputOf } from './checks/other-program';
import { renderKustomization } from './checks/render-kustomization';
import { strategicMerge } from './checks/strategic-merge';
import { type Mapping, Mapping as AnyMapping, parseYaml, repository } from './checks/yaml-documents';

const folder = path.join(repository, 'deploy/helm');
const itWithHelm = hasProgram('helm') ? it : it.skip;
const helm = (...args: string[]) => outputOf('helm', ['template', 'parley', folder, '--namespace', 'parley', ...args]);
/** With what the chart cannot do without. */
const rendered = (...args: string[]) => helm('--set', 'settings.S3_BUCKET=files', ...args);
const valuesOf = () => AnyMapping.parse(parseYaml(helmChart()['values.yaml'] ?? '')[0]);

it('the chart is generated from k8s/ (update with UPDATE_DOCS=1 jest deploy/helm)', () => {
  const made = helmChart();
  if (process.env['UPDATE_DOCS'])
    for (const [file, text] of Object.entries(made)) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), text);
    }
  const kept = globSync('**/*.{yaml,json,tpl,txt}', { cwd: folder }).map((file) => [
    file,
    readFileSync(path.join(folder, file), 'utf8'),
  ]);
  expect(Object.fromEntries(kept)).toEqual(made);
});

it('is read the same by Helm’s older YAML, in which some words are not text', () => {
  for (const [file, text] of Object.entries(helmChart())) {
    const plain = text.replaceAll(/^.*\{\{.*$/gm, '');
    const [newer, older] = (['1.2', '1.1'] as const).map((version) =>
      parseAllDocuments(plain, { version }).map((document) => document.toJS()),
    );
    expect({ file, read: older }).toEqual({ file, read: newer });
  }
});

it('every expression names an existing value', () => {
  const values: unknown = valuesOf();
  const text = Object.values(helmChart()).join('\n');
  const named = [...text.matchAll(/\(index \.Values\.services "([\w-]+)"\)\.(\w+)/g)].map(([, service, key]) => [
    'services',
    service,
    key,
  ]);
  const plain = [...text.matchAll(/\.Values\.(?!services)([\w.]+)/g)].map(([, place = '']) => place.split('.'));
  const valueAt = (place: readonly (string | undefined)[]) =>
    place.reduce<unknown>((value, key) => AnyMapping.parse(value)[key ?? ''], values);
  expect(named.length).toBeGreaterThan(24);
  expect([...named, ...plain].filter((place) => valueAt(place) === undefined)).toEqual([]);
});

itWithHelm('Helm renders what kustomize renders from k8s/base, if helm is installed', async () => {
  const text = (await rendered('--set', 'ingress.enabled=true')).replace(/^ *S3_BUCKET: files\n/gm, '');
  const theirs = parseYaml(text);
  expect(typeErrorsOf(theirs)).toEqual([]);
  const compared = theirs.filter(({ kind }) => kind !== 'Ingress').map(comparable);
  const ours = renderKustomization('k8s/base')
    .filter(({ kind }) => kind !== 'Namespace')
    .map(comparable);
  expect(Object.fromEntries(compared)).toEqual(Object.fromEntries(ours));
  expect(theirs.map(({ kind }) => kind)).toContain('Ingress');
});

itWithHelm('KEDA and the Gateway API replace the scalers and the Ingress, if helm is installed', async () => {
  const text = await rendered(
    ...['--set', 'keda.enabled=true,keda.prometheus=http://there:9090,gatewayApi.enabled=true'],
    ...['--set', 'gatewayApi.host=talk.example.org,services.speech.maxReplicas=77'],
  );
  const made = parseYaml(text);
  const kinds = made.map(({ kind }) => kind);
  expect(kinds).toEqual(expect.arrayContaining(['ScaledObject', 'Gateway', 'HTTPRoute']));
  expect(kinds).not.toContain('HorizontalPodAutoscaler');
  const speech = made.find((object) => identityOf(object) === 'ScaledObject/speech');
  expect(speech?.['spec']).toMatchObject({ minReplicaCount: 2, maxReplicaCount: 77 });
  expect(text.match(/serverAddress: http:\/\/there:9090/g)).toHaveLength(5);
  expect(text).not.toContain('voice.example.com');
});

itWithHelm('a setting of one service rolls out that service only, if helm is installed', async () => {
  const [before, after] = [await rendered(), await rendered('--set', 'services.speech.settings.PARLEY_LOG_LEVEL=debug')];
  const pods = (text: string) =>
    parseYaml(text)
      .filter(({ kind }) => kind === 'Deployment')
      .map((object) => [identityOf(object), object]);
  const now = Object.fromEntries(pods(after));
  const rolled = pods(before).filter(([name, object]) => JSON.stringify(object) !== JSON.stringify(now[String(name)]));
  expect(rolled.map(([name]) => name)).toEqual(['Deployment/speech']);
});

const set = (place: string, value: unknown): Mapping =>
  place.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Mapping;

const saying = (words: RegExp) => ({ stderr: expect.stringMatching(words) });

const wrong: [place: string, value: unknown, said: RegExp][] = [
  ['services.gatway.settings.PUBLIC_URL', 'https://voice.example.com', /gatway/],
  ['services.gateway.replicas', 3, /replicas/],
  ['services.agent-config.maxReplicas', 3, /maxReplicas/],
  ['services.gateway.setings.PUBLIC_URL', 'https://voice.example.com', /setings/],
  ['services.speech.settings.PUBLIC_URL', 'https://voice.example.com', /PUBLIC_URL/],
  ['settings.NATS_ULR', 'nats://nats:4222', /NATS_ULR/],
  ['settings.PARLEY_SECRET_KEY', 'a secret in a ConfigMap', /PARLEY_SECRET_KEY/],
  ['settings.NATS_URL', 'nats://parley:a-password@nats.messaging.svc:4222', /NATS_URL/],
  ['services.knowledge-ingest.settings.QDRANT_URL', 'https://me:a-password@qdrant.example.com', /QDRANT_URL/],
  ['settings.ADMIN_PORT', 9191, /ADMIN_PORT/],
  ['services.gateway.settings.PORT', '8181', /PORT/],
  ['services.telephony-bridge.settings.TELEPHONY_PORT', 8181, /TELEPHONY_PORT/],
  ['settings.DRAIN_SECONDS', 'soon', /DRAIN_SECONDS/],
  ['settings.DRAIN_SECONDS', 9000, /DRAIN_SECONDS/],
  ['settings.PRESTOP_DELAY', '1m', /PRESTOP_DELAY/],
  ['settings.PARLEY_LOG_LEVEL', 'loud', /PARLEY_LOG_LEVEL/],
  ['services.gateway.maxReplicas', 'many', /maxReplicas/],
  ['ingress.enabled', 'yes', /enabled/],
  ['ingres.enabled', true, /ingres/],
  ['migration.setings.EVENT_REPLICAS', 3, /setings/],
];

function complaintsAbout(change: Mapping): string {
  const ajv = new Ajv({ strict: false, allErrors: true });
  const schema: object = JSON.parse(helmChart()['values.schema.json'] ?? '');
  return ajv.validate(schema, strategicMerge(valuesOf(), change)) ? '' : JSON.stringify(ajv.errors);
}

it.each(wrong)('the schema refuses %s=%j', (place, value, said) => {
  expect(complaintsAbout(set(place, value))).toMatch(said);
});

itWithHelm.each(wrong)('so does Helm: %s=%j, if helm is installed', async (place, value, said) => {
  await expect(rendered('--set-json', `${place}=${JSON.stringify(value)}`)).rejects.toMatchObject(saying(said));
});

it('takes every setting of docs/configuration.md that is not secret, for all and for who reads it', () => {
  const rows = describeConfiguration(services).filter(({ isSecret }) => !isSecret);
  expect(complaintsAbout({ settings: Object.fromEntries(rows.map(({ variable, example }) => [variable, example])) })).toBe('');
  for (const { name } of services) {
    const own = rows.filter(({ service }) => service === name || service === 'every service');
    const settings = Object.fromEntries(own.map(({ variable, example }) => [variable, example]));
    expect([name, complaintsAbout(set(`services.${name}.settings`, settings))]).toEqual([name, '']);
  }
  expect(complaintsAbout({ settings: { DATABASE_POOL_MAX: 5, OTEL_TRACES_SAMPLER_ARG: 0.1, ACCESS_LOG: true } })).toBe('');
});

itWithHelm('every common setting reaches the services and the migration, numbers as text, if helm is installed', async () => {
  const own = [
    'settings.NATS_URL=nats://nats.messaging.svc:4222',
    'settings.EVENT_MEGABYTES=1000000',
    'settings.ACCESS_LOG=true',
  ];
  const text = await rendered(...own.flatMap((setting) => ['--set', setting]));
  const objects = parseYaml(text);
  const wanted = { NATS_URL: 'nats://nats.messaging.svc:4222', EVENT_MEGABYTES: '1000000', ACCESS_LOG: 'true' };
  const job = workloadsIn(objects).find(({ kind }) => kind === 'Job');
  const env = job?.spec.template.spec.containers[0]?.env.map(({ name, value }) => [name, value]);
  expect(Object.fromEntries(env ?? [])).toMatchObject(wanted);
  for (const map of ['parley', 'parley-migrate'])
    for (const [variable, value] of Object.entries(wanted)) expect(settingOf(objects, map, variable)).toBe(value);
  expect(typeErrorsOf(objects)).toEqual([]);
});

itWithHelm('a pod has longer to stop than its drain takes, whatever that is set to, if helm is installed', async () => {
  const text = await rendered(
    ...['--set', 'settings.DRAIN_SECONDS=120,settings.PRESTOP_DELAY=7s'],
    ...['--set', 'services.telephony-bridge.settings.DRAIN_SECONDS=3600'],
  );
  const graces = workloadsIn(parseYaml(text))
    .filter(({ kind }) => kind === 'Deployment')
    .map(({ metadata, spec }) => [metadata.name, spec.template.spec.terminationGracePeriodSeconds]);
  expect(graces).toHaveLength(8);
  for (const [name, grace] of graces) expect([name, grace]).toEqual([name, name === 'telephony-bridge' ? 3_627 : 147]);
});

itWithHelm('renders nothing that has no place for files, and says what to set, if helm is installed', async () => {
  await expect(helm()).rejects.toMatchObject(saying(/has no bucket.*settings\.S3_BUCKET.*S3_SECRET_ACCESS_KEY/s));
  const three = ['gateway', 'knowledge-ingest', 'speech'].map((name) => `services.${name}.settings.S3_BUCKET=files`).join(',');
  await expect(helm('--set', three)).rejects.toMatchObject(saying(/team-sales has no bucket/));
  await helm('--set', `${three},services.team-sales.settings.S3_BUCKET=files`);
});

itWithHelm.each([
  ['services.knowledge-ingest.settings.QDRANT_URL=', /knowledge-ingest has no place for its vectors/],
  ['services.gateway.minReplicas=12', /services\.gateway has a minReplicas above its maxReplicas/],
  ['ingress.enabled=true,ingress.host=', /ingress\.host is no name of a host/],
  ['gatewayApi.enabled=true,gatewayApi.host=Voice.Example.com', /gatewayApi\.host is no name of a host/],
])('renders nothing with --set %s, if helm is installed', async (change, said) => {
  await expect(rendered('--set', change)).rejects.toMatchObject(saying(said));
});

itWithHelm(
  'renders no maxima for which Postgres has no connections, and counts as the manifests are counted, if helm is installed',
  async () => {
    const text = await rendered();
    const { connections } = connectionsOf(parseYaml(text));
    expect(connections).toBeLessThanOrEqual(connectionsOfYours);
    await rendered('--set', `postgres.maxConnections=${connections}`);
    await expect(rendered('--set', `postgres.maxConnections=${connections - 1}`)).rejects.toMatchObject(
      saying(new RegExp(`can open ${connections} connections to Postgres, and postgres.maxConnections is ${connections - 1}:`)),
    );
    const many = ['--set', 'services.gateway.maxReplicas=20'];
    await expect(rendered(...many)).rejects.toMatchObject(saying(/lower maxReplicas or settings\.DATABASE_POOL_MAX/));
    await rendered(...many, '--set', 'settings.DATABASE_POOLING=transaction');
    await rendered(...many, '--set', 'services.telephony-bridge.settings.DATABASE_POOL_MAX=2');
  },
);

itWithHelm('the command of docs/deployment.md renders, if helm is installed', async () => {
  const document = readFileSync(path.join(repository, 'docs/deployment.md'), 'utf8');
  const [, words = ''] = /^helm upgrade --install parley deploy\/helm (.*?)\n```/ms.exec(document) ?? [];
  const text = await helm(...words.split(/[\s\\]+/).filter((word) => word !== ''));
  expect(settingOf(parseYaml(text), 'parley-gateway', 'PUBLIC_URL')).toBe('https://voice.example.com');
});

/** An object by its name, without what Helm does in its own way: hooks, sums, empty maps and lists, the settings of the migration. */
function comparable(object: Mapping): [string, Mapping] {
  const { metadata } = ClusterObject.parse(object);
  const { namespace: _namespace, annotations: _annotations, ...own } = AnyMapping.parse(metadata);
  const { data, ...rest } = object;
  const isCompared = Object.keys(AnyMapping.parse(data ?? {})).length > 0 && metadata.name !== 'parley-migrate';
  const settings = isCompared ? { data } : {};
  const apart = new Set(['env', 'envFrom', 'annotations']);
  const isApart = (key: string, value: unknown) => apart.has(key) || (key === 'to' && JSON.stringify(value) === '[]');
  const text = JSON.stringify({ ...rest, ...settings, metadata: own }, (key, value: unknown) =>
    isApart(key, value) ? undefined : value,
  );
  return [identityOf(object), AnyMapping.parse(JSON.parse(text))];
}
