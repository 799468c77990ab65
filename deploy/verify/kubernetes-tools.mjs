// Kubernetes' own programs, built from its published Go modules into .cache/kubernetes: `node deploy/verify/kubernetes-tools.mjs`, twenty
// minutes on two cores. Whoever has etcd, kube-apiserver, kube-controller-manager, kubectl, helm and kubeconform names their folder in
// KUBE_BIN instead.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isProgram } from '../../tools/debian-packages.mjs';

/** Kinds of others that components use, by the modules which publish them. */
export const kindsOfOthers = [
  { module: 'github.com/kedacore/keda/v2', version: 'v2.18.1', files: ['config/crd/bases/keda.sh_scaledobjects.yaml'] },
  {
    module: 'sigs.k8s.io/gateway-api',
    version: 'v1.4.0',
    files: ['gateways', 'httproutes'].map((kind) => `config/crd/standard/gateway.networking.k8s.io_${kind}.yaml`),
  },
  {
    module: 'github.com/prometheus-operator/prometheus-operator',
    version: 'v0.85.0',
    files: ['podmonitors', 'prometheusrules'].map((kind) => `example/prometheus-operator-crd/monitoring.coreos.com_${kind}.yaml`),
  },
];

const built = path.resolve(import.meta.dirname, '../../.cache/kubernetes');
const sources = [
  { module: 'go.etcd.io/etcd/server/v3', version: 'v3.6.16', programs: { etcd: '.' } },
  {
    module: 'k8s.io/kubernetes',
    version: 'v1.36.3',
    /** What lies beside the module in its repository is published under versions of its own. */
    besides: 'v0.36.3',
    /** A program that does not know its version is taken for none by the others. */
    linked: ['gitVersion=v1.36.3', 'gitMajor=1', 'gitMinor=36'].map((said) => `-X k8s.io/component-base/version.${said}`),
    programs: {
      kubectl: './cmd/kubectl',
      'kube-apiserver': './cmd/kube-apiserver',
      'kube-controller-manager': './cmd/kube-controller-manager',
    },
  },
  { module: 'helm.sh/helm/v3', version: 'v3.19.2', programs: { helm: './cmd/helm' } },
  { module: 'github.com/yannh/kubeconform', version: 'v0.8.0', programs: { kubeconform: './cmd/kubeconform' } },
];

/** Where a program of this name lies, or undefined. */
export function findTool(name) {
  const folders = [process.env.KUBE_BIN, built, ...(process.env.PATH ?? '').split(path.delimiter)].filter(Boolean);
  return folders.map((folder) => path.join(folder, name)).find(isProgram);
}

/** The folder of a module's published source, downloaded where it is not there; undefined on a machine without Go. */
export function goModule(module, version) {
  try {
    const told = execFileSync('go', ['mod', 'download', '-json', `${module}@${version}`], { encoding: 'utf8', stdio: 'pipe' });
    return JSON.parse(told).Dir;
  } catch {
    return undefined;
  }
}

function build({ module, version, besides, programs, linked = [] }) {
  const missing = Object.entries(programs).filter(([name]) => !isProgram(path.join(built, name)));
  if (missing.length === 0) return;
  const published = goModule(module, version);
  if (!published) throw new Error(`go mod download ${module}@${version} fails: is Go on this machine?`);
  const copy = path.join(built, 'source');
  rmSync(copy, { recursive: true, force: true });
  cpSync(published, copy, { recursive: true });
  for (const entry of ['.', ...readdirSync(copy, { recursive: true })]) chmodSync(path.join(copy, entry), 0o755);
  for (const entry of ['vendor', 'go.work', 'go.work.sum']) rmSync(path.join(copy, entry), { recursive: true, force: true });
  const file = path.join(copy, 'go.mod');
  writeFileSync(file, withoutNeighbours(readFileSync(file, 'utf8'), besides));
  for (const [name, where] of missing) {
    process.stderr.write(`${name} of ${module} ${version}\n`);
    const environment = { ...process.env, GOFLAGS: '-mod=mod', GOWORK: 'off', CGO_ENABLED: '0' };
    execFileSync('go', ['build', '-ldflags', linked.join(' '), '-o', path.join(built, name), where], {
      cwd: copy,
      env: environment,
      stdio: 'inherit',
    });
  }
  rmSync(copy, { recursive: true, force: true });
}

/** A module names its neighbours by folders of its repository, which are not in what is published. */
function withoutNeighbours(text, version) {
  return text.replaceAll(/^(\s*)(\S+) => \.\.?\/\S+$/gm, (line, spaces, module) =>
    version ? `${spaces}${module} => ${module} ${version}` : '',
  );
}

if (process.argv[1] === import.meta.filename) {
  mkdirSync(built, { recursive: true });
  for (const source of sources) build(source);
}
