// `npm run fuzz -- api [--requests 100000] [--seed 1]`: draws requests from our own OpenAPI document and judges every answer by it.
import { build } from './build.mjs';
import { become, prepareWorkspace, refuse } from './workspace.mjs';

const node = await prepareWorkspace();
await build().catch((error) => refuse(`the build failed: ${error.message}`));
await become(node, ['--enable-source-maps', 'dist/apps/all-in-one/src/fuzz/main.js', ...process.argv.slice(2)]);
