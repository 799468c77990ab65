// A Kubernetes of one check: etcd, an API server and the controllers, on loopback, without nodes.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findTool, goModule, kindsOfOthers } from './kubernetes-tools.mjs';
import { freePort, serviceNames } from './processes.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const run = promisify(execFile);
export const namespace = 'parley';
export const keysProgram = path.join(root, 'dist/apps/all-in-one/src/keys/main.js');

/** An API server, its store and its controllers, of this check's own. */
export class Cluster {
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

  async named(kind, name) {
    return JSON.parse(await this.kubectl('get', kind, name, '-n', namespace, '-o', 'json'));
  }

  /** The templates of the pods of every Deployment, as text. */
  async templates() {
    const { items } = JSON.parse(await this.kubectl('get', 'deployments', '-n', namespace, '-o', 'json'));
    return Object.fromEntries(items.map(({ metadata, spec }) => [metadata.name, JSON.stringify(spec.template)]));
  }

  /** The Deployments that `kubectl rollout restart` was asked for. */
  async restarted() {
    const templates = Object.entries(await this.templates());
    return templates.flatMap(([name, text]) => (text.includes('kubectl.kubernetes.io/restartedAt') ? [name] : [])).sort();
  }

  /** Commands of a document, without what waits for nodes, and with the built program of `npm run keys`. */
  async shell(commands) {
    const prelude = `
      kubectl() { case "$*" in *' rollout status '*|*' exec '*) ;; *) command kubectl "$@" ;; esac; }
      npm() { shift 4; '${process.execPath}' '${keysProgram}' "$@"; }`;
    const PATH = `${path.dirname(findTool('kubectl'))}${path.delimiter}${process.env.PATH}`;
    const env = { ...process.env, PATH, KUBECONFIG: this.kubeconfig };
    const script = `${prelude}\n${commands}`;
    return (await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: this.folder, env })).stdout;
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
