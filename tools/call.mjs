// `npm run call -- [--say "When are you open?"]`: a telephone in the terminal that calls the demo agent of a running platform.
import { build } from './build.mjs';
import { become, prepareWorkspace, refuse } from './workspace.mjs';

const node = await prepareWorkspace();
await build().catch((error) => refuse(`the build failed: ${error.message}`));
const home = process.env.PARLEY_HOME ? ['--home', process.env.PARLEY_HOME] : [];
await become(node, ['--enable-source-maps', 'dist/apps/all-in-one/src/call/main.js', ...home, ...process.argv.slice(2)]);
