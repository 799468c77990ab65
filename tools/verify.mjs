// `npm run verify -- deploy [--only=process] [--keep-image]`: checks that set up whole installations. Prints one table that includes every
// check, even those not run. `--only` runs a part, or several with commas between them: process, pooler, restore, upgrade, kill,
// kubernetes, arm64, container, compose. `--keep-image` takes the image that is there.
// `npm run verify -- clients [--at=http://127.0.0.1:8080]`: makes clients from /openapi.json of a running platform with openapi-typescript
// and orval, which it installs below .cache, and compiles them strictly.
import { build } from './build.mjs';
import { areGeneratorsInstalled, compileClients, installGenerators } from '../deploy/verify/clients.mjs';
import { become, explainIfAsked, prepareWorkspace, refuse } from './workspace.mjs';

explainIfAsked(import.meta.filename);
const [what, ...rest] = process.argv.slice(2);
const options = { deploy: /^--only=.|^--keep-image$/, clients: /^--at=https?:\/\/./ };
// A misspelt option would otherwise run everything.
const unknown = rest.find((word) => !options[what]?.test(word));
if (!Object.hasOwn(options, what ?? '') || unknown !== undefined)
  refuse(`no ${unknown ?? what ?? 'name'} here: npm run verify -- --help`, 64);
if (what === 'clients') await verifyClients(rest.at(-1)?.slice('--at='.length) ?? 'http://127.0.0.1:8080');
else await verifyDeployment();

async function verifyDeployment() {
  const node = await prepareWorkspace();
  await build().catch((error) => refuse(`the build failed: ${error.message}`));
  await become(node, ['deploy/verify/main.mjs', ...rest]);
}

async function verifyClients(at) {
  await prepareWorkspace();
  const address = `${at.replace(/\/+$/, '')}/openapi.json`;
  const response = await fetch(address).catch((error) => refuse(`${address} does not answer (${error.message}): npm start`));
  if (!response.ok) refuse(`${address} answered ${response.status}`);
  if (!areGeneratorsInstalled() && !installGenerators()) refuse('the generators could not be installed; the reason stands above');
  const failures = await compileClients(await response.text());
  if (failures.length > 0) refuse(failures.join('\n'));
  process.stdout.write('openapi-typescript, orval with fetch and orval with zod: their clients compile strictly.\n');
}
