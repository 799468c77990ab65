// `npm run verify -- deploy [--only=process] [--keep-image]`: checks that set up whole installations. Prints one table that includes every
// check, even those not run. `--only` runs a part, or several with commas between them: process, pooler, restore, standby, upgrade,
// kill, kubernetes, arm64, container, compose. `--keep-image` takes the image that is there.
// `npm run verify -- clients [--at=http://127.0.0.1:8080] [--only=npm]`: makes clients from /openapi.json of a running platform and
// compiles them: by openapi-typescript and orval (`--only=npm`), and in four languages by openapi-generator (`--only=pip`), which takes
// some minutes. It installs them below .cache, by npm and pip, and says what is not compiled because a program is missing.
import { build } from './build.mjs';
import { areGeneratorsInstalled, compileClients, installGenerators } from '../deploy/verify/clients.mjs';
import { checkOpenApiGenerator, installOpenApiGenerator } from '../deploy/verify/openapi-generator.mjs';
import { become, explainIfAsked, prepareWorkspace, refuse } from './workspace.mjs';

explainIfAsked(import.meta.filename);
const [what, ...words] = process.argv.slice(2);
// `--at URL` is `--at=URL`, as everywhere.
const rest = words.flatMap((word, at) => {
  if (/^--(at|only)$/.test(words[at - 1] ?? '')) return [];
  return /^--(at|only)$/.test(word) ? [`${word}=${words[at + 1] ?? ''}`] : [word];
});
const options = { deploy: /^--only=.|^--keep-image$/, clients: /^--at=https?:\/\/.|^--only=(npm|pip)$/ };
// A misspelt option would otherwise run everything.
const unknown = rest.find((word) => !options[what]?.test(word));
if (!Object.hasOwn(options, what ?? '') || unknown !== undefined)
  refuse(`no ${unknown ?? what ?? 'name'} here: npm run verify -- --help`, 64);
const given = (name) => rest.findLast((word) => word.startsWith(name))?.slice(name.length);
if (what === 'clients') await verifyClients(given('--at=') ?? 'http://127.0.0.1:8080', given('--only='));
else await verifyDeployment();

async function verifyDeployment() {
  const node = await prepareWorkspace();
  await build().catch((error) => refuse(`the build failed: ${error.message}`));
  await become(node, ['deploy/verify/main.mjs', ...rest]);
}

async function verifyClients(at, only) {
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
