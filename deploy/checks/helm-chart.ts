import { readFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { z } from 'zod';
import { connectionsBeside, connectionsOf, keepers, poolsOfProcess, settingOf } from './connections';
import { helmSchema, helmValues, keepersOfFiles } from './helm-values';
import { ClusterObject, Workload, workloadsIn } from './manifest';
import { renderKustomization } from './render-kustomization';
import { strategicMerge } from './strategic-merge';
import { Mapping, readYaml, repository } from './yaml-documents';

const warning = '# Made from k8s/ by UPDATE_DOCS=1 jest deploy/helm: change it there.\n';
const secretsHint = '# Secrets are not set here: npm run keys -- --kubernetes makes them, see docs/deployment.md.\n';
/** Helm and the API server read an older YAML, in which `off` without quotes is no word but false. */
const yamlOfHelm = { lineWidth: 0, version: '1.1' } as const;

/**
 * The Helm chart by its files, made from the manifests of kustomize, which stay the one source: the same objects, with what an
 * installation sets taken from `values.yaml`. A mark in an object becomes an expression of Helm when it is written.
 */
export function helmChart(): Record<string, string> {
  const objects = renderKustomization('k8s/base').filter(({ kind }) => kind !== 'Namespace');
  const templates: Record<string, string> = {};
  for (const object of objects) {
    const file = `templates/${fileOf(object)}.yaml`;
    const text = written(object);
    templates[file] = file in templates ? `${templates[file]}---\n${text}` : `${warning}${text}`;
  }
  const values = helmValues(objects);
  return {
    'Chart.yaml': chart(),
    'values.yaml': warning + secretsHint + stringify(values),
    'values.schema.json': `${JSON.stringify(helmSchema(values), null, 2)}\n`,
    'templates/_helpers.tpl': helpers(objects),
    'templates/refusals.yaml': refusals(objects),
    'templates/NOTES.txt': notes(),
    ...templates,
    'templates/ingress.yaml': ingress(),
    'templates/gateway-api.yaml': gatewayApi(),
    'templates/keda.yaml': keda(),
  };
}

function chart(): string {
  const { version } = Mapping.parse(JSON.parse(readFileSync(path.join(repository, 'package.json'), 'utf8')));
  const description = 'Parley, an open, self-hosted voice agent platform: eight services and the migration.';
  return warning + stringify({ apiVersion: 'v2', name: 'parley', description, version, appVersion: version }, yamlOfHelm);
}

/** Numbers become text, as a ConfigMap wants it; a pod has longer to stop than its drain takes, whatever that is set to. */
function helpers(objects: readonly Mapping[]): string {
  const [service] = workloadsIn(objects).filter(({ kind }) => kind === 'Deployment');
  const grace = service?.spec.template.spec.terminationGracePeriodSeconds ?? 0;
  const margin = grace - Number(settingOf(objects, 'parley', 'DRAIN_SECONDS'));
  return `{{- /* Made from k8s/ by UPDATE_DOCS=1 jest deploy/helm: change it there. */ -}}
{{- define "parley.text" -}}
{{- kindIs "string" . | ternary . (toJson .) -}}
{{- end }}

{{- define "parley.settings" -}}
{{- $texts := dict -}}
{{- range $name, $value := . }}{{ $_ := set $texts $name (include "parley.text" $value) }}{{ end -}}
{{- toYaml $texts -}}
{{- end }}

{{- define "parley.grace" -}}
{{- add ${margin} (.PRESTOP_DELAY | default "3s" | trimSuffix "s" | int) (.DRAIN_SECONDS | default 25 | int) -}}
{{- end }}
`;
}

/** Values with which pods would start and not work are refused with what to do about it. */
function refusals(objects: readonly Mapping[]): string {
  const named = (names: readonly string[]) => names.map((name) => `"${name}"`).join(' ');
  const rolling = connectionsOf(objects).rolling / keepers.length;
  const bucket =
    '%s has no bucket for its files, and pods share no disk: set settings.S3_BUCKET, with S3_REGION or S3_ENDPOINT and ' +
    'S3_ACCESS_KEY_ID; S3_SECRET_ACCESS_KEY belongs in the Secrets of ' +
    keepersOfFiles.join(', ');
  const budget =
    'the maxima of these services can open %d connections to Postgres, and postgres.maxConnections is %d: lower maxReplicas or ' +
    'settings.DATABASE_POOL_MAX, set settings.DATABASE_POOLING=transaction behind PgBouncer, or raise max_connections of your ' +
    'Postgres and this value with it';
  const vectors =
    'knowledge-ingest has no place for its vectors, and pods share no disk: set services.knowledge-ingest.settings.QDRANT_URL';
  return `${warning}{{- $all := .Values.settings }}
{{- if not (merge (dict) (index .Values.services "knowledge-ingest").settings $all).QDRANT_URL }}
{{- fail "${vectors}" }}
{{- end }}
{{- range $name, $service := .Values.services }}
{{- if gt ($service.minReplicas | default 0 | int) ($service.maxReplicas | default 1000 | int) }}
{{- fail (printf "services.%s has a minReplicas above its maxReplicas" $name) }}
{{- end }}
{{- end }}
{{- range $name := list "ingress" "gatewayApi" }}
{{- $door := index $.Values $name }}
{{- if and $door.enabled (not (regexMatch "^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$" $door.host)) }}
{{- fail (printf "%s.host is no name of a host: %q" $name $door.host) }}
{{- end }}
{{- end }}
{{- range $name := list ${named(keepersOfFiles)} }}
{{- $settings := merge (dict) (index $.Values.services $name).settings $all }}
{{- if not $settings.S3_BUCKET }}
{{- fail (printf "${bucket}" $name) }}
{{- end }}
{{- end }}
{{- $connections := ${connectionsBeside} }}
{{- range $name := list ${named(keepers)} }}
{{- $service := index $.Values.services $name }}
{{- $settings := merge (dict) $service.settings $all }}
{{- if ne ($settings.DATABASE_POOLING | default "") "transaction" }}
{{- $pods := add ${rolling} ($service.maxReplicas | default $service.replicas) }}
{{- $connections = add $connections (mul ${poolsOfProcess} $pods ($settings.DATABASE_POOL_MAX | default 10 | int)) }}
{{- end }}
{{- end }}
{{- if gt (int $connections) (int .Values.postgres.maxConnections) }}
{{- fail (printf "${budget}" (int $connections) (int .Values.postgres.maxConnections)) }}
{{- end }}
`;
}

/** What an installation works without, and would miss. Helm prints it after each install and upgrade. */
function notes(): string {
  const missed = [
    ['gateway', 'PUBLIC_URL', 'pages and mails name no address that customers can reach'],
    ['gateway', 'PARLEY_INITIAL_CREDITS', 'a new organization has no credits until an operator grants some'],
    ['gateway', 'TRUSTED_PROXIES', 'all clients share the address of the ingress controller, and its limits'],
    ['telephony-bridge', 'TELEPHONY_PUBLIC_URL', 'carriers are told an address of the pod, which they cannot reach'],
  ] as const;
  const lines = missed.map(
    ([service, variable, what]) =>
      `{{- if not (merge (dict) (index .Values.services "${service}").settings .Values.settings).${variable} }}
- services.${service}.settings.${variable} is not set: ${what}.
{{- end }}`,
  );
  return `Parley {{ .Chart.AppVersion }} is migrated, and its services start: kubectl -n {{ .Release.Namespace }} get pods
${lines.join('\n')}
{{- if lt ((merge (dict) .Values.migration.settings .Values.settings).EVENT_REPLICAS | default 1 | int) 3 }}
- settings.EVENT_REPLICAS is below 3: events have one copy, which a NATS of three servers may lose with one of them.
{{- end }}
The first organization: docs/operations.md, "The operator's command".
`;
}

function written(object: Mapping): string {
  const text = withExpressions(stringify(withMarks(object), yamlOfHelm), fileOf(object));
  return object['kind'] === 'HorizontalPodAutoscaler' ? onlyIf('not .Values.keda.enabled', text) : text;
}

function onlyIf(condition: string, text: string): string {
  return `{{- if ${condition} }}\n${text}{{- end }}\n`;
}

/** The file of the objects of one service, or of those that all have in common. */
function fileOf(object: Mapping): string {
  const { kind, metadata } = ClusterObject.parse(object);
  if (kind === 'NetworkPolicy') return 'network-policies';
  return metadata.name === 'parley' ? 'settings' : metadata.name.replace(/^parley-/, '');
}

function withMarks(object: Mapping): Mapping {
  const { namespace: _release, ...metadata } = Mapping.parse(object['metadata']);
  const own: Mapping = { ...object, metadata };
  switch (object['kind']) {
    case 'ConfigMap':
      return { ...own, data: 'MARK_SETTINGS' };
    case 'HorizontalPodAutoscaler':
      return strategicMerge(own, { spec: { minReplicas: 'MARK_LEAST', maxReplicas: 'MARK_MOST' } });
    case 'Deployment':
      return strategicMerge(own, deployed('replicas' in Mapping.parse(own['spec'])));
    case 'Job':
      return migrationHook(own);
    case 'NetworkPolicy':
      return metadata['name'] === 'reach-stores' ? reachingStores(own) : own;
    case 'ServiceAccount':
      return metadata['name'] === 'migrate' ? strategicMerge(own, { metadata: { annotations: hook(0) } }) : own;
    default:
      return own;
  }
}

/** A rule without peers lets to everywhere, and so does one with an empty list of them. */
function reachingStores(policy: Mapping): Mapping {
  const { egress } = z.object({ egress: z.array(Mapping) }).parse(policy['spec']);
  const isStores = ({ ports }: Mapping) => JSON.stringify(ports).includes('5432');
  return strategicMerge(policy, {
    spec: { egress: egress.map((rule) => (isStores(rule) ? { ...rule, to: 'MARK_PEERS' } : rule)) },
  });
}

/** Kustomize gives a changed map another name; Helm does not, so the pods carry a sum of their settings, and of their Secret as it is. */
function deployed(isSized: boolean): Mapping {
  const containers = [{ name: 'service', image: 'MARK_IMAGE', resources: 'MARK_RESOURCES' }];
  const annotations = { 'parley.dev/settings': 'MARK_SUM', 'parley.dev/secret': 'MARK_SECRET' };
  const template = { metadata: { annotations }, spec: { containers, terminationGracePeriodSeconds: 'MARK_GRACE' } };
  return { spec: { ...(isSized && { replicas: 'MARK_REPLICAS' }), template } };
}

/** A hook comes before everything else, also before the maps: its settings are written into it. */
function migrationHook(job: Mapping): Mapping {
  const { annotations: _ofArgo, ...metadata } = Mapping.parse(job['metadata']);
  const [container] = Workload.parse(job).spec.template.spec.containers;
  const envFrom = container?.envFrom.filter((source) => 'secretRef' in source);
  const own = { name: 'migrate', image: 'MARK_IMAGE', env: 'MARK_ENVIRONMENT', envFrom, resources: 'MARK_RESOURCES' };
  const hooked = { ...job, metadata: { ...metadata, annotations: hook(1) } };
  return strategicMerge(hooked, { spec: { template: { spec: { containers: [own] } } } });
}

function hook(weight: number): Mapping {
  return {
    'helm.sh/hook': 'pre-install,pre-upgrade',
    'helm.sh/hook-weight': String(weight),
    'helm.sh/hook-delete-policy': 'before-hook-creation',
  };
}

function withExpressions(text: string, name: string): string {
  const own = name === 'migrate' ? '.Values.migration' : `(index .Values.services "${name}")`;
  const merged = '(merge (dict) .Values.migration.settings .Values.settings)';
  const settings = name === 'settings' ? '.Values.settings' : name === 'migrate' ? merged : `${own}.settings`;
  const expressions: Record<string, (indent: number) => string> = {
    IMAGE: () => '"{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"',
    SETTINGS: (indent) => `\n${' '.repeat(indent)}{{- include "parley.settings" ${settings} | nindent ${indent} }}`,
    RESOURCES: (indent) => `\n${' '.repeat(indent)}{{- toYaml ${own}.resources | nindent ${indent} }}`,
    PEERS: (indent) => `\n${' '.repeat(indent)}{{- toYaml .Values.storePeers | nindent ${indent} }}`,
    LEAST: () => `{{ ${own}.minReplicas }}`,
    MOST: () => `{{ ${own}.maxReplicas }}`,
    REPLICAS: () => `{{ ${own}.replicas }}`,
    SUM: () => `{{ printf "%s%s" (toJson .Values.settings) (toJson ${own}.settings) | sha256sum | quote }}`,
    SECRET: () => `{{ (lookup "v1" "Secret" .Release.Namespace "parley-${name}").data | toJson | sha256sum | quote }}`,
    GRACE: () => `{{ include "parley.grace" (merge (dict) ${own}.settings .Values.settings) }}`,
    ENVIRONMENT: (indent) => {
      const before = ' '.repeat(indent);
      const pair = `${before}- { name: {{ $name }}, value: {{ include "parley.text" $value | quote }} }`;
      return `\n${before}{{- range $name, $value := ${merged} }}\n${pair}\n${before}{{- end }}`;
    },
  };
  return text.replaceAll(/^( *)(- )?(.*?)MARK_([A-Z]+)$/gm, (line, spaces: string, dash = '', key: string, mark: string) => {
    const expression = expressions[mark]?.(spaces.length + String(dash).length + 2);
    return expression === undefined
      ? line
      : `${spaces}${dash}${key.trimEnd()}${expression.startsWith('\n') ? '' : ' '}${expression}`;
  });
}

/** The Ingress of the production overlay, with the names of the installation. */
function ingress(): string {
  const [object] = readYaml('k8s/overlays/production/ingress.yaml');
  const text = withNames('ingress', stringify(object, yamlOfHelm)).replaceAll(
    'ingressClassName: nginx',
    'ingressClassName: {{ .Values.ingress.className }}',
  );
  return `${warning}${onlyIf('.Values.ingress.enabled', text)}`;
}

function gatewayApi(): string {
  const objects = renderKustomization('k8s/components/gateway-api').map((object) => stringify(object, yamlOfHelm));
  const text = withNames('gatewayApi', objects.join('---\n')).replaceAll(
    'gatewayClassName: example',
    'gatewayClassName: {{ .Values.gatewayApi.className }}',
  );
  return `${warning}${onlyIf('.Values.gatewayApi.enabled', text)}`;
}

/** Scalers by what a service holds, between the sizes that the other scalers would have. */
function keda(): string {
  const scalers = readYaml('k8s/components/keda/scalers.yaml').map((scaler) => {
    const marked = strategicMerge(scaler, { spec: { minReplicaCount: 'MARK_LEAST', maxReplicaCount: 'MARK_MOST' } });
    return withExpressions(stringify(marked, yamlOfHelm), ClusterObject.parse(scaler).metadata.name);
  });
  const text = scalers.join('---\n').replaceAll(/serverAddress: .*/g, 'serverAddress: {{ .Values.keda.prometheus }}');
  return `${warning}${onlyIf('.Values.keda.enabled', text)}`;
}

function withNames(values: 'ingress' | 'gatewayApi', text: string): string {
  return text
    .replaceAll('voice-example-com', `{{ .Values.${values}.tlsSecret }}`)
    .replaceAll('voice.example.com', `{{ .Values.${values}.host }}`);
}
