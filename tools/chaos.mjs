// `npm run chaos -- credits [--kills 200]`: kills processes of a running cluster and proves that nothing was lost.
// `npm run chaos -- money [--runs 200]`: however requests and processes end, the ledger says what was produced.
// `npm run chaos -- sockets [--sessions 100] [--seconds 60]`: callers whose connections drop, move and stall hear everything,
// once, in order.
// `npm run chaos -- doors [--connections 200] [--seconds 15]`: clients without a key send bodies; prints event loop delay and
// memory growth.
// `npm run chaos -- neighbours [--samples 2000] [--seconds 3] [--services conversation,speech]`: a busy organization beside a quiet
// one, for every service: lists, and questions with retrieval, searches, uploads, imports, calls and speech. Of three time slices it
// is busy on the same platform in one, on a second platform that shares only the machine in another, and idle in the third; a pause
// follows each. Prints the rates, the median and p99 of the quiet one in all three, and how much of the machine was free (80 minutes).
// `npm run chaos -- calls [--calls 50]`: kill -9 of the bridge, of speech and of NATS during calls: slots, reasons and money.
// `npm run chaos -- upgrade`: from an older build to this one and back, under load; `-- replicas`: kills one of two replicas of
// each service under load, as processes; `-- containers`: the same with each in a container of its own; `-- compose`: kills each
// container of compose. These are parts of `npm run verify -- deploy`.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { findNatsServer } from './nats-server.mjs';
import { become, explainIfAsked, prepareWorkspace, refuse, root } from './workspace.mjs';

explainIfAsked(import.meta.filename);
const node = await prepareWorkspace();
const args = process.argv.slice(2);
if (args[0] === 'sockets') await soakSockets(args.slice(1));
else if (args[0] === 'money') await drawEnds(args.slice(1));
else if (args[0] === 'doors') await floodDoors(args.slice(1));
else if (args[0] === 'neighbours') await measureNeighbours(args.slice(1));
else if (args[0] === 'calls') await killAmidCalls(args.slice(1));
else if (args[0] === 'upgrade') await verifyDeploy('upgrade');
else if (args[0] === 'containers') await verifyDeploy('containerKill');
else if (args[0] === 'compose') await verifyDeploy('compose');
else if (args[0] === 'replicas') await verifyDeploy('kill');
else await endProcesses();

async function endProcesses() {
  await build().catch((error) => refuse(`the build failed: ${error.message}`));
  const natsServer = process.env.NATS_URL ? undefined : await findNatsServer().catch((error) => refuse(error.message));
  const environment = { ...process.env, ...(natsServer && { NATS_SERVER: natsServer }) };
  await become(node, ['--enable-source-maps', 'dist/apps/all-in-one/src/chaos/main.js', ...args], { env: environment });
}

async function verifyDeploy(part) {
  await build().catch((error) => refuse(`the build failed: ${error.message}`));
  await become(node, ['deploy/verify/main.mjs', `--only=${part}`]);
}

/** Clients without a key send arbitrary data to a platform started as by `npm start`; its event loop and memory are measured. */
async function floodDoors(given) {
  const options = { connections: { type: 'string', default: '200' }, seconds: { type: 'string', default: '15' } };
  const { values } = parseArgs({ args: given, options });
  await build().catch((error) => refuse(`the build failed: ${error.message}`));
  const env = { ...process.env, STRANGERS: values.connections, STRANGERS_SECONDS: values.seconds };
  const jest = path.join(root, 'node_modules/jest/bin/jest.js');
  await become(node, [jest, '--testMatch=**/e2e/one-process/doors.e2e.ts'], { env });
}

/** What every test run verifies by order in the queue, measured in milliseconds. */
async function measureNeighbours(given) {
  const options = {
    samples: { type: 'string', default: '2000' },
    seconds: { type: 'string', default: '3' },
    services: { type: 'string', default: '' },
  };
  const { values } = parseArgs({ args: given, options });
  await build().catch((error) => refuse(`the build failed: ${error.message}`));
  const asked = { NEIGHBOURS_SAMPLES: values.samples, NEIGHBOURS_SECONDS: values.seconds, NEIGHBOURS_SERVICES: values.services };
  const env = { ...process.env, ...asked };
  const jest = path.join(root, 'node_modules/jest/bin/jest.js');
  await become(node, [jest, '--testTimeout=7200000', 'apps/all-in-one/src/neighbours'], { env });
}

/** The soak of every test run, at its full length. It simulates services, and the simulations are not part of the build. */
async function soakSockets(given) {
  const options = { sessions: { type: 'string', default: '100' }, seconds: { type: 'string', default: '60' } };
  const { values } = parseArgs({ args: given, options });
  const env = { ...process.env, SOAK_SESSIONS: values.sessions, SOAK_SECONDS: values.seconds };
  await become(node, [path.join(root, 'node_modules/jest/bin/jest.js'), 'apps/gateway/src/live/sockets/soak'], { env });
}

/** The generated ends of every test run, also of spoken turns, in full number; the figures are printed at the end. */
async function drawEnds(given) {
  const { values } = parseArgs({ args: given, options: { runs: { type: 'string', default: '200' } } });
  const env = { ...process.env, MONEY_RUNS: values.runs };
  const files = ['apps/gateway/src/money/ends', 'apps/all-in-one/src/spoken-ends'];
  await become(node, [path.join(root, 'node_modules/jest/bin/jest.js'), ...files], { env });
}

/** What every test run does with a few calls, done with many. */
async function killAmidCalls(given) {
  const { values } = parseArgs({ args: given, options: { calls: { type: 'string', default: '50' } } });
  const env = { ...process.env, CHAOS_CALLS: values.calls };
  await become(node, [path.join(root, 'node_modules/jest/bin/jest.js'), 'apps/telephony-bridge/src/recovery/chaos'], { env });
}
