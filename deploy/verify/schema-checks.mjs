// Every manifest against the published schemas of the oldest Kubernetes that is supported and of the newest, by kubeconform. An API server of
// one version does not show that a field is new to the oldest.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { findTool, goModule, kindsOfOthers } from './kubernetes-tools.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const run = promisify(execFile);
/** Schemas of Kubernetes' own kinds, in the package of a tool that brings them along. */
const published = 'kubernetes-validate==1.37.0';
const versions = ['1.30.0', '1.36.0', '1.37.0'];
const cache = path.join(root, '.cache/kubernetes-schemas');
const overlays = ['trial', 'production', 'large'];
const chart = ['--set', 'settings.S3_BUCKET=parley,ingress.enabled=true,keda.enabled=true,gatewayApi.enabled=true'];

export async function kubernetesSchemaChecks(table) {
  const title = `kubernetes: every manifest by the schemas of ${versions.join(', ')} (kubeconform)`;
  const missing = ['kubeconform', 'kubectl', 'helm'].filter((name) => !findTool(name));
  if (missing.length > 0)
    return table.cannot(title, `no ${missing.join(', ')} here: node deploy/verify/kubernetes-tools.mjs builds them`);
  const schemas = path.join(cache, versions.join('-'));
  const why = await prepare(schemas).catch(({ stderr, message }) => String(stderr || message).slice(-300));
  if (why) return table.cannot(title, `no schemas: ${why}`);
  const manifests = await everyManifest();
  await table.check(title, async () => {
    for (const [name, text] of manifests)
      for (const version of versions) assert.deepEqual(await complaints(schemas, version, text), [], `${name}, ${version}`);
    const counts = manifests.map(
      ([name, text]) => `${name} ${parseAllDocuments(text).filter(({ contents }) => contents).length}`,
    );
    return `objects: ${counts.join(', ')}`;
  });
  await table.check('kubernetes: a misspelt field is refused by each schema, so that the row above means something', async () => {
    const [[, text]] = manifests;
    const misspelt = text.replaceAll(/^( +)readOnlyRootFilesystem:/gm, '$1readOnlyRootFileSystem:');
    for (const version of versions) assert.ok((await complaints(schemas, version, misspelt)).length > 0, version);
  });
}

async function everyManifest() {
  const stdoutOf = async (tool, ...words) => (await run(findTool(tool), words, { cwd: root, maxBuffer: 64_000_000 })).stdout;
  const rendered = overlays.map(async (name) => [name, await stdoutOf('kubectl', 'kustomize', `k8s/overlays/${name}`)]);
  return Promise.all([
    ...rendered,
    stdoutOf('helm', 'template', 'parley', 'deploy/helm', ...chart).then((text) => ['chart', text]),
  ]);
}

/** What is wrong with these objects; one whose schema is not there is wrong, too. */
async function complaints(schemas, version, text) {
  const places = [`v${version}`, 'others'].flatMap((folder) => [
    '-schema-location',
    path.join(schemas, folder, '{{ .ResourceKind }}{{ .KindSuffix }}.json'),
  ]);
  const asking = run(findTool('kubeconform'), ['-strict', '-output', 'json', '-kubernetes-version', version, ...places, '-'], {
    maxBuffer: 64_000_000,
  });
  asking.child.stdin.end(text);
  const { stdout } = await asking.catch((error) => error);
  return JSON.parse(stdout).resources.map(({ kind, name, msg }) => `${kind} ${name}: ${msg}`);
}

/** The schemas by version, and those of kinds of others, as kubeconform reads them without asking anybody. */
async function prepare(schemas) {
  if (existsSync(schemas)) return;
  const fetched = path.join(cache, 'fetched');
  if (!existsSync(fetched))
    await run('python3', ['-m', 'pip', 'install', '--quiet', '--no-deps', '--no-compile', '--target', fetched, published]);
  const unfinished = `${schemas}-unfinished`;
  for (const version of versions) {
    const from = path.join(fetched, `kubernetes_validate/kubernetes-json-schema/v${version}-local-strict`);
    const to = path.join(unfinished, `v${version}`);
    mkdirSync(to, { recursive: true });
    for (const name of readdirSync(from)) {
      // By their ids, they would be looked for on the web.
      const { $id: _id, ...schema } = JSON.parse(readFileSync(path.join(from, name), 'utf8'));
      writeFileSync(path.join(to, name), JSON.stringify(schema).replaceAll('"/api/_definitions.json#', '"_definitions.json#'));
    }
  }
  mkdirSync(path.join(unfinished, 'others'), { recursive: true });
  for (const { module, version, files } of kindsOfOthers) {
    const folder = goModule(module, version);
    assert.ok(folder, `no Go here to download ${module}@${version}`);
    for (const file of files) keepKindsOf(path.join(folder, file), path.join(unfinished, 'others'));
  }
  renameSync(unfinished, schemas);
}

function keepKindsOf(file, folder) {
  for (const document of parseAllDocuments(readFileSync(file, 'utf8'))) {
    const { spec } = document.toJS();
    for (const { name, schema } of spec.versions) {
      const kind = `${spec.names.kind.toLowerCase()}-${spec.group.split('.')[0]}-${name}.json`;
      writeFileSync(path.join(folder, kind), JSON.stringify(strict(schema.openAPIV3Schema)));
    }
  }
}

/** An object has no fields but those that its schema names. */
function strict(schema) {
  if (Array.isArray(schema)) return schema.map(strict);
  if (schema === null || typeof schema !== 'object') return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, strict(value)]));
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] || schema.additionalProperties !== undefined;
  const isRoot = schema.properties?.apiVersion && schema.properties.metadata;
  if (schema.type === 'object' && schema.properties && !isOpen && !isRoot) copy.additionalProperties = false;
  return copy;
}
