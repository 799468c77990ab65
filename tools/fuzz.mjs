// `npm run fuzz -- api [--requests 100000] [--seed 1] [--snapshots a-folder]`: generates requests from our own OpenAPI document
// and checks every answer against it.
// `npm run fuzz -- carriers [--runs 20000]`: every message and webhook of every carrier, altered, cut short and out of order.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { become, explainIfAsked, prepareWorkspace, refuse, root } from './workspace.mjs';

explainIfAsked(import.meta.filename);
const node = await prepareWorkspace();
const args = process.argv.slice(2);
if (args[0] === 'carriers') await bendCarriers(args.slice(1));
else {
  await build().catch((error) => refuse(`the build failed: ${error.message}`));
  await become(node, ['--enable-source-maps', 'dist/apps/all-in-one/src/fuzz/main.js', ...args]);
}

/** What every test run tries a little of, at length. */
async function bendCarriers(given) {
  const { values } = parseArgs({ args: given, options: { runs: { type: 'string', default: '20000' } } });
  const env = { ...process.env, CARRIER_FUZZ: values.runs };
  const files = ['libs/providers/src/carrier-media/fuzz', 'libs/providers/src/carrier-peers', 'libs/sip/src/hostile'];
  const jest = path.join(root, 'node_modules/jest/bin/jest.js');
  await become(node, [jest, '--testTimeout=3600000', ...files], { env });
}
