import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';

/** A call to a worker. Arguments and results are copied, so they must be plain data. */
export interface WorkerCall {
  readonly id: number;
  readonly operation: string;
  readonly args: never[];
}

/** How a call ended. */
type WorkerAnswer = { readonly id: number } & ({ readonly result: unknown } | { readonly failure: string });

/** A message, not an operation, that asks the thread to end after answering everything before it. */
export const leave = 'leave';

/** The priority of a thread or process; a yielding one uses only what others leave. */
export type Pace = 'ordinary' | 'yielding';

/**
 * How many steps of priority work gives up to what runs beside it: on Linux ten leave a tenth of its weight, five a third. Documents keep
 * more, since a file has two minutes in all, and a tenth of a busy core would not be enough for a large one.
 */
const yieldSteps = { engine: 10, documents: 5 } as const;
export type YieldingWork = keyof typeof yieldSteps;
const lowestPriority = 19;

/** Lowers the priority of a process just started, and so of the threads that it will have; without one, of the caller. */
export function yieldProcessor(work: YieldingWork, processId = 0): void {
  setPriority(processId, Math.min(lowestPriority, getPriority() + yieldSteps[work]));
}

/** In a worker that was started to yield. On Linux a priority is a thread's; elsewhere it is the process's, which has to carry calls. */
export function yieldIfAsked(work: YieldingWork): void {
  if (process.argv[2] === 'yielding' && process.platform === 'linux') yieldProcessor(work);
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
