import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { serviceNames } from '../libs/contracts/src';
import { commandOf } from '../deploy/checks/command';
import { keptComplete } from '../deploy/checks/completed';
import { connectionsOf, connectionsOfYours, settingOf } from '../deploy/checks/connections';
import { typeErrorsOf } from '../deploy/checks/manifest-types';
import { identityOf, type Workload, workloadsIn } from '../deploy/checks/manifest';
import { hasProgram, outputOf } from '../deploy/checks/other-program';
import { readKustomization, renderKustomization } from '../deploy/checks/render-kustomization';
import { strategicMerge } from '../deploy/checks/strategic-merge';
import { filesNamedIn, yamlFilesIn } from '../deploy/checks/named-files';
import { Mapping, parseYaml, readYaml, repository } from '../deploy/checks/yaml-documents';

const overlays = ['k8s/overlays/trial', 'k8s/overlays/production', 'k8s/overlays/large'];
/** Third-party kinds have no types here; `npm run verify -- deploy` checks them with an API server that knows them. */
const groupsOfOthers = /^(keda\.sh|monitoring\.coreos\.com|gateway\.networking\.k8s\.io)\//;
const services = workloadsIn(renderKustomization('k8s/base')).filter(({ kind }) => kind === 'Deployment');
const byName = Object.fromEntries(services.map((service) => [service.metadata.name, service]));
const everyWorkload = overlays.flatMap((overlay) =>
  workloadsIn(renderKustomization(overlay)).map((workload) => [`${identityOf(workload)} of ${overlay}`, workload] as const),
);

const itWithKubectl = hasProgram('kubectl') ? it : it.skip;
const podOf = (workload: Workload | undefined) => workload?.spec.template.spec;
const containerOf = (workload: Workload | undefined) => podOf(workload)?.containers[0];

it.each([...overlays, 'k8s/base'])('%s has only fields and values that Kubernetes knows', (folder) => {
  const own = renderKustomization(folder).filter(({ apiVersion }) => !groupsOfOthers.test(String(apiVersion)));
  expect(typeErrorsOf(own)).toEqual([]);
});

it('detects a misspelt field and a wrong value, so that the check above means something', () => {
  const [service] = readYaml('k8s/base/services/gateway.yaml').filter(({ kind }) => kind === 'Service');
  expect(typeErrorsOf([{ ...service, spec: { portz: [] } }])).toEqual([expect.stringContaining('"portz"')]);
  expect(typeErrorsOf([{ ...service, spec: { ports: [{ port: '80' }] } }])).toEqual([
    expect.stringContaining("Type 'string' is not assignable"),
  ]);
});

it('every file in k8s/ is named by a kustomization, and every named file exists', () => {
  expect([...filesNamedIn('k8s'), 'k8s/secret.example.yaml'].sort()).toEqual(yamlFilesIn('k8s'));
});

it('every service of the contracts is deployed, and nothing else', () => {
  expect(Object.keys(byName).sort()).toEqual([...serviceNames].sort());
});

describe.each([...serviceNames])('%s', (name) => {
  const objects = renderKustomization('k8s/base').map(identityOf);
  const [service, container, pod] = [byName[name], containerOf(byName[name]), podOf(byName[name])];

  it('starts its own program, under its own account', () => {
    expect(container?.command).toEqual(commandOf(name));
    expect(pod?.serviceAccountName).toBe(name);
    expect(objects).toEqual(expect.arrayContaining([`ServiceAccount/${name}`, `Service/${name}`, `PodDisruptionBudget/${name}`]));
  });

  it('has its own Secret, and no other', () => {
    const named = JSON.stringify(container?.envFrom).matchAll(/"secretRef":{"name":"([^"]+)"/g);
    expect([...named].map(([, secret]) => secret)).toEqual([`parley-${name}`]);
    expect(JSON.stringify(pod)).not.toMatch(/secretKeyRef|secretName/);
  });

  it('reads the common settings and its own, so that another service’s setting leaves it running', () => {
    const named = JSON.stringify(container?.envFrom).matchAll(/"configMapRef":{"name":"([^"]+)"/g);
    expect([...named].map(([, map]) => map)).toEqual(['parley', `parley-${name}`]);
    expect(objects).toContain(`ConfigMap/parley-${name}`);
  });

  it('has its health check on the admin port', () => {
    const { startupProbe, livenessProbe, readinessProbe } = container ?? {};
    const asked = [startupProbe, livenessProbe, readinessProbe].map((probe) => [probe?.httpGet?.path, probe?.httpGet?.port]);
    expect(asked).toEqual(['startup', 'live', 'ready'].map((word) => [`/health/${word}`, 'admin']));
    expect(container?.ports).toContainEqual({ name: 'admin', containerPort: 9090 });
  });

  it('runs twice or is scaled', () => {
    const replicas = service?.spec['replicas'] ?? (objects.includes(`HorizontalPodAutoscaler/${name}`) ? 2 : 1);
    expect(replicas).toBe(2);
  });
});

it('a cluster with KEDA has one scaler for each service that the base scales, and no others', () => {
  const scaled = (objects: readonly Mapping[], kind: string) =>
    objects.filter((object) => object['kind'] === kind).map((object) => identityOf(object).replace(`${kind}/`, ''));
  const large = renderKustomization('k8s/overlays/large');
  expect(scaled(large, 'ScaledObject').sort()).toEqual(scaled(renderKustomization('k8s/base'), 'HorizontalPodAutoscaler').sort());
  expect(scaled(large, 'HorizontalPodAutoscaler')).toEqual([]);
  expect(scaled(large, 'Ingress')).toEqual([]);
});

it('the Gateway API’s routes lead where the Ingress’s do', () => {
  const [ingress] = readYaml('k8s/overlays/production/ingress.yaml');
  const [routes] = readYaml('k8s/components/gateway-api/routes.yaml');
  const HttpPath = z.object({ path: z.string(), backend: z.object({ service: z.object({ name: z.string() }) }) });
  const Ingress = z.object({ spec: z.object({ rules: z.array(z.object({ http: z.object({ paths: z.array(HttpPath) }) })) }) });
  const Rule = z.object({
    matches: z.tuple([z.object({ path: z.object({ value: z.string() }) })]),
    backendRefs: z.tuple([z.object({ name: z.string(), port: z.int() })]),
  });
  const HttpRoute = z.object({ spec: z.object({ rules: z.array(Rule) }) });
  const byIngress = Ingress.parse(ingress).spec.rules.flatMap(({ http }) =>
    http.paths.map(({ path: at, backend }) => [at, backend.service.name]),
  );
  const { rules } = HttpRoute.parse(routes).spec;
  expect(rules.map(({ matches: [{ path: at }], backendRefs: [{ name }] }) => [at.value, name])).toEqual(byIngress);
  const ports = new Set(rules.map(({ backendRefs: [{ port }] }) => port));
  expect(ports).toEqual(new Set([80]));
});

it('neither the Ingress nor the Gateway ends a call or an upload', () => {
  const [ingress] = readYaml('k8s/overlays/production/ingress.yaml');
  const Annotated = z.object({ metadata: z.object({ annotations: z.record(z.string(), z.string()) }) });
  const { annotations } = Annotated.parse(ingress).metadata;
  for (const end of ['proxy-read-timeout', 'proxy-send-timeout'])
    expect(Number(annotations[`nginx.ingress.kubernetes.io/${end}`])).toBeGreaterThanOrEqual(3_600);
  expect(annotations['nginx.ingress.kubernetes.io/proxy-body-size']).toBe('64m');
  const Timed = z.object({ spec: z.object({ rules: z.array(z.object({ timeouts: z.record(z.string(), z.string()) })) }) });
  const [routes] = readYaml('k8s/components/gateway-api/routes.yaml');
  const timeouts = Timed.parse(routes).spec.rules.map((rule) => rule.timeouts);
  expect(timeouts).toEqual([
    { request: '0s', backendRequest: '0s' },
    { request: '0s', backendRequest: '0s' },
  ]);
});

it.each(overlays)('%s refuses all traffic that no policy names, and each policy and budget finds pods', (overlay) => {
  const objects = renderKustomization(overlay);
  const pods = workloadsIn(objects).map(({ spec }) => spec.template.metadata.labels);
  const Selecting = z.object({
    kind: z.enum(['NetworkPolicy', 'PodDisruptionBudget']),
    metadata: z.object({ name: z.string() }),
    spec: z.object({
      podSelector: z.object({ matchLabels: z.record(z.string(), z.string()).default({}) }).optional(),
      selector: z.object({ matchLabels: z.record(z.string(), z.string()) }).optional(),
      policyTypes: z.array(z.string()).default([]),
      ingress: z.array(z.unknown()).default([]),
      egress: z.array(z.unknown()).default([]),
    }),
  });
  const selecting = objects.map((object) => Selecting.safeParse(object).data).filter((object) => object !== undefined);
  const deny = selecting.find(({ metadata }) => metadata.name === 'deny-everything');
  expect(deny?.spec).toMatchObject({
    podSelector: { matchLabels: {} },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [],
    egress: [],
  });
  const idle = selecting.filter(({ spec: { podSelector, selector } }) => {
    const asked = Object.entries((podSelector ?? selector)?.matchLabels ?? {});
    return !pods.some((labels) => asked.every(([label, value]) => labels[label] === value));
  });
  expect(idle.map(({ metadata }) => metadata.name)).toEqual([]);
});

it.each(overlays)('%s: only its stores are reached at the ports of stores', (overlay) => {
  const egress = waysOut(overlay).filter(({ policy }) => policy === 'NetworkPolicy/reach-stores');
  const open = egress.filter(({ to }) => to.length === 0).flatMap(({ ports }) => ports.map(({ port }) => port));
  expect(open.filter((port) => port !== 4318)).toEqual([]);
  expect(egress.flatMap(({ ports }) => ports.map(({ port }) => port))).toEqual(expect.arrayContaining([4222, 5432, 6333]));
});

it.each(overlays)('%s: names are asked of the cluster’s own DNS and of no other address', (overlay) => {
  const asking = waysOut(overlay).filter(({ ports }) => ports.some(({ port, endPort = port }) => port <= 53 && endPort >= 53));
  expect(asking.map(({ policy }) => policy)).toEqual(['NetworkPolicy/reach-dns']);
  expect(asking.flatMap(({ to }) => to)).toEqual([
    {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
      podSelector: { matchExpressions: [{ key: 'k8s-app', operator: 'In', values: ['kube-dns', 'node-local-dns'] }] },
    },
    { ipBlock: { cidr: '169.254.20.10/32' } },
    { ipBlock: { cidr: '169.254.25.10/32' } },
  ]);
});

/** What the pods of an overlay may open connections to, by rule. */
function waysOut(overlay: string) {
  const Port = z.object({ port: z.number(), endPort: z.number().optional() });
  const Rule = z.object({ to: z.array(Mapping).default([]), ports: z.array(Port) });
  const Spec = z.object({ egress: z.array(Rule).default([]) });
  return renderKustomization(overlay)
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .flatMap((object) => Spec.parse(object['spec']).egress.map((rule) => ({ policy: identityOf(object), ...rule })));
}

it('the production overlay keeps files in a bucket and every event three times, and says where it is reached', () => {
  const objects = renderKustomization('k8s/overlays/production');
  expect(objects.filter(({ kind }) => kind === 'PersistentVolumeClaim')).toEqual([]);
  const settings = (name: string) => objects.find((object) => identityOf(object) === `ConfigMap/${name}`)?.['data'];
  expect(settings('parley-migrate')).toMatchObject({ EVENT_REPLICAS: '3' });
  expect(settings('parley-gateway')).toMatchObject({
    PUBLIC_URL: expect.stringMatching(/^https:/),
    PARLEY_INITIAL_CREDITS: expect.stringContaining('TTT_API='),
  });
  for (const name of ['gateway', 'knowledge-ingest', 'speech', 'team-sales'])
    expect(settings(`parley-${name}`)).toHaveProperty('S3_BUCKET');
});

it.each([...overlays, 'k8s/base'])('%s: a stopping pod has time for preStop, the delay and the whole drain', (folder) => {
  const objects = renderKustomization(folder);
  expect(settingOf(objects, 'parley', 'ADMIN_HOST')).toBe('0.0.0.0');
  expect(settingOf(objects, 'parley', 'ADMIN_PORT')).toBe('9090');
  for (const service of workloadsIn(objects).filter(({ kind }) => kind === 'Deployment')) {
    const { name } = service.metadata;
    const seconds = (variable: string) =>
      Number.parseInt(settingOf(objects, `parley-${name}`, variable) ?? settingOf(objects, 'parley', variable) ?? '', 10);
    const preStop = containerOf(service)?.lifecycle?.preStop.sleep.seconds ?? 0;
    expect(preStop).toBeGreaterThan(0);
    const needed = preStop + seconds('PRESTOP_DELAY') + seconds('DRAIN_SECONDS');
    expect(podOf(service)?.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(needed + 5);
  }
});

describe('connections to Postgres', () => {
  const allowedBy = (overlay: string): number => {
    const stores = workloadsIn(renderKustomization(overlay)).filter(({ metadata }) => metadata.name === 'postgres');
    const [, shipped] = /max_connections=(\d+)/.exec(JSON.stringify(stores)) ?? [];
    return shipped === undefined ? connectionsOfYours : Number(shipped);
  };

  it.each(overlays)('%s: the maxima of all services, all rolled out at once, stay below what Postgres allows', (overlay) => {
    const { poolMax, connections } = connectionsOf(renderKustomization(overlay));
    expect(poolMax).toBeGreaterThanOrEqual(2);
    expect(connections).toBeLessThanOrEqual(allowedBy(overlay));
  });

  it('counts a larger maximum, a larger pool and a scaler of KEDA, so that the sums above mean something', () => {
    const large = renderKustomization('k8s/overlays/large');
    const sum = connectionsOf(large);
    const changed = (name: string, change: Mapping) =>
      connectionsOf(large.map((object) => (identityOf(object) === name ? strategicMerge(object, change) : object)));
    const more = changed('ScaledObject/gateway', { spec: { maxReplicaCount: 11 } });
    expect(more.connections - sum.connections).toBe(2 * sum.poolMax);
    expect(changed('ConfigMap/parley-dashboards', { data: { DATABASE_POOL_MAX: '14' } }).connections).toBe(sum.connections + 80);
    expect(changed('ScaledObject/speech', { spec: { maxReplicaCount: 400 } })).toEqual(sum);
  });

  it('add up in docs/operations.md as they do here (update with UPDATE_DOCS=1 jest k8s)', () => {
    const rows = overlays.map((overlay) => {
      const { pods, rolling, poolMax, connections } = connectionsOf(renderKustomization(overlay));
      return `| \`${overlay}\` | ${pods} | ${rolling} | ${poolMax} | ${connections} | ${allowedBy(overlay)} |`;
    });
    const isUpdated = Boolean(process.env['UPDATE_DOCS']);
    const rowOf = (line: string) => rows.find((row) => line.split('|', 2)[1] === row.split('|', 2)[1] && line.startsWith('|'));
    const counted = (text: string) =>
      text
        .split('\n')
        .map((line) => rowOf(line) ?? line)
        .join('\n');
    expect(keptComplete('docs/operations.md', isUpdated, counted).split('\n')).toEqual(expect.arrayContaining(rows));
  });

  it('are what production says that its Postgres has to allow', () => {
    const read = (file: string) => readFileSync(path.join(repository, file), 'utf8');
    expect(read('k8s/overlays/production/kustomization.yaml')).toContain(`max_connections=${connectionsOfYours}`);
  });
});

it('docs/deployment.md names every setting of the production overlay, which is an example to change', () => {
  const { configMapGenerator } = readKustomization('k8s/overlays/production');
  const set = configMapGenerator.flatMap(({ literals }) => literals.map((literal) => literal.split('=')[0]));
  const [, steps = ''] =
    /### What a copy of production changes\n(.*?)\n##/s.exec(readFileSync(path.join(repository, 'docs/deployment.md'), 'utf8')) ??
    [];
  expect(set.filter((variable) => !steps.includes(`\`${variable}\``))).toEqual([]);
});

it.each(everyWorkload)('%s satisfies the restricted Pod Security Standard and limits its memory', (_identity, workload) => {
  const [pod, container] = [podOf(workload), containerOf(workload)];
  expect(pod?.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
  expect(container?.securityContext).toMatchObject({ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } });
  expect(container?.resources.limits).toHaveProperty('memory');
  expect(container?.resources.requests).toEqual({ cpu: expect.any(String), memory: expect.any(String) });
});

it.each(services.map((service) => [service.metadata.name, service] as const))(
  '%s cannot write to its own image',
  (_name, service) => {
    expect(containerOf(service)?.securityContext).toMatchObject({ readOnlyRootFilesystem: true });
  },
);

it.each(services.map((service) => [service.metadata.name, service] as const))(
  '%s has a /tmp for the caches of libraries, and no volume over the home of its user',
  (_name, service) => {
    const places = containerOf(service)?.volumeMounts.map(({ mountPath }) => mountPath) ?? [];
    expect(places).toContain('/tmp');
    expect(places.filter((place) => '/home/parley/'.startsWith(`${place}/`))).toEqual([]);
  },
);

it('every image has a fixed tag, ours the version of package.json', () => {
  const { version } = JSON.parse(readFileSync(path.join(repository, 'package.json'), 'utf8'));
  const images = everyWorkload.map(([, workload]) => containerOf(workload)?.image ?? '');
  for (const image of images) expect(image).toMatch(/:v?\d+(\.\d+)*(-[a-z]+)?$/);
  const ours = new Set(images.filter((image) => image.includes('parley')));
  expect(ours).toEqual(new Set([`parley:${version}`, `registry.example.com/parley:${version}`]));
});

it('what the migration needs is labelled, and the migration is not started with the services', () => {
  const prepared = renderKustomization('k8s/overlays/trial').filter(isPrepared).map(identityOf);
  expect(prepared).toEqual(
    expect.arrayContaining([
      'Namespace/parley',
      'ConfigMap/parley-migrate',
      'ServiceAccount/migrate',
      'Job/migrate',
      'StatefulSet/postgres',
    ]),
  );
  expect(prepared.filter((identity) => identity.startsWith('Deployment/'))).toEqual([]);
});

itWithKubectl('our renderer produces what kustomize does, if kubectl is installed', async () => {
  for (const overlay of overlays) {
    const text = await outputOf('kubectl', ['kustomize', overlay]);
    const theirs = parseYaml(
      text.replaceAll(/\b(parley(?:-[a-z-]+)?|nats-config|postgres-init)-[2456789bcdfghkmt]{10}\b/g, '$1'),
    );
    expect(inOrder(renderKustomization(overlay))).toEqual(inOrder(theirs));
  }
});

function isPrepared(object: Mapping): boolean {
  return JSON.stringify(object['metadata']).includes('"parley.dev/phase":"prepare"');
}

/** Sorts lists and keys, since kustomize's order differs. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(inOrder).sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, item]) => [key, inOrder(item)]),
  );
}
