import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

const loader = path.resolve(__dirname, '../../../testing/jest/run-typescript.mjs');

/** One of the example scripts as a separate process, with its output. */
export class ServiceProcess {
  readonly lines: Record<string, unknown>[] = [];
  lastWords = '';
  private readonly exited: Promise<unknown[]>;
  private readonly waiting = new Set<() => void>();

  private constructor(private readonly child: ChildProcess) {
    this.exited = once(child, 'close');
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.lastWords += text));
    if (child.stdout) createInterface(child.stdout).on('line', (line) => this.take(line));
  }

  static start(script: string, environment: Record<string, string>): ServiceProcess {
    const env = { PATH: '', ADMIN_PORT: '0', PRESTOP_DELAY: '0s', ...environment };
    return new ServiceProcess(
      spawn(process.execPath, ['--import', loader, path.join(__dirname, script)], { env, stdio: ['ignore', 'pipe', 'pipe'] }),
    );
  }

  /** Resolves with the first line with this message, whether already written or still to come. */
  async line(message: string): Promise<Record<string, unknown>> {
    for (;;) {
      const found = this.lines.find(({ msg }) => msg === message);
      if (found) return found;
      const more = new Promise<void>((resolve) => this.waiting.add(resolve));
      await Promise.race([
        more,
        this.exited.then(() => Promise.reject(new Error(`ended without "${message}": ${this.lastWords}`))),
      ]);
    }
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  async exitCode(): Promise<unknown> {
    const [code] = await this.exited;
    return code;
  }

  private take(line: string): void {
    this.lines.push(JSON.parse(line));
    for (const wake of this.waiting) wake();
    this.waiting.clear();
  }
}
