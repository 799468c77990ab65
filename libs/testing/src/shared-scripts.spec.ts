import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const root = path.resolve(__dirname, '../../..');
const program = path.join(root, 'node_modules/jest/bin/jest.js');
const [runtime, testEnvironment] = ['shared-scripts.mjs', 'plain-globals.mjs'].map((name) =>
  path.join(root, 'libs/testing/jest', name),
);
const Result = z.object({ numPassedTests: z.int(), numTotalTests: z.int() });

/** Notes its values, and throws from its very first line. */
const counted = 'let count = 0; exports.next = () => ++count; exports.fail = () => { throw new Error("first line"); };';
const file = (own: string) => `
const { next, fail } = require('./counted');
test('sees the module as if nobody had loaded it before', () => {
  expect(next()).toBe(1);
  expect(globalThis.seen).toBeUndefined();
  globalThis.seen = true;
  expect(fail).toThrow(Error);
});
test('is told where an error arose, to the column', () => {
  let stack = '';
  try { fail(); } catch (error) { stack = error.stack; }
  expect(stack).toContain('counted.js:1:${counted.indexOf('new Error') + 1}');
});
test('has globals that nothing intercepts', () => {
  expect(() => Object.preventExtensions(globalThis)).not.toThrow();
});
test('loads what this file alone has', () => expect(require('./${own}')).toBe('${own}'));
`;

describe('scripts that are shared by test files of one worker', () => {
  it('share code and no value', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'parley-shared-scripts-'));
    try {
      const config = { rootDir: folder, runtime, testEnvironment, transform: {} };
      const texts = { 'counted.js': counted, 'jest.config.json': JSON.stringify(config) };
      for (const [name, text] of Object.entries(texts)) await writeFile(path.join(folder, name), text);
      for (const own of ['one', 'other']) {
        await writeFile(path.join(folder, `${own}.js`), `module.exports = '${own}';`);
        await writeFile(path.join(folder, `${own}.test.js`), file(own));
      }
      const { stdout } = await promisify(execFile)(process.execPath, [program, '-i', '--json', '--silent'], { cwd: folder });
      expect(Result.parse(JSON.parse(stdout))).toEqual({ numPassedTests: 8, numTotalTests: 8 });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
