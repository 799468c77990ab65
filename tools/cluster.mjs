// `npm run cluster`: every service in a process of its own on this machine, over real NATS and Postgres.
import { build } from './build.mjs';
import { installRecognizer } from './local-recognizer.mjs';
import { findNatsServer } from './nats-server.mjs';
import { become, prepareWorkspace, refuse } from './workspace.mjs';

const node = await prepareWorkspace();
await build().catch((error) => refuse(`the build failed: ${error.message}`));
const asksForHelp = process.argv.some((word) => word === '--help' || word === '-h');
const natsServer =
  process.env.NATS_URL || asksForHelp ? undefined : await findNatsServer().catch((error) => refuse(error.message));
const environment = { ...process.env, ...(natsServer && { NATS_SERVER: natsServer }) };
if (!asksForHelp) await installRecognizer();
await become(
  node,
  ['--require=./tools/own-source-maps.cjs', 'dist/apps/all-in-one/src/cluster/main.js', ...process.argv.slice(2)],
  {
    env: environment,
  },
);
