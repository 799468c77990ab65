import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';

/** A call to a worker. Arguments and results are copied, so they must be plain data. */
export interface WorkerCall {
  readonly id: number;
  readonly operation: string;
  readonly args: never[];
}

/** How a call ended. */
export type WorkerAnswer = { readonly id: number } & ({ readonly result: unknown } | { readonly failure: string });

/** A message, not an operation, that asks the thread to end after answering everything before it. */
export const leave = 'leave';

/** The priority of a thread or process; a yielding one uses only what others leave. */
export type Pace = 'ordinary' | 'yielding';

/** On Linux a tenth of the weight of what runs beside it, which preempts it. */
const yieldsBy = 10;
const lowestPriority = 19;

/** Lowers the priority of a process just started, and so of the threads that it will have; without one, of the caller. */
export function yieldProcessor(processId?: number): void {
  setPriority(processId ?? 0, Math.min(lowestPriority, getPriority() + yieldsBy));
}

/** In a worker that was started to yield. On Linux a priority is a thread's; elsewhere it is the process's, which has to carry calls. */
export function yieldIfAsked(): void {
  if (process.argv[2] === 'yielding' && process.platform === 'linux') yieldProcessor();
}

/** Runs in a worker, and answers each call by the named operation, one after the other. */
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
