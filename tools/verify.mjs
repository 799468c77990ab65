// `npm run verify -- deploy [--only=process] [--keep-image]`: checks that set up whole installations. Prints one table that includes every
// check, even those not run. `--only` runs a part, or several with commas between them: process, pooler, restore, standby, upgrade,
// kill, kubernetes, arm64, container, compose. `--keep-image` takes the image that is there.
// `npm run verify -- clients [--at=http://127.0.0.1:8080] [--only=npm]`: makes clients from /openapi.json of a running platform and
// compiles them: by openapi-typescript and orval (`--only=npm`), and in four languages by openapi-generator (`--only=pip`), which takes
// some minutes. It installs them below .cache, by npm and pip, and says what is not compiled because a program is missing.
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { areGeneratorsInstalled, compileClients, installGenerators } from '../deploy/verify/clients.mjs';
import { checkOpenApiGenerator, installOpenApiGenerator } from '../deploy/verify/openapi-generator.mjs';
import { become, explainIfAsked, prepareWorkspace, refuse } from './workspace.mjs';

explainIfAsked(import.meta.filename);
const options = {
  deploy: { only: { type: 'string' }, 'keep-image': { type: 'boolean' } },
  clients: { at: { type: 'string', default: 'http://127.0.0.1:8080' }, only: { type: 'string' } },
};
const [what = 'name', ...rest] = process.argv.slice(2);
if (!Object.hasOwn(options, what)) misused(`no ${what} here`);
const { at, only, ...flags } = given();
if (only === '') misused('--only names nothing');
else if (what === 'deploy') await verifyDeployment();
else if (!URL.canParse(at)) misused(`--at ${at} is no address`);
else if (only !== undefined && !['npm', 'pip'].includes(only)) misused(`no ${only} here`);
else await verifyClients();

/** A misspelt option would otherwise run everything. */
function given() {
  try {
    return parseArgs({ args: rest, options: options[what] }).values;
  } catch (error) {
    return misused(error.message);
  }
}

function misused(why) {
  refuse(`${why}: npm run verify -- --help`, 64);
}

async function verifyDeployment() {
  const node = await prepareWorkspace();
  await build().catch((error) => refuse(`the build failed: ${error.message}`));
  const parts = [only && `--only=${only}`, flags['keep-image'] && '--keep-image'].filter(Boolean);
  await become(node, ['deploy/verify/main.mjs', ...parts]);
}

async function verifyClients() {
  await prepareWorkspace();
  const address = `${at.replace(/\/+$/, '')}/openapi.json`;
  const response = await fetch(address).catch((error) => refuse(`${address} does not answer (${error.message}): npm start`));
  if (!response.ok) refuse(`${address} answered ${response.status}`);
  const document = await response.text();
  if (only !== 'pip') await verifyWithNpm(document);
  if (only !== 'npm') await verifyWithPip(document);
}

async function verifyWithNpm(document) {
  if (!areGeneratorsInstalled() && !installGenerators()) refuse('the generators could not be installed; the reason stands above');
  const failures = await compileClients(document);
  if (failures.length > 0) refuse(failures.join('\n'));
  process.stdout.write('openapi-typescript, orval with fetch and orval with zod: their clients compile strictly.\n');
}

/** A machine without Python can still check the others. */
async function verifyWithPip(document) {
  const missing = installOpenApiGenerator();
  if (missing) return void process.stdout.write(`openapi-generator was not run: ${missing}.\n`);
  const { notes, failures } = await checkOpenApiGenerator(document);
  for (const note of notes) process.stdout.write(`${note}\n`);
  if (failures.length > 0) refuse(failures.join('\n'));
}
