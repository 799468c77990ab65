import { describeConfiguration } from '@parley/service-kit';
import { services } from '../../apps/all-in-one/src/platform';
import { connectionsOfYours } from './connections';
import { identityOf, workloadsIn } from './manifest';
import { Mapping } from './yaml-documents';

/** What `values.yaml` of the chart holds, from the rendered manifests. */
export function helmValues(objects: readonly Mapping[]) {
  const specOf = (identity: string) => objects.find((object) => identityOf(object) === identity)?.['spec'];
  const settingsOf = (name: string) =>
    Mapping.parse(objects.find((object) => identityOf(object) === `ConfigMap/${name}`)?.['data'] ?? {});
  const workloads = new Map(workloadsIn(objects).map((workload) => [workload.metadata.name, workload]));
  const resourcesOf = (name: string) => Mapping.parse(workloads.get(name)?.spec.template.spec.containers[0]?.resources);
  const sizeOf = (name: string) => {
    const { minReplicas, maxReplicas } = Mapping.parse(specOf(`HorizontalPodAutoscaler/${name}`) ?? {});
    return minReplicas === undefined ? { replicas: workloads.get(name)?.spec['replicas'] } : { minReplicas, maxReplicas };
  };
  const valuesOf = (name: string) => ({ ...sizeOf(name), resources: resourcesOf(name), settings: settingsOf(`parley-${name}`) });
  const names = [...workloads.keys()].filter((name) => name !== 'migrate');
  const common = settingsOf('parley');
  const ofMigration = Object.entries(settingsOf('parley-migrate')).filter(([name, value]) => common[name] !== value);
  return {
    image: { repository: 'parley', tag: '' },
    settings: common,
    services: Object.fromEntries(names.map((name) => [name, valuesOf(name)])),
    postgres: { maxConnections: connectionsOfYours },
    storePeers: [],
    // It is given `settings` too.
    migration: { settings: Object.fromEntries(ofMigration), resources: resourcesOf('migrate') },
    ingress: { enabled: false, className: 'nginx', host: 'voice.example.com', tlsSecret: 'voice-example-com' },
    gatewayApi: { enabled: false, className: 'example', host: 'voice.example.com', tlsSecret: 'voice-example-com' },
    keda: { enabled: false, prometheus: 'http://prometheus.monitoring.svc:9090' },
  };
}
type HelmValues = ReturnType<typeof helmValues>;

const rows = describeConfiguration(services).filter(({ variable, isSecret }) => !isSecret || variable === 'NATS_URL');
const readBy = (...readers: readonly string[]): string[] => [
  ...new Set(rows.flatMap(({ service, variable }) => (readers.includes(service) ? [variable] : []))),
];

/** Who keeps documents or recordings, and so needs a bucket. */
export const keepersOfFiles = rows.flatMap(({ service, variable }) => (variable === 'S3_BUCKET' ? [service] : []));

/** The schema that Helm holds values against: a name that nothing reads is refused and not ignored. */
export function helmSchema(values: HelmValues): Mapping {
  const everybody = ['every service', ...services.map(({ name }) => name)];
  const sized = Object.entries(values.services).map(([name, service]): [string, Mapping] => [
    name,
    closed({ ...service, resources: resources(), settings: settingsFor(readBy('every service', name)) }),
  ]);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the chart parley',
    ...closed({
      ...values,
      settings: settingsFor(readBy(...everybody)),
      services: closed(Object.fromEntries(sized)),
      storePeers: { type: 'array', items: { type: 'object' } },
      migration: closed({ settings: settingsFor(readBy('every service')), resources: resources() }),
      // What Helm puts there where a chart is a part of another.
      global: { type: 'object' },
    }),
    definitions: Object.fromEntries(readBy(...everybody).map((variable) => [variable, valueOf(variable)])),
  };
}

/** An object with these members and no others; a member that is no schema yet is an example of its type. */
function closed(members: Mapping): Mapping {
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(Object.entries(members).map(([name, member]) => [name, schemaOf(member)])),
  };
}

function schemaOf(example: unknown): Mapping {
  if (typeof example === 'number') return { type: 'integer', minimum: 1 };
  if (typeof example !== 'object') return { type: typeof example };
  const members = Mapping.parse(example);
  return 'type' in members ? members : closed(members);
}

function resources(): Mapping {
  const amounts = { type: 'object', additionalProperties: { type: ['string', 'number'] } };
  return closed({ requests: amounts, limits: amounts });
}

function settingsFor(variables: readonly string[]): Mapping {
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(variables.map((variable) => [variable, { $ref: `#/definitions/${variable}` }])),
  };
}

/** Containers, probes, Services and policies have these numbers, so that another here would only part them from the process. */
const portsOfManifests: Readonly<Record<string, number>> = { ADMIN_PORT: 9090, PORT: 8080, TELEPHONY_PORT: 8090 };

/** By what docs/configuration.md says is expected; a whole number may be written as text, and an empty text is none. */
function valueOf(variable: string): Mapping {
  // The chart adds it to the drain, in seconds.
  if (variable === 'PRESTOP_DELAY') return { type: 'string', pattern: String.raw`^\d{1,4}s$` };
  const port = portsOfManifests[variable];
  if (port !== undefined) return { type: ['integer', 'string'], minimum: port, maximum: port, pattern: `^${port}$` };
  const [expected = '', ...others] = new Set(rows.filter((row) => row.variable === variable).map((row) => row.expected));
  const [, least, most, step] = /^an integer from (\d+) to (\d+)(?:, a multiple of (\d+))?$/.exec(expected) ?? [];
  if (others.length === 0 && least !== undefined)
    return {
      type: ['integer', 'string'],
      minimum: Number(least),
      maximum: Number(most),
      ...(step !== undefined && { multipleOf: Number(step) }),
      pattern: String.raw`^\d*$`,
    };
  if (others.length === 0 && expected.startsWith('a duration'))
    return { type: 'string', pattern: String.raw`^(\d{1,9}(ms|s|m|h))?$` };
  const [, words] = /^one of (.*)$/.exec(expected) ?? [];
  if (others.length === 0 && words !== undefined) return { enum: ['', ...words.split(', ')] };
  // A user and a password in a URL would lie open in a ConfigMap.
  if (/\ba URL\b/.test(expected)) return { type: 'string', pattern: '^[^@]*$' };
  return { type: ['string', 'number', 'boolean'] };
}
