import { spawn } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import path from 'node:path';
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

/** What a thread or process that yields leaves to others where they want it: two thirds of a core, or all of it. */
export type Yielding = 'mostly' | 'wholly';

/** On Linux a third of the weight of what runs beside it, which preempts it. */
const yieldsBy = 5;
const lowestPriority = 19;

/** Makes a process just started yield, and so the threads that it will have; without one, the caller. */
export function yieldProcessor(how: Yielding, processId?: number): void {
  setPriority(processId ?? 0, Math.min(lowestPriority, getPriority() + yieldsBy));
  if (how === 'wholly' && process.platform === 'linux') takeWhatIsLeft(processId ?? idOfThread());
}

/**
 * Whatever wakes up takes the core at once, and Linux looks for such a core first: a priority alone lets it queue behind a thread of its
 * own priority beside one that yields. Where the command is missing, the priority has to do.
 */
function takeWhatIsLeft(id: number): void {
  spawn('chrt', ['--all-tasks', '--idle', '--pid', '0', String(id)], { stdio: 'ignore' })
    .once('error', () => undefined)
    .unref();
}

function idOfThread(): number {
  return Number(path.basename(readlinkSync('/proc/thread-self')));
}

/** In a worker that was started to yield. On Linux a priority is a thread's; elsewhere it is the process's, which has to carry calls. */
export function yieldIfAsked(how: Yielding): void {
  if (process.argv[2] === 'yielding' && process.platform === 'linux') yieldProcessor(how);
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
