import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.resolve(__dirname, '../../../..');
const run = async (example: string, flags: readonly string[] = []): Promise<string> => {
  const script = path.resolve(__dirname, `../example/${example}.example.ts`);
  const args = [...flags, '--import', `${root}/libs/testing/jest/run-typescript.mjs`, script];
  const env = { ADMIN_PORT: '0', PARLEY_LOG_LEVEL: 'silent' };
  return (await promisify(execFile)(process.execPath, args, { env })).stdout;
};

describe('a process', () => {
  it('allocates nothing as old because others of its kind outlived collections', async () => {
    expect(Number(await run('garbage', ['--max-semi-space-size=1']))).toBeLessThan(1);
  });

  it('gives the memory of its garbage back to the system', async () => {
    expect(Number(await run('memory'))).toBeLessThan(0.3);
  });
});
