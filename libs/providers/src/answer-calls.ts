import { parentPort } from 'node:worker_threads';

/** One call to a worker. Arguments and results are copied, so they must be plain data. */
export interface WorkerCall {
  readonly id: number;
  readonly operation: string;
  readonly args: never[];
}

/** How a call ended. */
export type WorkerAnswer = { readonly id: number } & ({ readonly result: unknown } | { readonly failure: string });

/** Not an operation: asks the thread to end by itself, once it has answered everything before. */
export const leave = 'leave';

/** Runs in a worker: answers each call by the operation it names, one after the other. */
export function answerCalls(operations: Record<string, (...args: never[]) => unknown>): void {
  const known = new Map(Object.entries(operations));
  let last = Promise.resolve();
  parentPort?.on('message', ({ id, operation, args }: WorkerCall) => {
    last = last.then(async () => {
      if (operation === leave) process.exit(0);
      try {
        parentPort?.postMessage({ id, result: await known.get(operation)?.(...args) } satisfies WorkerAnswer);
      } catch (error) {
        parentPort?.postMessage({ id, failure: error instanceof Error ? error.message : String(error) } satisfies WorkerAnswer);
      }
    });
  });
}
