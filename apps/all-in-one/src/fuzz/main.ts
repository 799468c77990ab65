// `npm run fuzz -- api [--requests 100000] [--seed 1] [--snapshots a-folder]`: requests generated from our own OpenAPI document,
// whose answers are checked against it.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ApiFuzz, type Fuzzed, type FuzzSize } from './api';
import { startUnderFuzz } from './platform-under-fuzz';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    snapshots: { type: 'string' },
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
    Number.isInteger(seed);
  if (!isUnderstood) {
    process.stderr.write('npm run fuzz -- api [--requests 100000] [--seed 1] [--snapshots a-folder]\n');
    process.exit(2);
  }
  const home = mkdtempSync(path.join(tmpdir(), 'parley-fuzz-'));
  // Started as root, Postgres runs as another user, who must be able to enter the folder.
  chmodSync(home, 0o755);
  const fuzzed = await fuzz(home, { requests, seed, snapshots: values.snapshots });
  process.stdout.write(`${JSON.stringify(fuzzed, null, 2)}\n`);
  if (fuzzed.complaints.length === 0) rmSync(home, { recursive: true, force: true });
  else process.stderr.write(`fuzz: something is wrong; what the platform logged is in ${home}\n`);
  process.exit(fuzzed.complaints.length === 0 ? 0 : 1);
}

async function fuzz(home: string, size: FuzzSize): Promise<Fuzzed> {
  const platform = await startUnderFuzz(home);
  try {
    return await (await ApiFuzz.of(platform)).run(size);
  } finally {
    await platform.stop();
  }
}

void main();
