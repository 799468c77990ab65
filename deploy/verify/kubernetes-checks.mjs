// The manifests, given to a real API server with its controllers. There are no nodes: pods are admitted and stay pending, so that names,
// fields, versions, Pod Security and what the controllers make of it are seen, and no container runs.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createWriteStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findTool, goModule, kindsOfOthers } from './kubernetes-tools.mjs';
import { freePort, serviceNames } from './processes.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const run = promisify(execFile);
const programs = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl'];
const namespace = 'parley';

export async function kubernetesChecks(table, home) {
  const title = 'kubernetes: an API server and its controllers start';
  const missing = programs.filter((name) => !findTool(name));
  if (missing.length > 0)
    return table.cannot(title, `no ${missing.join(', ')} here: node deploy/verify/kubernetes-tools.mjs builds them`);
  const cluster = new Cluster(path.join(home, 'kubernetes'));
  try {
    if (!(await table.check(title, () => cluster.start()))) return;
    const knowsOthers = await table.check('kubernetes: the kinds of KEDA, the Gateway API and the operator of Prometheus', () =>
      cluster.learnKindsOfOthers(),
    );
    for (const overlay of ['trial', 'production', ...(knowsOthers ? ['large'] : [])])
      await table.check(`kubernetes: k8s/overlays/${overlay} by the documented commands, every pod admitted`, () =>
        overlayCheck(cluster, `k8s/overlays/${overlay}`),
      );
    await table.check(
      'kubernetes: a pod that may run as root is refused in our namespace, so that the rows above mean something',
      () => refusalCheck(cluster),
    );
    await table.check("kubernetes: the pod of the operator's command in docs/operations.md is admitted", () =>
      operatorsPod(cluster),
    );
    await helmChecks(table, cluster, knowsOthers);
  } finally {
    await cluster.stop();
  }
}

async function overlayCheck(cluster, folder) {
  try {
    await cluster.kubectl('apply', '-k', folder, '-l', 'parley.dev/phase=prepare');
    await cluster.kubectl('apply', '-k', folder);
    return await cluster.everyPodAdmitted();
  } finally {
    await cluster.kubectl('delete', 'namespace', namespace, '--ignore-not-found');
  }
}

async function refusalCheck(cluster) {
  await cluster.kubectl('apply', '-f', 'k8s/base/namespace.yaml');
  const containers = [{ name: 'root', image: 'parley' }];
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'root', namespace }, spec: { containers } };
  await assert.rejects(cluster.given(JSON.stringify(pod), 'apply', '-f', '-'), /violates PodSecurity "restricted/);
  await cluster.kubectl('delete', 'namespace', namespace);
}

async function operatorsPod(cluster) {
  const [, manifest] = /<<'POD'\n(.*?)\nPOD\n/s.exec(readFileSync(path.join(root, 'docs/operations.md'), 'utf8'));
  await cluster.kubectl('apply', '-f', 'k8s/base/namespace.yaml');
  try {
    // The controller makes the account of a namespace, without which no pod is admitted, a moment after the namespace.
    await cluster.until('the account of the namespace', () =>
      cluster.kubectl('get', 'serviceaccount', 'default', '-n', namespace),
    );
    await cluster.given(manifest, 'apply', '-n', namespace, '-f', '-');
    return (await cluster.kubectl('get', 'pod', 'admin', '-n', namespace, '-o', 'name')).trim();
  } finally {
    await cluster.kubectl('delete', 'namespace', namespace);
  }
}

async function helmChecks(table, cluster, knowsOthers) {
  const title = 'kubernetes: the chart installed by Helm, every pod admitted';
  const helm = findTool('helm');
  if (!helm) return table.cannot(title, 'no helm here');
  const settings = ['--set', 'ingress.enabled=true', '--set', 'services.gateway.settings.PUBLIC_URL=https://voice.example.com'];
  const inHelm = (...words) =>
    run(helm, [...words, '--namespace', namespace, '--kubeconfig', cluster.kubeconfig], { cwd: root, maxBuffer: 16_000_000 });
  await table.check(title, async () => {
    try {
      await cluster.kubectl('apply', '-f', 'k8s/base/namespace.yaml');
      // The migration is a hook that has to end, which it cannot without a node: it is given to the server apart.
      const others = knowsOthers ? ['--set', 'keda.enabled=true,gatewayApi.enabled=true'] : [];
      const { stdout } = await inHelm('template', 'parley', 'deploy/helm', ...settings, ...others);
      await cluster.given(stdout, 'apply', '--dry-run=server', '--namespace', namespace, '-f', '-');
      await inHelm('upgrade', '--install', 'parley', 'deploy/helm', '--no-hooks', ...settings);
      return await cluster.everyPodAdmitted();
    } finally {
      await cluster.kubectl('delete', 'namespace', namespace, '--ignore-not-found');
    }
  });
}

class Cluster {
  kubeconfig;
  running = [];

  constructor(folder) {
    this.folder = folder;
    this.kubeconfig = path.join(folder, 'kubeconfig');
  }

  async start() {
    mkdirSync(this.folder, { recursive: true });
    const [clients, peers, port] = [await freePort(), await freePort(), await freePort()];
    const store = `http://127.0.0.1:${clients}`;
    this.run('etcd', {
      'data-dir': path.join(this.folder, 'etcd'),
      'listen-client-urls': store,
      'advertise-client-urls': store,
      'listen-peer-urls': `http://127.0.0.1:${peers}`,
    });
    const token = randomBytes(24).toString('hex');
    const tokens = this.file('tokens.csv', `${token},admin,admin,system:masters\n`);
    const { privateKey, publicKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const signing = this.file('accounts.key', privateKey);
    this.run('kube-apiserver', {
      'etcd-servers': store,
      'bind-address': '127.0.0.1',
      'secure-port': port,
      'cert-dir': path.join(this.folder, 'certificates'),
      'service-cluster-ip-range': '10.96.0.0/16',
      'service-account-issuer': 'https://kubernetes.default.svc',
      'service-account-key-file': this.file('accounts.pub', publicKey),
      'service-account-signing-key-file': signing,
      'token-auth-file': tokens,
      'authorization-mode': 'RBAC',
    });
    writeFileSync(this.kubeconfig, JSON.stringify(kubeconfigOf(port, token)), { mode: 0o600 });
    await this.until('the API server is ready', async () => (await this.kubectl('get', '--raw', '/readyz')) === 'ok');
    this.run('kube-controller-manager', {
      kubeconfig: this.kubeconfig,
      'service-account-private-key-file': signing,
      'leader-elect': false,
      'bind-address': '127.0.0.1',
      'secure-port': 0,
    });
    return JSON.parse(await this.kubectl('version', '-o', 'json')).serverVersion.gitVersion;
  }

  async learnKindsOfOthers() {
    for (const { module, version, files } of kindsOfOthers) {
      const folder = goModule(module, version);
      assert.ok(folder, `no Go here to download ${module}@${version}`);
      for (const file of files) await this.kubectl('apply', '--server-side', '-f', path.join(folder, file));
    }
    await this.kubectl('wait', '--for=condition=Established', '--timeout=60s', 'crd', '--all');
    return kindsOfOthers.map(({ module, version }) => `${module.split('/').at(-1)} ${version}`).join(', ');
  }

  /** As many pods as the workloads ask for, the migration's included where it was applied. */
  async everyPodAdmitted() {
    let seen;
    await this.until('every pod is admitted', async () => {
      const { items } = JSON.parse(await this.kubectl('get', 'deployments,statefulsets,jobs', '-n', namespace, '-o', 'json'));
      const pods = JSON.parse(await this.kubectl('get', 'pods', '-n', namespace, '-o', 'json')).items;
      const refused = JSON.parse(
        await this.kubectl('get', 'events', '-n', namespace, '--field-selector=reason=FailedCreate', '-o', 'json'),
      ).items.map(({ message }) => message);
      assert.deepEqual(refused, [], 'pods were refused');
      const missing = items.filter((workload) => podsOf(workload, pods).length < (workload.spec.replicas ?? 1));
      const names = items.filter(({ kind }) => kind === 'Deployment').map(({ metadata }) => metadata.name);
      assert.deepEqual(names.sort(), [...serviceNames].sort());
      seen = `${items.length} workloads, ${pods.length} pods`;
      return missing.length === 0;
    });
    return seen;
  }

  async kubectl(...words) {
    const { stdout } = await this.asked(words);
    return stdout;
  }

  /** The same, with what it reads from its standard input. */
  async given(text, ...words) {
    const asked = this.asked(words);
    asked.child.stdin.end(text);
    await asked;
  }

  asked(words) {
    const options = { cwd: root, maxBuffer: 64_000_000 };
    return run(findTool('kubectl'), ['--kubeconfig', this.kubeconfig, ...words], options);
  }

  run(name, flags) {
    const words = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`);
    const child = spawn(findTool(name), words, { stdio: ['ignore', 'pipe', 'pipe'] });
    const log = createWriteStream(path.join(this.folder, `${name}.log`));
    child.stdout.pipe(log);
    child.stderr.pipe(log, { end: false });
    this.running.push(child);
  }

  file(name, text) {
    const file = path.join(this.folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  }

  async until(what, isSo) {
    let last;
    for (const giveUpAt = Date.now() + 120_000; Date.now() < giveUpAt; await delay(500)) {
      const answer = await isSo().catch((error) => void (last = error));
      if (answer) return;
      if (last?.code === 'ERR_ASSERTION' && last.message.startsWith('pods were refused')) break;
    }
    throw new Error(`not within 120 s: ${what}${last ? `: ${last.message}` : ''}`);
  }

  async stop() {
    for (const child of this.running.reverse()) {
      if (child.exitCode !== null) continue;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await Promise.race([gone, delay(20_000).then(() => child.kill('SIGKILL'))]);
    }
  }
}

function podsOf({ kind, metadata }, pods) {
  const owner = kind === 'Deployment' ? 'ReplicaSet' : kind;
  return pods.filter(({ metadata: { ownerReferences = [] } }) =>
    ownerReferences.some(({ kind: by, name }) =>
      by === owner && kind === 'Deployment' ? name.replace(/-[^-]+$/, '') === metadata.name : name === metadata.name,
    ),
  );
}

function kubeconfigOf(port, token) {
  const server = `https://127.0.0.1:${port}`;
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'try',
    clusters: [{ name: 'try', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'try', context: { cluster: 'try', user: 'admin' } }],
  };
}
