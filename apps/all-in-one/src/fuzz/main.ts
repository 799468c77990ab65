// `npm run fuzz -- api [--requests 100000] [--seed 1] [--snapshots a-folder]`: requests generated from our own OpenAPI document,
// whose answers are checked against it. `--at https://… --key wsk_…` sends them to an installation instead, with an Owner's key.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ApiFuzz, type Fuzzed, type FuzzSize } from './api';
import { type PlatformUnderFuzz, startUnderFuzz } from './platform-under-fuzz';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    snapshots: { type: 'string' },
    at: { type: 'string' },
    key: { type: 'string' },
  },
});
const requestsMax = 10_000_000;

async function main(): Promise<void> {
  const [requests, seed] = [Number(values.requests), Number(values.seed)];
  const isUnderstood =
    positionals.join() === 'api' &&
    Number.isInteger(requests) &&
    requests > 0 &&
    requests <= requestsMax &&
    Number.isInteger(seed) &&
    (values.at === undefined) === (values.key === undefined);
  if (!isUnderstood) {
    process.stderr.write(
      'npm run fuzz -- api [--requests 100000] [--seed 1] [--snapshots a-folder] [--at address --key owners-key]\n',
    );
    process.exit(2);
  }
  const size = { requests, seed, snapshots: values.snapshots };
  const given = installationGiven();
  const fuzzed = given ? await fuzz(given, size) : await fuzzOwn(size);
  process.stdout.write(`${JSON.stringify(fuzzed, null, 2)}\n`);
  process.exit(fuzzed.complaints.length === 0 ? 0 : 1);
}

/** Keeps what the platform logged if something is wrong. */
async function fuzzOwn(size: FuzzSize): Promise<Fuzzed> {
  const home = mkdtempSync(path.join(tmpdir(), 'parley-fuzz-'));
  // Started as root, Postgres runs as another user, who must be able to enter the folder.
  chmodSync(home, 0o755);
  const fuzzed = await fuzz(await startUnderFuzz(home), size);
  if (fuzzed.complaints.length === 0) rmSync(home, { recursive: true, force: true });
  else process.stderr.write(`fuzz: something is wrong; what the platform logged is in ${home}\n`);
  return fuzzed;
}

async function fuzz(platform: PlatformUnderFuzz, size: FuzzSize): Promise<Fuzzed> {
  try {
    return await (await ApiFuzz.of(platform)).run(size);
  } finally {
    await platform.stop();
  }
}

/** Generated requests delete and revoke what they find, so this is only for an organization that may lose everything. */
function installationGiven(): PlatformUnderFuzz | undefined {
  const { at, key } = values;
  if (at === undefined || key === undefined) return undefined;
  return { target: { baseUrl: at, workspaceKey: key }, hasDied: () => false, stop: async () => undefined };
}

void main();
