import { ProviderFailure } from '@parley/ports';
import { fork } from 'node:child_process';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { type Standing, Turnstile } from './turnstile';

/** A line to an engine in a thread or process of its own. */
export interface EngineLine {
  send(message: object): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Called once when the engine is gone, whatever the reason. */
  onEnd(listener: (reason: string) => void): void;
  /** A busy engine keeps this process alive; an idle one does not. */
  setBusy(isBusy: boolean): void;
  kill(): void;
}

// Tests start engines from their TypeScript, which Node remarks upon.
const quietly = ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON', '--disable-warning=ExperimentalWarning'];

export interface EnginePoolOptions<Reply extends z.ZodType> {
  readonly provider: string;
  readonly places: number;
  readonly queueMax: number;
  /** An engine that takes longer is killed, and the job fails. */
  readonly jobMs: number;
  readonly reply: Reply;
  start(): Promise<EngineLine>;
}

interface Seat {
  readonly line: EngineLine;
  settle?: (outcome: { message: unknown } | { gone: string }) => void;
}

const Refusal = z.object({ failure: z.string() });

/**
 * Engines in threads or processes, started when first needed, one job at a time each. An engine that crashes or hangs
 * costs the job that it had, as a failure that may be retried, and is replaced.
 */
export class EnginePool<Job extends object, Reply extends z.ZodType> {
  private readonly turnstile: Turnstile;
  private readonly idle: Seat[] = [];
  private readonly seats = new Set<Seat>();
  private closed = false;

  constructor(private readonly options: EnginePoolOptions<Reply>) {
    this.turnstile = new Turnstile(options);
  }

  /** The engine's answer to one job. */
  run(job: Job, signal?: AbortSignal, standing?: Standing): Promise<z.output<Reply>> {
    if (this.closed) return Promise.reject(this.failure('is closed'));
    return this.turnstile.pass(
      async () => {
        const seat = this.idle.pop() ?? (await this.take());
        const reply = await this.work(seat, job);
        signal?.throwIfAborted();
        return reply;
      },
      signal,
      standing,
    );
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const { line } of this.seats) line.kill();
  }

  private async take(): Promise<Seat> {
    const seat: Seat = { line: await this.options.start() };
    seat.line.onMessage((message) => seat.settle?.({ message }));
    seat.line.onEnd((gone) => {
      this.seats.delete(seat);
      const at = this.idle.indexOf(seat);
      if (at >= 0) this.idle.splice(at, 1);
      seat.settle?.({ gone });
    });
    this.seats.add(seat);
    return seat;
  }

  private async work(seat: Seat, job: Job): Promise<z.output<Reply>> {
    const outcome = await this.answer(seat, job);
    if ('gone' in outcome) throw this.failure(outcome.gone);
    this.idle.push(seat);
    const refusal = Refusal.safeParse(outcome.message);
    if (refusal.success) throw new ProviderFailure(this.options.provider, refusal.data.failure, { retryable: false });
    return this.options.reply.parse(outcome.message);
  }

  private answer(seat: Seat, job: Job): Promise<{ message: unknown } | { gone: string }> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        seat.line.kill();
        seat.settle?.({ gone: `did not answer within ${this.options.jobMs} ms` });
      }, this.options.jobMs);
      seat.settle = (outcome) => {
        seat.settle = undefined;
        clearTimeout(timer);
        seat.line.setBusy(false);
        resolve(outcome);
      };
      seat.line.setBusy(true);
      seat.line.send(job);
    });
  }

  private failure(message: string): ProviderFailure {
    return new ProviderFailure(this.options.provider, message, { retryable: true });
  }
}

/** An engine in a thread: for code that may share our process. */
export function workerThread(file: string, workerData: unknown): EngineLine {
  const worker = new Worker(file, { workerData, execArgv: quietly });
  return {
    send: (message) => worker.postMessage(message),
    onMessage: (listener) => worker.on('message', listener),
    onEnd: (listener) => {
      worker.once('error', (error) => listener(String(error)));
      worker.once('exit', (code) => listener(`its thread ended with code ${code}`));
    },
    setBusy: (isBusy) => (isBusy ? worker.ref() : worker.unref()),
    kill: () => void worker.terminate(),
  };
}

/** An engine in a process: for code that may crash, or that must not be linked with ours. */
export function childProcess(file: string, args: readonly string[]): EngineLine {
  const child = fork(file, args, {
    serialization: 'advanced',
    execArgv: quietly,
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  return {
    send: (message) => child.send(message),
    onMessage: (listener) => child.on('message', listener),
    onEnd: (listener) => {
      child.once('error', (error) => listener(String(error)));
      child.once('exit', (code, signal) => listener(`its process ended with ${signal ?? `code ${code}`}`));
    },
    setBusy: (isBusy) => {
      if (isBusy) child.ref();
      else child.unref();
      if (isBusy) child.channel?.ref();
      else child.channel?.unref();
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
