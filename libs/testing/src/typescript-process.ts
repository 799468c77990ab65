import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Readable } from 'node:stream';

/** A separate process that a test may kill. */
export type TypeScriptProcess = ChildProcessByStdio<null, Readable, null>;

/** Calls an exported function of one of our TypeScript files in a new process, whose stdout the test can read. */
export function typeScriptProcess(file: string, exported: string, ...args: string[]): TypeScriptProcess {
  const loader = path.resolve(__dirname, '../jest/typescript-modules.mjs');
  const script = `const { requireTypeScript } = await import(${JSON.stringify(loader)});
    await requireTypeScript(${JSON.stringify(file)})[${JSON.stringify(exported)}](...process.argv.slice(1));`;
  return spawn(process.execPath, ['--input-type=module', '-e', script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Kills a process as a crash would, and resolves when it has exited. */
export async function killHard(child: TypeScriptProcess): Promise<void> {
  const gone = once(child, 'exit');
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await gone;
}
