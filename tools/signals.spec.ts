import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';

const root = path.resolve(__dirname, '..');
const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')));
/** Stands in for the script's program: reports that it started, and what ends it. */
const program = `
process.on('SIGTERM', () => { console.log('ended by SIGTERM'); process.exit(0); });
setInterval(() => {}, 1000);
console.log('running as ' + process.pid);
`;

describe('npm, on a signal', () => {
  let place: string;
  let npm: ChildProcess | undefined;
  let pid: number | undefined;
  beforeEach(() => {
    pid = undefined;
    place = mkdtempSync(path.join(tmpdir(), 'parley-signals-'));
    mkdirSync(path.join(place, 'tools'));
  });
  afterEach(() => {
    if (pid !== undefined && isRunningStill(pid)) process.kill(pid);
    rmSync(place, { recursive: true });
  });

  it.each(['start', 'cluster'])('ends what `npm run %s` runs', async (name) => {
    writeFileSync(path.join(place, 'package.json'), JSON.stringify({ name: 'stub', private: true, scripts }));
    writeFileSync(path.join(place, 'tools', `${name}.mjs`), program);
    npm = spawn('npm', ['run', name, '--', '--replicas', 'speech=2'], { cwd: place, stdio: ['ignore', 'pipe', 'inherit'] });
    const said: string[] = [];
    const { promise: isRunning, resolve: running } = Promise.withResolvers<void>();
    npm.stdout?.on('data', (bytes: Buffer) => {
      said.push(bytes.toString());
      pid = Number(/running as (\d+)/.exec(said.join(''))?.[1] ?? Number.NaN) || pid;
      if (pid !== undefined) running();
    });
    await isRunning;
    const closed = once(npm, 'close');
    npm.kill('SIGTERM');
    await once(npm, 'exit');
    // npm waits for programs it has signalled; others survive, holding our end of their output.
    expect(isRunningStill(pid ?? 0)).toBe(false);
    await closed;
    expect(said.join('')).toContain('ended by SIGTERM');
  });
});

function isRunningStill(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
