// `npm run keys`: the secrets of an installation, new ones or a provider's. `-- --help` explains the options.
import { build } from './build.mjs';
import { become, prepareWorkspace, refuse } from './workspace.mjs';

const node = await prepareWorkspace();
await build().catch((error) => refuse(`the build failed: ${error.message}`));
await become(node, ['--enable-source-maps', 'dist/apps/all-in-one/src/keys/main.js', ...process.argv.slice(2)]);
