import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { helmChart } from './checks/helm-chart';
import { ClusterObject, identityOf } from './checks/manifest';
import { typeErrorsOf } from './checks/manifest-types';
import { outputOf } from './checks/other-program';
import { renderKustomization } from './checks/render-kustomization';
import { type Mapping, Mapping as AnyMapping, parseYaml, repository } from './checks/yaml-documents';

const helm = (...args: string[]) => outputOf('helm', args);
const folder = path.join(repository, 'deploy/helm');

it('the chart is generated from k8s/ (update with UPDATE_DOCS=1 jest deploy/helm)', () => {
  const made = helmChart();
  if (process.env['UPDATE_DOCS'])
    for (const [file, text] of Object.entries(made)) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), text);
    }
  const kept = globSync('**/*.yaml', { cwd: folder }).map((file) => [file, readFileSync(path.join(folder, file), 'utf8')]);
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
  const [values] = parseYaml(helmChart()['values.yaml'] ?? '');
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

it('Helm renders what kustomize renders from k8s/base, if helm is installed', async () => {
  const text = await helm('template', 'parley', folder, '--namespace', 'parley', '--set', 'ingress.enabled=true');
  if (text === undefined) {
    process.stdout.write('helm is not installed: the chart was not rendered by Helm itself\n');
    return;
  }
  const theirs = parseYaml(text);
  expect(typeErrorsOf(theirs)).toEqual([]);
  const compared = theirs.filter(({ kind }) => kind !== 'Ingress').map(comparable);
  const ours = renderKustomization('k8s/base')
    .filter(({ kind }) => kind !== 'Namespace')
    .map(comparable);
  expect(Object.fromEntries(compared)).toEqual(Object.fromEntries(ours));
  expect(theirs.map(({ kind }) => kind)).toContain('Ingress');
});

it('KEDA and the Gateway API replace the scalers and the Ingress, if helm is installed', async () => {
  const text = await helm(
    ...['template', 'parley', folder, '--set', 'keda.enabled=true,keda.prometheus=http://there:9090,gatewayApi.enabled=true'],
    ...['--set', 'gatewayApi.host=talk.example.org,services.speech.maxReplicas=77'],
  );
  if (text === undefined) return;
  const made = parseYaml(text);
  const kinds = made.map(({ kind }) => kind);
  expect(kinds).toEqual(expect.arrayContaining(['ScaledObject', 'Gateway', 'HTTPRoute']));
  expect(kinds).not.toContain('HorizontalPodAutoscaler');
  const speech = made.find((object) => identityOf(object) === 'ScaledObject/speech');
  expect(speech?.['spec']).toMatchObject({ minReplicaCount: 2, maxReplicaCount: 77 });
  expect(text.match(/serverAddress: http:\/\/there:9090/g)).toHaveLength(5);
  expect(text).not.toContain('voice.example.com');
});

it('a setting of one service rolls out that service only, if helm is installed', async () => {
  const [before, after] = [
    await helm('template', 'parley', folder),
    await helm('template', 'parley', folder, '--set', 'services.speech.settings.PARLEY_LOG_LEVEL=debug'),
  ];
  if (before === undefined || after === undefined) return;
  const pods = (text: string) =>
    parseYaml(text)
      .filter(({ kind }) => kind === 'Deployment')
      .map((object) => [identityOf(object), object]);
  const now = Object.fromEntries(pods(after));
  const rolled = pods(before).filter(([name, object]) => JSON.stringify(object) !== JSON.stringify(now[String(name)]));
  expect(rolled.map(([name]) => name)).toEqual(['Deployment/speech']);
});

/** An object by its name, without what Helm does in its own way: hooks, sums and empty maps of settings, those of the migration. */
function comparable(object: Mapping): [string, Mapping] {
  const { metadata } = ClusterObject.parse(object);
  const { namespace: _namespace, annotations: _annotations, ...own } = AnyMapping.parse(metadata);
  const { data, ...rest } = object;
  const settings = Object.keys(AnyMapping.parse(data ?? {})).length > 0 ? { data } : {};
  const apart = new Set(['env', 'envFrom', 'annotations']);
  const text = JSON.stringify({ ...rest, ...settings, metadata: own }, (key, value: unknown) =>
    apart.has(key) ? undefined : value,
  );
  return [identityOf(object), AnyMapping.parse(JSON.parse(text))];
}
