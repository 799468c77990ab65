import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = path.resolve(__dirname, '..');

/** A machine like macOS: no Debian tools, nothing unpacked, and a PATH controlled by the test. */
describe('nats-server, on a machine without Debian’s packages', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'nats-server-'));
    for (const name of ['nats-server.mjs', 'debian-packages.mjs', 'progress.mjs'])
      cpSync(path.join(root, 'tools', name), path.join(folder, 'tools', name));
    mkdirSync(path.join(folder, 'bin'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const found = async (): Promise<string> => {
    const tool = path.join(folder, 'tools/nats-server.mjs');
    // Folders searched besides PATH belong to the real machine, not to the simulated one.
    const script = `
      const fs = (await import('node:fs')).default, real = fs.accessSync;
      fs.accessSync = (file, mode) => { if (!String(file).startsWith(${JSON.stringify(folder)})) throw new Error('absent'); real(file, mode); };
      (await import('node:module')).syncBuiltinESMExports();
      const { findNatsServer } = await import(${JSON.stringify(tool)});
      process.stdout.write(await findNatsServer().catch(({ message }) => message));`;
    const environment = { PATH: path.join(folder, 'bin') };
    return (await run(process.execPath, ['--input-type=module', '-e', script], { env: environment })).stdout;
  };

  it('is found on the PATH', async () => {
    const program = path.join(folder, 'bin/nats-server');
    writeFileSync(program, '#!/bin/sh\n');
    chmodSync(program, 0o755);
    expect(await found()).toBe(program);
  });

  it('is reported missing with a line on how to get it', async () => {
    expect(await found()).toMatch(/^nats-server was not found: install it .*brew install nats-server/);
  });

  it('excludes exactly the tests that start one', async () => {
    const partOf = async (part: string, environment: object): Promise<string[]> => {
      const jest = path.join(root, 'node_modules/jest/bin/jest.js');
      const args = [jest, '--config', 'jest.parts.config.mjs', '--listTests'];
      const env = { ...process.env, PARLEY_TESTS: part, ...environment };
      const { stdout } = await run(process.execPath, args, { cwd: root, env, maxBuffer: 1e7 });
      return stdout.split('\n').map((file) => path.relative(root, file));
    };
    const list = async (environment: object): Promise<string[]> =>
      (await Promise.all(['beside others', 'waits'].map((part) => partOf(part, environment)))).flat();
    const [all, left] = await Promise.all([list({ PARLEY_NATS: '' }), list({ PARLEY_NATS: 'absent' })]);
    const lost = all.filter((file) => !left.includes(file));
    expect(lost).toContain('libs/messaging/src/nats.spec.ts');
    expect(left).toContain('libs/messaging/src/wire/body.spec.ts');
    expect(lost.length).toBeGreaterThan(10);
    expect(lost.length).toBeLessThan(all.length / 10);
  });
});
