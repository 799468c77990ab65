import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

/** What `Progress` says of each of these looks: the size seen, and when. */
function judged(stallMs: number, looks: readonly (readonly [size: number, atMs: number])[]): unknown {
  const code = `import { Progress } from ${JSON.stringify(path.join(__dirname, 'progress.mjs'))};
    const progress = new Progress(${stallMs}, 0);
    console.log(JSON.stringify(${JSON.stringify(looks)}.map(([size, atMs]) => progress.isStalled(size, atMs))));`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' }));
}

const looksEvery = (ms: number, sizes: readonly number[]) => sizes.map((size, index) => [size, (index + 1) * ms] as const);

describe('work that fills a folder', () => {
  it('goes on for as long as something is written, however long that takes', () => {
    const growing = Array.from({ length: 600 }, (_, second) => Math.floor(second / 100));
    expect(judged(120_000, looksEvery(1_000, growing))).toEqual(growing.map(() => false));
  });

  it('is stopped once it has stood still for that long', () => {
    const still = looksEvery(
      1_000,
      Array.from({ length: 122 }, () => 5),
    );
    expect(judged(120_000, still)).toEqual(still.map((_, index) => index >= 120));
  });

  it('is not stopped for time in which a starved process could not look', () => {
    expect(
      judged(120_000, [
        [5, 1_000],
        [5, 200_000],
        [6, 201_000],
        [6, 330_000],
      ]),
    ).toEqual([false, false, false, false]);
  });
});

// Packages of Debian are for Linux alone.
const itOnLinux = process.platform === 'linux' ? it : it.skip;

itOnLinux('what is waited for is said at once, before the recognizer is there', async () => {
  const place = mkdtempSync(path.join(tmpdir(), 'parley-recognizer-'));
  // An apt-get that never ends: whatever is said, is said before.
  writeFileSync(path.join(place, 'apt-get'), '#!/bin/sh\nexec sleep 600\n', { mode: 0o755 });
  const env = { PATH: `${place}:${process.env.PATH}`, PARLEY_MODELS: place, npm_config_registry: 'http://127.0.0.1:9' };
  const child = spawn(process.execPath, [path.join(__dirname, 'local-recognizer.mjs')], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [first] = await new Promise<string[]>((resolve) => createInterface(child.stderr).once('line', (line) => resolve([line])));
  child.kill();
  rmSync(place, { recursive: true, force: true });
  expect(first).toMatch(
    /^parley: no speech is recognized on this machine yet: installing moonshine-base .*409 PROVIDER_NOT_CONFIGURED/,
  );
});
