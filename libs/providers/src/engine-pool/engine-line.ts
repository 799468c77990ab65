import { fork } from 'node:child_process';
import { Worker } from 'node:worker_threads';

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
