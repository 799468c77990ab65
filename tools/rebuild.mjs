// `npm run rebuild -- dashboards [--check]`: recomputes the figures from the facts while the platform runs.
import { build } from './build.mjs';
import { become, explainIfAsked, prepareWorkspace, refuse } from './workspace.mjs';

explainIfAsked(import.meta.filename);
const node = await prepareWorkspace();
const [name, ...options] = process.argv.slice(2);
if (name !== 'dashboards') refuse('npm run rebuild -- dashboards [--check]', name ? 1 : 0);
await build().catch((error) => refuse(`the build failed: ${error.message}`));
await become(node, ['--enable-source-maps', 'dist/apps/dashboards/src/rebuild/main.js', ...options]);
