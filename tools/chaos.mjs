// `npm run chaos -- credits [--kills 200]`: ends processes of a running cluster on purpose and proves that nothing was lost.
import { build } from './build.mjs';
import { findNatsServer } from './nats-server.mjs';
import { become, prepareWorkspace, refuse } from './workspace.mjs';

const node = await prepareWorkspace();
await build().catch((error) => refuse(`the build failed: ${error.message}`));
const natsServer = process.env.NATS_URL ? undefined : await findNatsServer().catch((error) => refuse(error.message));
const environment = { ...process.env, ...(natsServer && { NATS_SERVER: natsServer }) };
await become(node, ['--enable-source-maps', 'dist/apps/all-in-one/src/chaos/main.js', ...process.argv.slice(2)], { env: environment });
