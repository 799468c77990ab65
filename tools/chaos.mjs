// `npm run chaos -- credits [--kills 200]`: ends processes of a running cluster on purpose and proves that nothing was lost.
// `npm run chaos -- sockets [--sessions 100] [--seconds 60]`: callers whose lines drop, move and dawdle hear all, once, in order.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { findNatsServer } from './nats-server.mjs';
import { become, prepareWorkspace, refuse, root } from './workspace.mjs';

const node = await prepareWorkspace();
const args = process.argv.slice(2);
if (args[0] === 'sockets') await soakSockets(args.slice(1));
else await endProcesses();

async function endProcesses() {
  await build().catch((error) => refuse(`the build failed: ${error.message}`));
  const natsServer = process.env.NATS_URL ? undefined : await findNatsServer().catch((error) => refuse(error.message));
  const environment = { ...process.env, ...(natsServer && { NATS_SERVER: natsServer }) };
  await become(node, ['--enable-source-maps', 'dist/apps/all-in-one/src/chaos/main.js', ...args], { env: environment });
}

/** The soak of every test run, at its long size. It plays services, and what plays is not built. */
async function soakSockets(given) {
  const options = { sessions: { type: 'string', default: '100' }, seconds: { type: 'string', default: '60' } };
  const { values } = parseArgs({ args: given, options });
  const env = { ...process.env, SOAK_SESSIONS: values.sessions, SOAK_SECONDS: values.seconds };
  await become(node, [path.join(root, 'node_modules/jest/bin/jest.js'), 'apps/gateway/src/sockets/soak'], { env });
}
