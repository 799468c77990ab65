import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { inTime, ProviderFailure, within } from '@parley/ports';
import { leave, type Pace, type WorkerCall } from './answer-calls';

type Operations<Names> = { [Name in keyof Names]: (...args: never[]) => unknown };

interface CallableWorkerOptions {
  provider: string;
  /** The compiled or, in tests, the TypeScript file that calls `answerCalls`. */
  file: string;
  workerData?: unknown;
  /** Applies to workers that call `yieldIfAsked`. */
  pace?: Pace;
}

/** How a call ended. Only whoever made it knows the type of its result. */
type Outcome = { readonly result: never } | { readonly failure: string; readonly retryable?: boolean };

interface Thread {
  readonly worker: Worker;
  /** What each call waits with, by its id. */
  readonly waiting: Map<number, (outcome: Outcome) => void>;
}

const callsMax = 256;
// Suppresses Node's warnings about TypeScript sources, which tests run, and about SQLite, which is still experimental.
const quietly = ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON', '--disable-warning=ExperimentalWarning'];

/**
 * A worker thread for blocking work, called like an asynchronous object. It is started with the first call, restarted after a crash, and
 * does not keep an idle process alive.
 */
export class CallableWorker<Api extends Operations<Api>> {
  private thread: Thread | undefined;
  private lastId = 0;

  constructor(private readonly options: CallableWorkerOptions) {}

  /** Calls an operation. Fails with a retryable ProviderFailure if the thread dies or too many calls are waiting. */
  call<Name extends keyof Api & string>(
    operation: Name,
    ...args: Parameters<Api[Name]>
  ): Promise<Awaited<ReturnType<Api[Name]>>> {
    const { provider } = this.options;
    const thread = (this.thread ??= this.start());
    const { worker, waiting } = thread;
    if (waiting.size >= callsMax) {
      return Promise.reject(new ProviderFailure(provider, 'too many calls wait', { retryable: true, retryAfterMs: 200 }));
    }
    const id = (this.lastId += 1);
    return new Promise((resolve, reject) => {
      waiting.set(id, (outcome) => {
        waiting.delete(id);
        if (waiting.size === 0) worker.unref();
        if ('result' in outcome) resolve(outcome.result);
        else reject(new ProviderFailure(provider, outcome.failure, { retryable: outcome.retryable ?? false }));
      });
      if (waiting.size === 1) worker.ref();
      worker.postMessage({ id, operation, args: [...args] } satisfies WorkerCall);
    });
  }

  /** Terminates the thread; calls in progress fail. */
  async close(): Promise<void> {
    const { thread } = this;
    this.thread = undefined;
    await thread?.worker.terminate();
  }

  /**
   * Lets the thread end by itself after its last answer; the next call starts another one. It is meant for engines whose native code
   * crashes the process if terminated while working. Resolves when the thread has ended or the time is up; a hung thread is abandoned,
   * and does not keep the process alive.
   */
  async retire(patienceMs = 5000): Promise<void> {
    const { thread } = this;
    this.thread = undefined;
    if (!thread) return;
    thread.worker.postMessage({ id: 0, operation: leave, args: [] } satisfies WorkerCall);
    await within<unknown>(patienceMs, once(thread.worker, 'exit'), () => undefined);
    failAll(thread, 'the worker was retired');
  }

  private start(): Thread {
    const { file, provider, workerData, pace = 'ordinary' } = this.options;
    const worker = new Worker(file, { name: provider, workerData, execArgv: quietly, argv: [pace] });
    // Each thread has its own calls, since its end must not affect those to the next one.
    const thread: Thread = { worker, waiting: new Map() };
    const lose = (failure: string) => {
      if (this.thread === thread) this.thread = undefined;
      failAll(thread, failure);
    };
    worker.on('message', ({ id, ...outcome }: { readonly id: number } & Outcome) => thread.waiting.get(id)?.(outcome));
    worker.on('error', (error) => lose(error instanceof Error ? error.message : 'the worker failed'));
    worker.on('exit', () => lose('the worker ended'));
    worker.unref();
    return thread;
  }
}

function failAll({ waiting }: Thread, failure: string): void {
  for (const settle of [...waiting.values()]) settle({ failure, retryable: true });
}

interface Patience {
  readonly provider: string;
  /** How long after its deadline a thread is abandoned if it has still not answered. */
  readonly hangMs: number;
  /** Terminates the thread, whose calls fail; the next call starts another one. */
  leave(): Promise<void>;
  /** How long it is not used after a late answer or a failure, given the number of consecutive failures before. */
  restMs(end: 'late' | 'failed', failuresBefore: number): number;
}

/** With so few lines, runs of a model are seldom shared, and a run with cold caches costs as much as eight with warm ones. */
export const fewLines = 4;

/**
 * How long requests to a thread are collected. A single line need not wait for others. Many lines wait for the next tick of a common
 * grid, so that all threads are used while the process is awake anyway; for every second one if all they ask for may wait. Most of what a
 * run costs is that thread and model have to be woken, however many windows they judge.
 */
export function gatheringMs(
  lines: number,
  usualMs: number,
  { nowMs, mayWait = false }: { nowMs: number; mayWait?: boolean },
): number {
  if (lines === 1 || usualMs === 0) return 0;
  const gridMs = (mayWait ? 4 : 2) * usualMs;
  return lines > fewLines ? gridMs - (nowMs % gridMs) : usualMs;
}

/**
 * Calls a model's thread with a timeout. After a late answer or a failure it is not used for a while. Only a hung thread is replaced,
 * since on a busy machine a new one would only make things slower.
 */
export class PatientThread {
  private failures = 0;
  private restsUntilMs = 0;
  private reason: string | undefined;
  private isGone = false;

  constructor(private readonly patience: Patience) {}

  get isResting(): boolean {
    return performance.now() < this.restsUntilMs;
  }

  /** Why the last call failed; undefined after a success. */
  get trouble(): string | undefined {
    return this.reason;
  }

  /** Whether it has failed and lost its state. */
  get hasFailed(): boolean {
    return this.isGone;
  }

  /** Undefined if the call fails or is late. */
  async ask<T>(work: () => Promise<T>, timeoutMs: number): Promise<T | undefined> {
    const answer = work();
    try {
      const known = await inTime(answer, { provider: this.patience.provider, timeoutMs });
      this.failures = 0;
      this.reason = undefined;
      this.isGone = false;
      return known;
    } catch (failure) {
      this.reason = failure instanceof Error ? failure.message : String(failure);
      this.rest(answer);
      return undefined;
    }
  }

  private rest(answer: Promise<unknown>): void {
    const { hangMs, leave, restMs } = this.patience;
    const failuresBefore = this.failures;
    this.failures += 1;
    this.restsUntilMs = Number.POSITIVE_INFINITY;
    const hanging = setTimeout(() => void leave(), hangMs).unref();
    const settled = (end: 'late' | 'failed') => (): void => {
      clearTimeout(hanging);
      this.isGone = end === 'failed';
      this.restsUntilMs = performance.now() + restMs(end, failuresBefore);
    };
    answer.then(settled('late'), settled('failed'));
  }
}
