import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { repository } from './yaml-documents';

const NotInstalled = z.object({ code: z.literal('ENOENT'), syscall: z.string().startsWith('spawn') });

/** What a program writes that compares our own checks with the real thing, or nothing where it is not installed. */
export async function outputOf(program: string, args: readonly string[]): Promise<string | undefined> {
  try {
    return (await promisify(execFile)(program, args, { cwd: repository, maxBuffer: 4_000_000 })).stdout;
  } catch (failure) {
    if (NotInstalled.safeParse(failure).success) return undefined;
    throw failure;
  }
}
