import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { repository } from './yaml-documents';

/** Whether a program is installed that compares our own checks with the real thing; tests that need it are skipped otherwise. */
export function hasProgram(program: string): boolean {
  return spawnSync(program, ['--help'], { stdio: 'ignore' }).error === undefined;
}

/** What such a program writes. */
export async function outputOf(program: string, args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(program, args, { cwd: repository, maxBuffer: 4_000_000 })).stdout;
}
