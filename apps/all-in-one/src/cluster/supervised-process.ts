import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

const lineBytesMax = 64 * 1024;

const firstDelayMs = 250;

const delayMsMax = 10_000;

const steadyAfterMs = 30_000;

export interface ProcessPlan {
  /** The service and its replica, such as `speech.2`. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  /** How long it may take to finish its work before it is killed. */
  readonly stopMsMax?: number;
}

/** The exit code of a service that refuses its configuration, so restarting it is pointless. */
const misconfiguredExitCode = 78;
const stopMsMaxUsual = 10_000;

/** A child process that is restarted, with growing delays, until it is stopped. */
export class SupervisedProcess {
  private child: ChildProcess | undefined;
  private timer: NodeJS.Timeout | undefined;
  private wanted = true;
  private readonly delay = new RestartDelay();

  constructor(
    private readonly plan: ProcessPlan,
    private readonly log: Writable,
    private readonly onRefusal: (name: string) => void,
  ) {}

  /** The current process, or the last one. */
  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** `onStart` is called at the first start and every later one. */
  start(onStart: () => void = () => undefined): void {
    const startedAtMs = Date.now();
    const label = `[${this.plan.name}]`;
    const child = spawn(this.plan.command, this.plan.args, {
      env: this.plan.environment,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // In a process group of its own, so that Ctrl-C reaches only us and we stop the services in order. The IPC channel tells it
      // if we die.
      detached: true,
    });
    this.child = child;
    onStart();
    prefixLines(child.stdout, label, this.log);
    prefixLines(child.stderr, label, this.log);
    child.on('error', (error) => this.log.write(`${label} cannot start: ${error.message}\n`));
    child.on('close', (code, signal) => this.afterDeath(code ?? signal, Date.now() - startedAtMs, onStart));
  }

  /** Asks it to finish its work, and kills it if it does not. */
  async stop(): Promise<void> {
    this.wanted = false;
    clearTimeout(this.timer);
    const child = this.child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const insist = setTimeout(() => child.kill('SIGKILL'), this.plan.stopMsMax ?? stopMsMaxUsual);
    await new Promise<void>((resolve) => {
      child.once('close', () => resolve());
      child.kill('SIGTERM');
    });
    clearTimeout(insist);
  }

  private afterDeath(reason: number | string | null, lifetimeMs: number, onStart: () => void): void {
    if (!this.wanted) return;
    if (reason === misconfiguredExitCode) return this.onRefusal(this.plan.name);
    const waitMs = this.delay.afterLifeOf(lifetimeMs);
    this.log.write(`[${this.plan.name}] ended (${reason ?? 'no reason'}), starts again in ${waitMs} ms\n`);
    this.timer = setTimeout(() => this.start(onStart), waitMs);
  }
}

/** The delay before the next restart: doubles while a process keeps dying early, and resets once it has been stable. */
export class RestartDelay {
  private deaths = 0;

  afterLifeOf(lifetimeMs: number): number {
    this.deaths = lifetimeMs >= steadyAfterMs ? 1 : this.deaths + 1;
    return Math.min(firstDelayMs * 2 ** (this.deaths - 1), delayMsMax);
  }
}

/** Passes a process's output on line by line, each prefixed with its name. An endless line is cut instead of collected. */
function prefixLines(source: Readable | null, label: string, sink: Writable): void {
  if (!source) return;
  let rest = '';
  source.setEncoding('utf8');
  source.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) sink.write(`${label} ${line}\n`);
    if (rest.length > lineBytesMax) {
      sink.write(`${label} ${rest}…\n`);
      rest = '';
    }
  });
  source.on('end', () => {
    if (rest) sink.write(`${label} ${rest}\n`);
  });
}
