import { EventEmitter } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ProviderFailure } from '@parley/ports';
import type { WorkerAnswer, WorkerCall } from './answer-calls';

type Operations<Names> = { [Name in keyof Names]: (...args: never[]) => unknown };

interface CallableWorkerOptions {
  provider: string;
  /** The compiled or, in tests, the TypeScript file that calls `answerCalls`. */
  file: string;
  workerData?: unknown;
}

const callsMax = 256;
// Tests start the worker from its TypeScript source, and Node remarks on that; SQLite is remarked on until it is declared stable.
const quietly = ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON', '--disable-warning=ExperimentalWarning'];

/**
 * A thread that does blocking work, called like an asynchronous object. It starts with the first call, is started
 * anew after a crash, and does not keep an idle process alive.
 */
export class CallableWorker<Api extends Operations<Api>> {
  private worker: Worker | undefined;
  private readonly answers = new EventEmitter().setMaxListeners(callsMax + 1);
  private inFlight = 0;
  private lastId = 0;

  constructor(private readonly options: CallableWorkerOptions) {}

  /** Fails with a retryable ProviderFailure when the thread died or too many calls wait already. */
  call<Name extends keyof Api & string>(operation: Name, ...args: Parameters<Api[Name]>): Promise<Awaited<ReturnType<Api[Name]>>> {
    const { provider } = this.options;
    if (this.inFlight >= callsMax) {
      return Promise.reject(new ProviderFailure(provider, 'too many calls wait', { retryable: true, retryAfterMs: 200 }));
    }
    const worker = (this.worker ??= this.start());
    const id = (this.lastId += 1);
    if ((this.inFlight += 1) === 1) worker.ref();
    return new Promise((resolve, reject) => {
      const settle = (answer: { result: Awaited<ReturnType<Api[Name]>> } | { failure: string; retryable?: boolean }) => {
        this.answers.off(String(id), settle).off('lost', settle);
        if ((this.inFlight -= 1) === 0) worker.unref();
        if ('result' in answer) resolve(answer.result);
        else reject(new ProviderFailure(provider, answer.failure, { retryable: answer.retryable ?? false }));
      };
      this.answers.once(String(id), settle).once('lost', settle);
      worker.postMessage({ id, operation, args: [...args] } satisfies WorkerCall);
    });
  }

  /** Ends the thread; calls still in flight fail. */
  async close(): Promise<void> {
    const worker = this.worker;
    this.worker = undefined;
    await worker?.terminate();
  }

  private start(): Worker {
    const { file, workerData } = this.options;
    const worker = new Worker(file, { workerData, execArgv: quietly });
    const lose = (failure: string) => {
      if (this.worker === worker) this.worker = undefined;
      this.answers.emit('lost', { failure, retryable: true });
    };
    worker.on('message', (answer: WorkerAnswer) => this.answers.emit(String(answer.id), answer));
    worker.on('error', (error) => lose(error instanceof Error ? error.message : 'the worker failed'));
    worker.on('exit', () => lose('the worker ended'));
    worker.unref();
    return worker;
  }
}
