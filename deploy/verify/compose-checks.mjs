// `docker compose up`, really: a folder as an operator has it, the file as it is, journeys, crashes, down and up with the data kept.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { engine, findEngine } from '../stand-ins/engine.mjs';
import { composeImage } from '../compose-environment.mjs';
import { speakAndHear } from './container-checks.mjs';
import { apiOf, firstAnswer } from './first-answer.mjs';
import { newKeys } from './keys.mjs';
import { freePort, serviceNames } from './processes.mjs';
import { addDocument, answerFromDocument, figuresOf } from './restore-checks.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const keysProgram = path.join(root, 'dist/apps/all-in-one/src/keys/main.js');
const upMs = 600_000;
const stores = ['postgres', 'nats', 'qdrant'];

export async function composeChecks(table, home) {
  const title = 'compose: up, from an empty volume to the first answer';
  const [engineName, compose] = [findEngine(), findCompose()];
  if (!engineName || !compose) return table.cannot(title, 'no podman-compose or docker compose here');
  for (const name of ['gateway', ...stores]) {
    const image = composeImage(name);
    const isThere = await engine(engineName, ['image', 'inspect', image]).then(
      () => true,
      () => false,
    );
    if (!isThere) return table.cannot(title, `${image} is not on this machine: the checks of containers make it`);
  }
  const project = await openProject({ folder: path.join(home, 'compose'), engineName, compose });
  try {
    await projectChecks(table, project, title);
  } finally {
    await project.run('--profile', 'admin', 'down', '--volumes').catch(() => undefined);
    project.close();
  }
}

async function projectChecks(table, project, title) {
  let used;
  const isUp = await table.check(title, async () => {
    await project.up();
    used = await firstAnswer(project);
    return used.figures;
  });
  if (!isUp) return;
  const answers = async () => {
    const { status, body } = await apiOf(project.url)('/api/v1/ttt', used.agentKey, { question: 'When are you open?' });
    return status === 200 && body.answer.includes('half past nine');
  };
  await table.check('compose: speech hears without a key, by a model that was added to the volume', () =>
    hearsByModel(project, used),
  );
  await table.check('compose: down, and up again with the data kept', async () => {
    await project.run('down');
    await project.up();
    await until(answers, 'answers after down and up');
    return 'the same key, the same stored answer';
  });
  await table.check(
    'compose: PARLEY_SECRET_KEY is replaced by the commands of docs/operations.md, and keys stay good',
    async () => {
      const blocks = commandsIn('operations.md', 'Replacing PARLEY_SECRET_KEY');
      // Those for Kubernetes are run by its own check.
      for (const block of blocks.filter((each) => each.includes('docker compose'))) {
        await project.shell(block);
        await until(answers, `answers after ${block.slice(0, 60)}`);
        // A key that is not used before the former secret goes is lost, as the document says.
        await figuresOf(project, used);
      }
      return 'the keys of the agent and of the workspace';
    },
  );
  await table.check(
    'compose: dump and files, all volumes thrown away, restored by the commands of docs/deployment.md',
    async () => {
      const [backUp, restore] = commandsIn('deployment.md', 'Backup');
      await addDocument(project, used);
      const before = await figuresOf(project, used);
      await project.shell(backUp);
      await project.run('down', '--volumes');
      await project.shell(restore);
      // Compared before a question spends a credit; rebuilding the vectors may have added a line to the audit log.
      let after;
      const isIndexed = async () => {
        after = await figuresOf(project, used);
        return after.documents.every(({ chunkCount }) => chunkCount > 0);
      };
      await until(isIndexed, 'every document is indexed again');
      assert.ok(after.audits >= before.audits, `${before.audits} lines of audit before, ${after.audits} after`);
      assert.deepEqual({ ...after, audits: 0 }, { ...before, audits: 0 });
      await until(answers, 'answers after the restore');
      return `the same balances, audit and documents; ${await answerFromDocument(project, used)}`;
    },
  );
  await table.check('compose: every container is killed in turn, comes back, and questions are answered again', async () => {
    const seen = [];
    for (const service of [...serviceNames, ...stores]) {
      const startedAt = performance.now();
      await project.crash(service);
      await until(answers, `answers after a crash of ${service}`);
      seen.push(`${service} ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
    }
    return seen.join(', ');
  });
}

/** The archives of the model are fetched here: containers of a machine behind a proxy may not know whom it trusts. */
async function hearsByModel(project, used) {
  const archives = path.join(project.folder, 'model');
  mkdirSync(archives, { mode: 0o755 });
  const packed = { '@usefulsensors/moonshine-js@0.1.8': 'moonshine-js-0.1.8.tgz', 'llama-tokenizer-js@1.2.2': undefined };
  for (const [name, file] of Object.entries(packed)) {
    const { out } = await runProgram(['npm', 'pack', '--silent', name], archives);
    if (file) renameSync(path.join(archives, out.trim()), path.join(archives, file));
  }
  const from = ['--volume', `${archives}:/from:ro`];
  const add = ['models', 'add', 'moonshine-base', '--from', '/from'];
  await project.run('--profile', 'models', 'run', '--rm', '-T', ...from, ...add);
  const { status, text } = await speakAndHear(project, used, 'When are you open?');
  assert.equal(status, 200, text);
  assert.match(text, /open/i);
  return `moonshine-base: ${text.slice(0, 160)}`;
}

/** The blocks of commands below a heading of a document, as an operator copies them. */
function commandsIn(document, heading) {
  const text = readFileSync(path.join(root, 'docs', document), 'utf8');
  const [, section = ''] = new RegExp(`\n## ${heading}\n(.*?)(?=\n## |$)`, 's').exec(text) ?? [];
  const blocks = [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, commands]) => commands);
  assert.ok(blocks.length > 0, `no commands below ${heading} of ${document}`);
  return blocks;
}

/** A folder with the compose file and what it mounts, and an .env of its own with these settings besides. */
export async function openProject({ folder, engineName, compose, settings: given = {} }) {
  mkdirSync(path.join(folder, 'deploy'), { recursive: true, mode: 0o755 });
  for (const name of ['docker-compose.yml', 'deploy/stores', 'deploy/observability'])
    cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
  const { variables } = newKeys(folder);
  const settings = { ...variables, ...given };
  for (const port of ['PORT', 'TELEPHONY_PORT', 'JAEGER_PORT', 'MAIL_PORT']) settings[port] = String(await freePort());
  writeFileSync(
    path.join(folder, '.env'),
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
    { mode: 0o600 },
  );
  const name = `parley-try-${process.pid}`;
  const run = (...words) => runProgram([...compose, '--project-name', name, ...words], folder);
  const url = `http://127.0.0.1:${settings.PORT}`;
  const containerOf = async (service) => {
    const found = await engine(engineName, [
      'ps',
      '--quiet',
      '--filter',
      `label=com.docker.compose.project=${name}`,
      '--filter',
      `label=com.docker.compose.service=${service}`,
    ]);
    return found.split('\n')[0];
  };
  const health = checkHealth(engineName, name);
  const gatewayIsUp = async () => (await fetch(`${url}/health`)).ok;
  const gatewayStartedAt = async () => {
    const id = await containerOf('gateway');
    return id && engine(engineName, ['inspect', '--format', '{{.State.StartedAt}}', id]);
  };
  const postgresIsUp = async () => {
    await run('exec', '-T', 'postgres', 'pg_isready', '--quiet', '--host=127.0.0.1', '--username=parley', '--dbname=parley');
    return true;
  };
  return {
    url,
    run,
    folder,
    settings,
    close: () => health.stop(),
    /** Starts these services, whatever their profiles are, or all that have none. */
    up: async (...services) => {
      await run('up', '--detach', '--no-build', ...services);
      await until(gatewayIsUp, 'the gateway answers');
    },
    shell: (commands) => runCommands({ name, compose, folder, gatewayStartedAt, gatewayIsUp, postgresIsUp }, commands),
    admin: async (...words) => {
      const { code, out, err } = await run('--profile', 'admin', 'run', '--rm', '-T', 'admin', ...words).catch((error) => error);
      return { code, out: jsonIn(out ?? ''), err };
    },
    /** As a process dies by itself: killed from outside, an engine would take it for an order. */
    crash: async (service) => {
      const pid = Number(await engine(engineName, ['inspect', '--format', '{{.State.Pid}}', await containerOf(service)]));
      assert.ok(pid > 1, `${service} runs`);
      process.kill(pid, 'SIGKILL');
    },
  };
}

/** Commands of a document, one after another, with this project's Compose and this build's keys. */
async function runCommands(project, commands) {
  for (const command of commands.trim().replaceAll('\\\n', ' ').split('\n')) {
    const words = command
      .replace('npm run --silent keys --', `${process.execPath} ${keysProgram}`)
      .replace('docker compose', `${project.compose.join(' ')} --project-name ${project.name}`)
      .replace(' run --rm admin', ' --profile admin run --rm -T admin')
      .replace('up --detach', 'up --detach --no-build')
      .replace(' --wait', project.compose[0] === 'docker' ? ' --wait' : '');
    const before = await project.gatewayStartedAt();
    await runProgram(['sh', '-c', words], project.folder);
    // podman-compose says that all went well where it did nothing.
    if (command.includes('--force-recreate'))
      assert.notEqual(await project.gatewayStartedAt(), before, `no new gateway: ${command}`);
    // Not every Compose waits for health by itself.
    if (command.endsWith('up --detach --wait postgres')) await until(project.postgresIsUp, 'Postgres answers');
    else if (command.includes(' up ')) await until(project.gatewayIsUp, 'the gateway answers');
  }
}

/** Compose tools write words of their own around what a container says. */
function jsonIn(text) {
  const at = text.search(/^[[{]/m);
  return at < 0 ? text : text.slice(at, Math.max(text.lastIndexOf('}'), text.lastIndexOf(']')) + 1);
}

export function findCompose() {
  const given = process.env.COMPOSE?.split(' ');
  const known = given ? [given] : [['docker', 'compose'], ['podman-compose']];
  return known.find(
    ([program, ...words]) => spawnSync(program, [...words, 'version'], { stdio: 'ignore', timeout: 60_000 }).status === 0,
  );
}

function runProgram([program, ...words], cwd) {
  return new Promise((resolve, reject) => {
    const options = { cwd, encoding: 'utf8', timeout: upMs, maxBuffer: 64 * 1024 * 1024 };
    execFile(program, words, options, (error, out, err) => {
      const told = { code: error ? (error.code ?? 1) : 0, out, err: (err ?? '').slice(-1_000) };
      if (error) reject(Object.assign(new Error(`${words.slice(-3).join(' ')}: ${told.err}`), told));
      else resolve(told);
    });
  });
}

/** podman leaves health checks to systemd's timers; where there are none, nobody asks, and who waits for health waits for ever. */
function checkHealth(engineName, projectName) {
  let isOver = !engineName.includes('podman');
  const ask = async () => {
    const ids = await engine(engineName, ['ps', '--quiet', '--filter', `label=com.docker.compose.project=${projectName}`]).catch(
      () => '',
    );
    for (const id of ids.split('\n').filter(Boolean))
      await engine(engineName, ['healthcheck', 'run', id], { timeoutMs: 20_000 }).catch(() => undefined);
  };
  void (async () => {
    for (; !isOver; await delay(1_000)) await ask();
  })();
  return { stop: () => (isOver = true) };
}

async function until(isSo, what) {
  for (const giveUpAt = Date.now() + 180_000; Date.now() < giveUpAt; await delay(200))
    if (await isSo().catch(() => false)) return;
  throw new Error(`not within 180 s: ${what}`);
}
