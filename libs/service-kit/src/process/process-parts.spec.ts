import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.resolve(__dirname, '../../../..');
const script = path.resolve(__dirname, '../example/garbage.example.ts');

describe('a process', () => {
  it('allocates nothing as old because others of its kind outlived collections', async () => {
    const args = ['--max-semi-space-size=1', '--import', `${root}/libs/testing/jest/run-typescript.mjs`, script];
    const env = { ADMIN_PORT: '0', PARLEY_LOG_LEVEL: 'silent' };
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    expect(Number(stdout)).toBeLessThan(1);
  });
});
