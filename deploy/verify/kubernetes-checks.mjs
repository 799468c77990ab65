// The manifests, given to a real API server with its controllers. There are no nodes: pods are admitted and stay pending, so that names,
// fields, versions, Pod Security and what the controllers make of it are seen, and no container runs.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { Cluster, keysProgram, namespace } from './kubernetes-cluster.mjs';
import { findTool } from './kubernetes-tools.mjs';
import { serviceNames } from './processes.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const run = promisify(execFile);
const programs = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl'];

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
    await table.check("kubernetes: the pod of the operator's command in docs/operations.md is that of the installation", () =>
      operatorsPod(cluster),
    );
    await table.check(
      "kubernetes: the bucket's key added, and the roles' passwords read, by the commands of docs/deployment.md",
      () => keysAndRoles(cluster),
    );
    await table.check('kubernetes: a new PARLEY_SECRET_KEY by the commands of docs/operations.md', () => rotation(cluster));
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

const production = 'k8s/overlays/production';
const readersOfSecretKey = ['agent-config', 'gateway', 'telephony-bridge'];
const documents = ['deployment', 'operations'].map((name) => readFileSync(path.join(root, `docs/${name}.md`), 'utf8')).join('\n');

/** The block of commands in the documents that begins so. */
function documented(beginning) {
  const block = [...documents.matchAll(/^```sh\n(.*?)^```$/gms)]
    .map(([, text]) => text)
    .find((text) => text.startsWith(beginning));
  assert.ok(block, `the documents have no commands that begin ${beginning}`);
  return block;
}

/** An installation of production with Secrets by `npm run keys`, for what is done with one. */
async function inProduction(cluster, work) {
  try {
    await cluster.kubectl('apply', '-k', production);
    await cluster.given(await keysFor('--database', 'db.example.com:5432/parley'), 'create', '-f', '-');
    // The controller makes the account of a namespace, without which no pod is admitted, a moment after the namespace.
    await cluster.until('the account of the namespace', () =>
      cluster.kubectl('get', 'serviceaccount', 'default', '-n', namespace),
    );
    return await work();
  } finally {
    await cluster.kubectl('delete', 'namespace', namespace, '--ignore-not-found');
  }
}

async function keysFor(...words) {
  const { stdout } = await run(process.execPath, [keysProgram, '--kubernetes', ...words]);
  return stdout;
}

function operatorsPod(cluster) {
  return inProduction(cluster, async () => {
    await cluster.shell(documented('image=$(kubectl'));
    const pod = await cluster.named('pod', 'admin');
    const [{ image, envFrom }] = pod.spec.containers;
    assert.equal(image, (await cluster.named('deployment', 'gateway')).spec.template.spec.containers[0].image);
    const [{ data: settings }, { data: secrets }] = [
      await cluster.named('configmap', envFrom[0].configMapRef.name),
      await cluster.named('secret', envFrom[1].secretRef.name),
    ];
    assert.match(settings.NATS_URL, /^nats:\/\/nats\.messaging\.svc:/);
    assert.match(decoded(secrets.DATABASE_URL), /@db\.example\.com:5432\/parley$/);
    return `${image}, ${settings.NATS_URL}`;
  });
}

/** What the Secrets of the services hold, by service. */
async function secretsIn(cluster) {
  const found = serviceNames.map(async (name) => [name, (await cluster.named('secret', `parley-${name}`)).data]);
  return Object.fromEntries(await Promise.all(found));
}

function keysAndRoles(cluster) {
  return inProduction(cluster, async () => {
    const before = await secretsIn(cluster);
    const adding = `printf word > bucket.txt\n${documented('npm run --silent keys -- --kubernetes --set')}`;
    await cluster.shell(adding);
    await cluster.shell(adding.replaceAll('S3_SECRET_ACCESS_KEY', 'OPENAI_SPEECH_API_KEY'));
    const added = Object.entries(await secretsIn(cluster)).map(([name, data]) => {
      assert.deepEqual({ ...data, ...before[name] }, data, `${name} has lost a secret`);
      return [name, Object.keys(data).filter((key) => !(key in before[name]))];
    });
    const [bucket, speech] = [['S3_SECRET_ACCESS_KEY'], ['OPENAI_SPEECH_API_KEY']];
    assert.deepEqual(Object.fromEntries(added.filter(([, names]) => names.length > 0)), {
      'agent-config': speech,
      gateway: bucket,
      'knowledge-ingest': bucket,
      speech: [...speech, ...bucket],
      'team-sales': bucket,
    });
    const psql = `psql() { printf '%s ' "$PARLEY_DATABASE_PASSWORD" "$DATABASE_PASSWORD_TELEPHONY"; }\nADMINISTRATORS_URL=there`;
    const seen = await cluster.shell(`${psql}\n${documented('(export PGAPPNAME')}`);
    const { data } = await cluster.named('secret', 'parley-postgres');
    assert.deepEqual(seen.trim().split(' '), [data.PARLEY_DATABASE_PASSWORD, data.DATABASE_PASSWORD_TELEPHONY].map(decoded));
    return 'added to four and to two Secrets, nothing lost';
  });
}

function rotation(cluster) {
  return inProduction(cluster, async () => {
    const secrets = () => secretsIn(cluster);
    const before = await secrets();
    const former = decoded(before.gateway.PARLEY_SECRET_KEY);
    await cluster.shell(documented('umask 077'));
    const during = await secrets();
    const next = decoded(during.gateway.PARLEY_SECRET_KEY);
    assert.notEqual(next, former);
    for (const name of readersOfSecretKey)
      assert.deepEqual(during[name], {
        ...before[name],
        PARLEY_SECRET_KEY: encoded(next),
        PARLEY_SECRET_KEYS_OLD: encoded(former),
      });
    assert.deepEqual(await cluster.restarted(), readersOfSecretKey);
    await cluster.shell(documented('umask 077').replace(/^kubectl -n parley get.*/ms, '') + documented('rm former-key'));
    for (const [name, data] of Object.entries(await secrets()))
      assert.deepEqual(
        data,
        readersOfSecretKey.includes(name) ? { ...before[name], PARLEY_SECRET_KEY: encoded(next) } : before[name],
      );
    return `rolled and given both keys: ${readersOfSecretKey.join(', ')}; no other Secret changed`;
  });
}

const decoded = (text) => Buffer.from(text, 'base64').toString('utf8');
const encoded = (text) => Buffer.from(text).toString('base64');

async function helmChecks(table, cluster, knowsOthers) {
  const title = 'kubernetes: the chart installed by Helm, every pod admitted';
  const helm = findTool('helm');
  if (!helm) return table.cannot(title, 'no helm here');
  const settings = ['--set', 'settings.S3_BUCKET=parley,ingress.enabled=true'];
  const inHelm = (...words) =>
    run(helm, [...words, '--namespace', namespace, '--kubeconfig', cluster.kubeconfig], { cwd: root, maxBuffer: 16_000_000 });
  await table.check(title, async () => {
    try {
      await cluster.kubectl('apply', '-f', 'k8s/base/namespace.yaml');
      // The migration is a hook that has to end, which it cannot without a node: it is given to the server apart.
      const others = knowsOthers ? ['--set', 'keda.enabled=true,gatewayApi.enabled=true'] : [];
      const { stdout } = await inHelm('template', 'parley', 'deploy/helm', ...settings, ...others);
      await cluster.given(stdout, 'apply', '--dry-run=server', '--namespace', namespace, '-f', '-');
      await cluster.given(await keysFor(), 'create', '-f', '-');
      const install = () => inHelm('upgrade', '--install', 'parley', 'deploy/helm', '--no-hooks', ...settings);
      await install();
      const seen = await cluster.everyPodAdmitted();
      const before = await cluster.templates();
      await install();
      assert.deepEqual(await cluster.templates(), before, 'an upgrade that changes nothing rolls pods');
      const patch = JSON.stringify({ stringData: { SMTP_URL: 'smtps://mail.example.com' } });
      await cluster.kubectl('patch', 'secret', 'parley-team-sales', '-n', namespace, '--patch', patch);
      await install();
      const after = await cluster.templates();
      const rolled = Object.keys(after).filter((name) => after[name] !== before[name]);
      assert.deepEqual(rolled, ['team-sales'], 'rolled after one Secret was changed');
      return seen;
    } finally {
      await cluster.kubectl('delete', 'namespace', namespace, '--ignore-not-found');
    }
  });
}
