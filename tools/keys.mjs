// `npm run keys`: new secrets for an installation, as the lines of .env. `-- --kubernetes` prints Secrets instead.
import { build } from './build.mjs';
import { become, prepareWorkspace, refuse } from './workspace.mjs';

const node = await prepareWorkspace();
await build().catch((error) => refuse(`the build failed: ${error.message}`));
await become(node, ['--enable-source-maps', 'dist/apps/all-in-one/src/keys/main.js', ...process.argv.slice(2)]);
