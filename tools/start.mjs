// `npm start`: from a fresh clone to a talking platform in one process.
import { build } from './build.mjs';
import { installRecognizer } from './local-recognizer.mjs';
import { become, prepareWorkspace, refuse } from './workspace.mjs';

const node = await prepareWorkspace();
await build().catch((error) => refuse(`the build failed: ${error.message}`));
const asksForHelp = process.argv.some((word) => word === '--help' || word === '-h');
if (!asksForHelp) await installRecognizer();
// Live calls run in this process, so it must not pause to return memory (docs/voice.md).
await become(node, [
  '--require=./tools/own-source-maps.cjs',
  '--no-memory-reducer',
  'dist/apps/all-in-one/src/main.js',
  ...process.argv.slice(2),
]);
