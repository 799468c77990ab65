// The profiles of docker-compose.yml at work: a mail arrives, a document lies in the bucket, a question is one trace that its figures name.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { WebSocket } from 'ws';
import { engine, findEngine } from '../stand-ins/engine.mjs';
import { findCompose, openProject } from './compose-checks.mjs';
import { composeImage } from '../compose-environment.mjs';
import { apiOf, done, firstAnswer, until } from './first-answer.mjs';
import { serviceNames } from './processes.mjs';
import { addDocument, answerFromDocument } from './restore-checks.mjs';
import { giveRoom } from './upgrade-checks.mjs';

const optional = ['mail', 'storage', 'otel-collector', 'jaeger', 'prometheus'];
const boards = path.resolve(import.meta.dirname, '../observability/grafana/dashboards');
const title = 'compose: the profiles mail, storage and observability start';

export async function composeProfileChecks(table, home) {
  const [engineName, compose] = [findEngine(), findCompose()];
  if (!engineName || !compose) return table.cannot(title, 'no podman-compose or docker compose here');
  for (const image of optional.map(composeImage)) {
    const missing = await engine(engineName, ['image', 'inspect', image]).then(
      () => false,
      () => true,
    );
    if (missing) return table.cannot(title, `${image} is not on this machine: deploy/stand-ins/optional.mjs makes one`);
  }
  table.cannot('compose: Grafana shows the dashboards', 'no image of Grafana is made here; Prometheus is asked what they ask');
  const settings = {
    S3_BUCKET: 'parley',
    S3_ENDPOINT: 'http://storage:7070',
    S3_ACCESS_KEY_ID: 'parley',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel-collector:4318',
  };
  const project = await openProject({ folder: path.join(home, 'profiles'), engineName, compose, settings });
  try {
    await profileRows(table, project);
  } finally {
    const profiles = ['observability', 'mail', 'storage', 'admin'].flatMap((name) => ['--profile', name]);
    await project.run(...profiles, 'down', '--volumes').catch(() => undefined);
    project.close();
  }
}

async function profileRows(table, project) {
  let used;
  const isUp = await table.check(title, async () => {
    await project.shell(
      [
        'echo smtp://mail:1025 | npm run --silent keys -- --set SMTP_URL',
        'openssl rand -hex 32 | npm run --silent keys -- --set S3_SECRET_ACCESS_KEY',
      ].join('\n'),
    );
    await project.up(...serviceNames, 'migrate', ...optional);
    used = await firstAnswer(project);
    return used.figures;
  });
  if (!isUp) return;
  await table.check('compose: mail: an invitation arrives', () => mailArrives(project, used));
  await table.check('compose: storage: a document lies in the bucket, and is read from it', async () => {
    await addDocument(project, used);
    const kept = await project.run('--profile', 'storage', 'exec', '-T', 'storage', 'find', '/data/files/parley', '-type', 'f');
    const files = kept.out.trim().split('\n').filter(Boolean);
    assert.ok(files.length > 0, 'the bucket is empty');
    const { code, err } = await project.admin('knowledge', 'reindex', '--json');
    assert.equal(code, 0, err);
    return `${files.length} files; ${await answerFromDocument(project, used)}`;
  });
  await table.check('compose: observability: a question is one trace in Jaeger, by way of the collector', () => traceOf(project));
  await table.check('compose: observability: the collector shows the figures that it was sent', async () => {
    const [text] = await until(
      () => fromInside(project, ['http://otel-collector:8889/metrics']),
      ([told]) => told.includes('parley_requests_total{'),
    );
    return `${new Set([...text.matchAll(/^parley_\w+/gm)].map(([name]) => name)).size} series of ours`;
  });
  await table.check('compose: observability: Prometheus sees every service, the alert rules, and traces beside figures', () =>
    prometheusSees(project),
  );
  await table.check('compose: observability: Prometheus answers what every panel of the dashboards asks', () =>
    panelsAnswered(project, used),
  );
}

async function panelsAnswered(project, { agentKey, made }) {
  await giveRoom(project, String(made.OrgID));
  await askOnLine(project.url, agentKey);
  await causeFault(project, made.key);
  const panels = readdirSync(boards).flatMap((file) => JSON.parse(readFileSync(path.join(boards, file), 'utf8')).panels);
  const asked = panels.flatMap(({ title: name, targets }) => targets.map(({ expr }) => ({ name, expr })));
  const queries = asked.map(({ expr }) => `query?query=${encodeURIComponent(expr.replaceAll('$__rate_interval', '5m'))}`);
  const { empty } = await until(
    async () => {
      const answers = await askPrometheus(project, queries);
      const answered = new Set(asked.flatMap(({ name }, index) => (answers[index].result.length > 0 ? [name] : [])));
      return { empty: panels.map(({ title: name }) => name).filter((name) => !answered.has(name)) };
    },
    ({ empty: found }) => found.length === 0,
  );
  return `${panels.length - empty.length} of ${panels.length} panels have lines`;
}

/** A line of voice on which a question is typed, and answered aloud. */
async function askOnLine(url, key) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/sts`, { headers: { 'x-api-key': key } });
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
  const silence = Buffer.alloc(640);
  const sound = setInterval(() => socket.send(silence), 20);
  const answered = new Promise((resolve, reject) => {
    socket.on('close', (code) => reject(new Error(`the line was closed with ${code}`)));
    socket.on('message', (data, isBinary) => {
      if (isBinary) return;
      const frame = JSON.parse(String(data));
      if (frame.type === 'session.ready') socket.send(JSON.stringify({ type: 'text', text: 'When are you open?' }));
      if (frame.type === 'error') reject(new Error(String(data)));
      if (frame.type === 'agent.done' && frame.text.includes('half past nine')) resolve();
    });
  });
  socket.send(JSON.stringify({ type: 'session.start' }));
  try {
    await answered;
  } finally {
    clearInterval(sound);
    socket.close();
  }
}

/** A service is away when it is asked, so that there is a fault to be seen. */
async function causeFault(project, key) {
  await project.run('stop', 'dashboards');
  const { status } = await apiOf(project.url)('/api/v1/external/dashboard-count/get-today-count', key);
  await project.run('start', 'dashboards');
  assert.equal(status, 503, 'dashboards were away');
}

async function mailArrives(project, { made }) {
  const member = { roleTypeID: 3, userType: 'Mobile App', agentAccessScope: 'ALL', permissions: { mobileSales: ['CanView'] } };
  const invite = { action: 'ADD', emails: ['ravi@corner.example'], ...member };
  await done(apiOf(project.url)('/api/v1/external/team-management/add-update-Invitation', made.key, invite));
  const { messages } = await until(
    async () => (await fetch(`http://127.0.0.1:${project.settings.MAIL_PORT}/api/v1/messages`)).json(),
    ({ messages: found }) => found.length > 0,
  );
  assert.equal(messages[0].To[0].Address, 'ravi@corner.example');
  return messages[0].Subject;
}

async function traceOf(project) {
  const jaeger = `http://127.0.0.1:${project.settings.JAEGER_PORT}/api/traces`;
  const query = 'service=gateway&operation=POST%20%2Fapi%2Fv1%2Fttt&limit=20';
  const isWhole = ({ processes }) => new Set(Object.values(processes).map(({ serviceName }) => serviceName)).size >= 3;
  const { data } = await until(
    async () => (await fetch(`${jaeger}?${query}`)).json(),
    ({ data: found }) => (found ?? []).some(isWhole),
  );
  const [trace] = data.filter(isWhole);
  const services = [...new Set(Object.values(trace.processes).map(({ serviceName }) => serviceName))].sort();
  return `${trace.spans.length} spans in ${services.join(', ')}`;
}

async function prometheusSees(project) {
  const ask = async (words) => (await askPrometheus(project, [words]))[0];
  await until(
    () => ask(`query?query=${encodeURIComponent('sum(up{job="parley"})')}`),
    ({ result }) => Number(result[0]?.value[1]) === serviceNames.length,
  );
  const { groups } = await ask('rules');
  const rules = groups.flatMap(({ rules: found }) => found);
  assert.deepEqual(
    rules.filter(({ health }) => health === 'err').map(({ name }) => name),
    [],
  );
  const now = Date.now() / 1000;
  const query = encodeURIComponent('parley_request_duration_seconds_bucket{service="gateway"}');
  const found = await until(
    () => ask(`query_exemplars?query=${query}&start=${now - 3_600}&end=${now + 3_600}`),
    (series) => series.some(({ exemplars }) => exemplars.length > 0),
  );
  const { trace_id: id } = found.flatMap(({ exemplars }) => exemplars)[0].labels;
  const known = await fetch(`http://127.0.0.1:${project.settings.JAEGER_PORT}/api/traces/${id}`);
  assert.equal(known.status, 200, `Jaeger has the trace ${id}`);
  return `${serviceNames.length} services, ${rules.length} rules, an exemplar that leads to its trace`;
}

async function askPrometheus(project, queries) {
  const answers = await fromInside(
    project,
    queries.map((words) => `http://prometheus:9090/api/v1/${words}`),
  );
  return answers.map((text) => {
    const { status, data, error } = JSON.parse(text);
    assert.equal(status, 'success', error);
    return data;
  });
}

/** What a server answers that only the services reach. */
async function fromInside(project, urls) {
  const script = `
    const text = (url) => fetch(url).then((answer) => answer.text());
    Promise.all(${JSON.stringify(urls)}.map(text)).then((texts) => process.stdout.write(JSON.stringify(texts)));`;
  return JSON.parse((await project.run('exec', '-T', 'gateway', 'node', '-e', script)).out);
}
