import { EventEmitter, once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { inTime, ProviderFailure, within } from '@parley/ports';
import { leave, type Pace, type WorkerAnswer, type WorkerCall } from './answer-calls';

type Operations<Names> = { [Name in keyof Names]: (...args: never[]) => unknown };

interface CallableWorkerOptions {
  provider: string;
  /** The compiled or, in tests, the TypeScript file that calls `answerCalls`. */
  file: string;
  workerData?: unknown;
  /** Heeded by workers that call `yieldIfAsked`. */
  pace?: Pace;
}

interface Thread {
  readonly worker: Worker;
  readonly answers: EventEmitter;
  inFlight: number;
}

const callsMax = 256;
// Tests start the worker from its TypeScript source, and Node remarks on that; SQLite is remarked on until it is declared stable.
const quietly = ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON', '--disable-warning=ExperimentalWarning'];

/**
 * A worker thread for blocking work, called like an asynchronous object. It starts with the first call, is restarted after a
 * crash, and does not keep an idle process alive.
 */
export class CallableWorker<Api extends Operations<Api>> {
  private thread: Thread | undefined;
  private lastId = 0;

  constructor(private readonly options: CallableWorkerOptions) {}

  /** Fails with a retryable ProviderFailure when the thread died or too many calls wait already. */
  call<Name extends keyof Api & string>(
    operation: Name,
    ...args: Parameters<Api[Name]>
  ): Promise<Awaited<ReturnType<Api[Name]>>> {
    const { provider } = this.options;
    const thread = (this.thread ??= this.start());
    const { worker, answers } = thread;
    if (thread.inFlight >= callsMax) {
      return Promise.reject(new ProviderFailure(provider, 'too many calls wait', { retryable: true, retryAfterMs: 200 }));
    }
    const id = (this.lastId += 1);
    if ((thread.inFlight += 1) === 1) worker.ref();
    return new Promise((resolve, reject) => {
      const settle = (answer: { result: Awaited<ReturnType<Api[Name]>> } | { failure: string; retryable?: boolean }) => {
        answers.off(String(id), settle).off('lost', settle);
        if ((thread.inFlight -= 1) === 0) worker.unref();
        if ('result' in answer) resolve(answer.result);
        else reject(new ProviderFailure(provider, answer.failure, { retryable: answer.retryable ?? false }));
      };
      answers.once(String(id), settle).once('lost', settle);
      worker.postMessage({ id, operation, args: [...args] } satisfies WorkerCall);
    });
  }

  /** Ends the thread; calls still in flight fail. */
  async close(): Promise<void> {
    const { thread } = this;
    this.thread = undefined;
    await thread?.worker.terminate();
  }

  /**
   * Lets the thread end by itself once it has answered; the next call starts another. For engines whose native code crashes the
   * process when terminated at work. Resolves when the thread has ended or the time is up: a hung one is abandoned, and keeps no
   * process alive.
   */
  async retire(patienceMs = 5000): Promise<void> {
    const { thread } = this;
    this.thread = undefined;
    if (!thread) return;
    thread.worker.postMessage({ id: 0, operation: leave, args: [] } satisfies WorkerCall);
    await within<unknown>(patienceMs, once(thread.worker, 'exit'), () => undefined);
    thread.answers.emit('lost', { failure: 'the worker was retired', retryable: true });
  }

  private start(): Thread {
    const { file, workerData, pace = 'ordinary' } = this.options;
    const worker = new Worker(file, { workerData, execArgv: quietly, argv: [pace] });
    // Each thread has listeners of its own: the end of one says nothing of the calls to the next.
    const answers = new EventEmitter().setMaxListeners(callsMax + 1);
    const thread: Thread = { worker, answers, inFlight: 0 };
    const lose = (failure: string) => {
      if (this.thread === thread) this.thread = undefined;
      answers.emit('lost', { failure, retryable: true });
    };
    worker.on('message', (answer: WorkerAnswer) => answers.emit(String(answer.id), answer));
    worker.on('error', (error) => lose(error instanceof Error ? error.message : 'the worker failed'));
    worker.on('exit', () => lose('the worker ended'));
    worker.unref();
    return thread;
  }
}

interface Patience {
  readonly provider: string;
  /** So long after it was late, a thread that has still not answered is left behind. */
  readonly hangMs: number;
  /** Ends the thread, which fails its calls; the next one starts another. */
  leave(): Promise<void>;
  /** How long it rests once it has answered late or failed, after so many failures in a row. */
  restMs(end: 'late' | 'failed', failuresBefore: number): number;
}

/** So few calls seldom meet in a run of a model, and a run out of cold caches costs eight hot ones. */
export const fewLines = 4;

/**
 * How long what a thread is asked about is gathered. A single line has no others to wait for. Many lines wait for the next tick of one
 * grid, so that all threads are asked, and answer, while the process is awake anyway.
 */
export function gatheringMs(lines: number, usualMs: number, nowMs: number): number {
  if (lines === 1 || usualMs === 0) return 0;
  const gridMs = 2 * usualMs;
  return lines > fewLines ? gridMs - (nowMs % gridMs) : usualMs;
}

/**
 * How a model's thread is asked: no answer in time is none, and it is not asked again until it has answered and rested. A busy machine
 * is slow, and a new thread would make it slower: only a hung one is replaced.
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

  /** Why it gave no answer last; nothing once it has given one. */
  get trouble(): string | undefined {
    return this.reason;
  }

  /** It failed, and has forgotten all that it knew, unless it answers again. */
  get hasFailed(): boolean {
    return this.isGone;
  }

  /** Nothing where it fails or is late. */
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
