import { EventEmitter, once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ProviderFailure, within } from '@parley/ports';
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
