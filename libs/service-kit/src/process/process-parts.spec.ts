import { spawnSync } from 'node:child_process';
import { keepFreedMemoryFlag } from './process-parts';

describe('a process that keeps freed memory', () => {
  it('uses an option that this V8 knows', () => {
    expect(spawnSync(process.execPath, [keepFreedMemoryFlag, '--eval', '0'])).toMatchObject({ status: 0 });
    expect(spawnSync(process.execPath, ['--memory-reducer-gc-counts=0', '--eval', '0']).status).not.toBe(0);
  });
});
