import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A platform in one process, with a home of its own, that a journey starts, kills and restarts itself. */
export class OwnPlatform {
  private readonly children: ChildProcess[] = [];

  private constructor(readonly home: string) {}

  static make(): OwnPlatform {
    const home = mkdtempSync(path.join(tmpdir(), 'parley-own-'));
    chmodSync(home, 0o755);
    return new OwnPlatform(home);
  }

  /** Resolves with its output once it is ready or has exited. Started with options for Node, it can receive messages. */
  async start(
    environment: NodeJS.ProcessEnv = {},
    args: string[] = [],
    nodeOptions: string[] = [],
  ): Promise<{ child: ChildProcess; output: string; exitCode: number | null }> {
    const child = spawn(process.execPath, [...nodeOptions, 'dist/apps/all-in-one/src/main.js', ...args], {
      env: { ...process.env, PORT: '0', PARLEY_HOME: this.home, ...environment },
      stdio: ['ignore', 'pipe', 'pipe', ...(nodeOptions.length > 0 ? (['ipc'] as const) : [])],
    });
    this.children.push(child);
    let output = '';
    await new Promise<void>((resolve) => {
      const hear = (chunk: Buffer): void => {
        output += chunk.toString();
        if (output.includes('Ctrl-C stops everything.')) resolve();
      };
      child.stdout?.on('data', hear);
      child.stderr?.on('data', hear);
      child.once('close', () => resolve());
    });
    return { child, output, exitCode: child.exitCode };
  }

  async end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
    return child.exitCode;
  }

  async remove(): Promise<void> {
    for (const child of this.children) if (child.exitCode === null && child.signalCode === null) await this.end(child, 'SIGKILL');
    rmSync(this.home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}
