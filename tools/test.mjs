// `npm test`: everything that must hold before a change lands, from a fresh clone, with a one-line result at the end.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { unpackAsterisk } from './asterisk.mjs';
import { build } from './build.mjs';
import { unpackChromium } from './chromium.mjs';
import { installModel } from './local-recognizer.mjs';
import { findNatsServer, testsThatNeedNats } from './nats-server.mjs';
import { unpackPocketsphinx } from './pocketsphinx.mjs';
import { unpackSipPeers } from './sip-peers.mjs';
import { explainIfAsked, prepareWorkspace, refuse, root, run } from './workspace.mjs';

explainIfAsked(import.meta.filename);
const startedAt = Date.now();
const node = await prepareWorkspace();
// If more than a few fail the change is broken, and a second run would show nothing else.
const judgedAgainMax = 5;
const reports = mkdtempSync(path.join(tmpdir(), 'parley-test-'));
const tally = { passed: 0, failed: 0, skipped: 0, unsteady: 0 };
const slowestShown = 10;
const durations = [];

const bin = (name) => path.join(root, 'node_modules', name);
const { PRIORITY_NORMAL, PRIORITY_LOW } = constants.priority;
const jestOnce = async ({ config, environment, priority = PRIORITY_NORMAL }, files = []) => {
  const report = path.join(reports, `${randomUUID()}.json`);
  const only = files.length > 0 ? ['--maxWorkers', '1', '--runTestsByPath', ...files] : [];
  const args = [bin('jest/bin/jest.js'), '--config', config, '--json', '--outputFile', report, '--silent', ...only];
  const code = await run(node, args, { env: { ...process.env, ...environment }, stdio: ['ignore', 'ignore', 2], priority });
  return countJest(report, code);
};
const judgedAgain = [];
const jest = (tests) => async () => {
  const first = await jestOnce(tests);
  const failed = first.failedFiles?.length ?? 0;
  if (failed > 0 && failed <= judgedAgainMax) judgedAgain.push({ first, tests });
  return first;
};
const unit = (PARLEY_TESTS, priority) =>
  jest({ config: 'jest.parts.config.mjs', environment: { PARLEY_TESTS, ...natsForTests }, priority });
const journeys = (environment) => jest({ config: 'jest.e2e.config.mjs', environment });
const check = (args) => async () =>
  (await run(node, args, { stdio: ['ignore', 2, 2], priority: PRIORITY_LOW })) === 0 ? { passed: 1 } : { failed: 1 };

const missingRecognizers = { moonshine: await installModel(), pocketsphinx: await unpackPocketsphinx() };
for (const [recognizer, reason] of Object.entries(missingRecognizers))
  if (reason) process.stderr.write(`parley: speech recognition by ${recognizer} is not tested: ${reason}\n`);
const natsServer = await findNatsServer().catch(skipNats);
const natsForTests = natsServer ? { NATS_SERVER: natsServer } : { PARLEY_NATS: 'absent' };
const pagesUnseen = await unpackChromium();
if (pagesUnseen) process.stderr.write(`parley: pages are not tested in a browser: ${pagesUnseen}\n`);
const peersMissing = [await unpackSipPeers(), await unpackAsterisk()].filter(Boolean);
for (const reason of peersMissing) process.stderr.write(`parley: SIP is not tested with all its real counterparts: ${reason}\n`);
await build().catch((error) => refuse(`the build failed: ${error.message}`));
// Tests that listen to sound in real time mostly wait, but need a core at once when they do not. The others use what is left of
// both cores.
await Promise.all([
  (async () => {
    await step('journeys, one process', journeys({ PARLEY_JOURNEYS_ON: 'one-process' }));
    if (natsServer) await step('journeys, NATS', journeys({ PARLEY_JOURNEYS_ON: 'cluster', ...natsForTests }));
  })(),
  step('unit tests that mostly wait', unit('waits')),
  (async () => {
    await step('unit tests', unit('beside others', PRIORITY_LOW));
    await step('lint', check(['tools/lint.mjs']));
    await step('type check', check([bin('typescript/bin/tsc'), '--noEmit', '-p', 'tsconfig.json']));
  })(),
]);
await step('unit tests that are judged by CPU time', unit('quiet'));
for (const each of judgedAgain) await judgeAgain(each);

rmSync(reports, { recursive: true, force: true });
process.stderr.write(`parley: tested in ${Math.round((Date.now() - startedAt) / 1000)} s; most of it in:\n`);
const slowest = durations.sort((one, other) => other.seconds - one.seconds).slice(0, slowestShown);
for (const { name, seconds } of slowest)
  process.stderr.write(`parley: ${seconds.toFixed(0).padStart(6)} s  ${path.relative(root, name)}\n`);
const skipped = tally.skipped ? `, ${tally.skipped} skipped` : '';
const unsteady = tally.unsteady ? `, ${tally.unsteady} of them only alone` : '';
process.stdout.write(`${tally.passed} passed${unsteady}, ${tally.failed} failed${skipped}\n`);
process.exit(tally.failed ? 1 : 0);

/** Half of the tests need a real broker. Without one these files are skipped, and counted in one printed line. */
function skipNats({ message }) {
  if (process.env.NATS_SERVER) refuse(message);
  const files = testsThatNeedNats().length;
  tally.skipped += files;
  process.stderr.write(
    `parley: skipped: ${files} files of tests over NATS, the journeys of the cluster among them: ${message}\n`,
  );
}

async function step(title, work) {
  const stepStartedAt = Date.now();
  process.stderr.write(`parley: ${title} …\n`);
  const { passed = 0, failed = 0, skipped = 0 } = await work();
  tally.passed += passed;
  tally.failed += failed;
  tally.skipped += skipped;
  const seconds = Math.round((Date.now() - stepStartedAt) / 1000);
  process.stderr.write(`parley: ${title}: ${passed} passed, ${failed} failed, ${skipped} skipped, ${seconds} s\n`);
}

/** A test that failed while others ran is repeated alone: see docs/decisions/011-failed-tests-are-repeated-alone.md. */
async function judgeAgain({ first, tests }) {
  for (const file of first.failedFiles)
    process.stderr.write(`parley: failed, judged again alone: ${path.relative(root, file)}\n`);
  const second = await jestOnce({ ...tests, priority: PRIORITY_NORMAL }, first.failedFiles);
  const unsteady = Math.max(0, first.failed - second.failed);
  tally.unsteady += unsteady;
  tally.passed += unsteady;
  tally.failed += second.failed - first.failed;
}

/** A run that died before it could report counts as one failure, and so does a file that did not load. */
function countJest(report, code) {
  try {
    const result = JSON.parse(readFileSync(report, 'utf8'));
    nameSkipped(result.testResults);
    for (const { name, startTime, endTime } of result.testResults)
      durations.push({ name, seconds: (endTime - startTime) / 1000 });
    const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
    if (failed === 0 && code !== 0)
      process.stderr.write('parley: all its tests passed, but what they ran on did not stop cleanly: the reason stands above\n');
    const failedFiles = result.testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
    return {
      passed: result.numPassedTests,
      failed: failed || (code === 0 ? 0 : 1),
      skipped: result.numPendingTests,
      failedFiles,
    };
  } catch {
    return { failed: 1 };
  }
}

/** A skipped test says why in its title, which is printed, so that nothing is skipped silently. */
function nameSkipped(files) {
  const pending = files.flatMap((file) => file.assertionResults).filter((test) => test.status === 'pending');
  for (const test of pending) process.stderr.write(`parley: skipped: ${test.fullName}\n`);
}
