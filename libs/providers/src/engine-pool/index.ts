import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { eitherSignal, ProviderFailure } from '@parley/ports';
import { z } from 'zod';
import { type Pace, yieldProcessor } from '../answer-calls';
import { type CountWork, type EngineTime, FairGate, type JobKind } from './fair-gate';

export { type Pace } from '../answer-calls';
export { EngineTime, FairGate } from './fair-gate';

/** A line to an engine in a thread or process of its own. */
export interface EngineLine {
  send(message: object): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Called once when the engine is gone, for any reason. */
  onEnd(listener: (reason: string) => void): void;
  /** A busy engine keeps this process alive; an idle one does not. */
  setBusy(isBusy: boolean): void;
  kill(): void;
}

// Tests start engines from TypeScript, about which Node warns.
const quietly = ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON', '--disable-warning=ExperimentalWarning'];

interface EnginePoolOptions<Reply extends z.ZodType> {
  readonly provider: string;
  readonly places: number;
  readonly sparePlaces?: number;
  readonly queueMax: number;
  readonly waitMsMax?: number;
  /** An engine that takes longer is killed, and the job fails. */
  readonly jobMs: number;
  readonly reply: Reply;
  readonly time?: EngineTime;
  start(pace: Pace): Promise<EngineLine>;
}

interface Seat {
  readonly line: EngineLine;
  readonly pace: Pace;
  /** What its engine had had of the processor by its last reply. */
  cpuMs?: number;
  settle?: (outcome: EngineOutcome) => void;
}

/** `isBusy` where it had too little of the processor to answer in time, which is no failure of the engine. */
type EngineOutcome = { readonly message: unknown } | { readonly gone: string; readonly isBusy?: boolean };

const Refusal = z.object({ failure: z.string() });
/** Told with each reply by engines that know it. */
const Worked = z.object({ cpuMs: z.number() });

/**
 * Engines in threads or processes, started when first needed, one job at a time each. An engine that crashes or hangs
 * costs the job that it had, as a failure that may be retried, and is replaced.
 */
export class EnginePool<Job extends object, Reply extends z.ZodType> {
  private readonly gate: FairGate;
  private readonly idle: Seat[] = [];
  private readonly seats = new Set<Seat>();
  private closed = false;

  constructor(private readonly options: EnginePoolOptions<Reply>) {
    this.gate = new FairGate(options);
  }

  /** The engine's answer to one job. */
  run(job: Job, signal?: AbortSignal, jobKind?: JobKind): Promise<z.output<Reply>> {
    if (this.closed) return Promise.reject(this.failure('is closed'));
    return this.gate.pass(
      async (pace, count) => {
        const seat = await this.take(pace);
        const reply = await this.work(seat, job, count);
        signal?.throwIfAborted();
        return reply;
      },
      signal,
      jobKind,
    );
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const { line } of this.seats) line.kill();
  }

  /** There are never more of one pace than work at a time. */
  private async take(pace: Pace): Promise<Seat> {
    const at = this.idle.findLastIndex((seat) => seat.pace === pace);
    const [idle] = at < 0 ? [] : this.idle.splice(at, 1);
    return idle ?? (await this.open(pace));
  }

  private async open(pace: Pace): Promise<Seat> {
    const seat: Seat = { line: await this.options.start(pace), pace };
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

  private async work(seat: Seat, job: Job, count: CountWork): Promise<z.output<Reply>> {
    const outcome = await this.answer(seat, job);
    if ('gone' in outcome) throw this.failure(outcome.gone, outcome);
    this.idle.push(seat);
    const worked = Worked.safeParse(outcome.message);
    // Before the first reply it loaded its model, which is not the organization's.
    if (worked.success && seat.cpuMs !== undefined) count(worked.data.cpuMs - seat.cpuMs);
    if (worked.success) seat.cpuMs = worked.data.cpuMs;
    const refusal = Refusal.safeParse(outcome.message);
    if (refusal.success) throw new ProviderFailure(this.options.provider, refusal.data.failure, { retryable: false });
    return this.options.reply.parse(outcome.message);
  }

  private answer(seat: Seat, job: Job): Promise<EngineOutcome> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        seat.line.kill();
        seat.settle?.({ gone: `did not answer within ${this.options.jobMs} ms`, isBusy: seat.pace === 'yielding' });
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

  private failure(message: string, { isBusy = false }: { readonly isBusy?: boolean } = {}): ProviderFailure {
    return new ProviderFailure(this.options.provider, message, { retryable: true, isBusy });
  }
}

/** An engine in a thread: for code that may share our process. It learns its pace as an argument, since only a thread itself can yield. */
export function workerThread(file: string, workerData: unknown, pace: Pace): EngineLine {
  const worker = new Worker(file, { workerData, execArgv: quietly, argv: [pace] });
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

/** Lets a process that was just started yield; one that could not be started says so itself. */
export function yieldStarted({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    yieldProcessor(pid);
  } catch {
    // It has ended already.
  }
}

/** An engine in a process: for code that may crash, or that must not be linked with ours. */
export function childProcess(file: string, args: readonly string[], pace: Pace = 'ordinary'): EngineLine {
  const child = fork(file, args, {
    serialization: 'advanced',
    execArgv: quietly,
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  if (pace === 'yielding') yieldStarted(child);
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

/**
 * Speaks sentences in order, always working on the next while one is listened to. Leaving early, or going away, drops
 * the one ahead.
 */
export async function* sentenceAhead<Spoken>(
  sentences: readonly string[],
  signal: AbortSignal | undefined,
  speak: (sentence: string, signal: AbortSignal, jobKind: JobKind) => Promise<Spoken>,
): AsyncGenerator<Spoken> {
  const leave = new AbortController();
  const stop = eitherSignal(signal, leave.signal);
  const start = (sentence: string | undefined, jobKind: JobKind): Promise<Spoken> | undefined => {
    const spoken = sentence === undefined ? undefined : speak(sentence, stop, jobKind);
    // Its failure is handled when its turn comes; until then it must not count as unhandled.
    spoken?.catch(() => undefined);
    return spoken;
  };
  try {
    stop.throwIfAborted();
    let current = start(sentences[0], 'new');
    for (let next = 1; current; next++) {
      const spoken: Spoken = await current;
      current = start(sentences[next], 'begun');
      yield spoken;
    }
  } finally {
    leave.abort();
  }
}

/** How many jobs a local engine runs at a time: half of the cores, since calls need the others. */
export const placesByDefault = Math.max(1, Math.floor(availableParallelism() / 2));

/** One more for a job that would wait for another organization's, with engines small enough to run twice. */
export const sparePlacesByDefault = 1;

/** Less than a listener waits for the first sound, after which an engine counts as one that fails. */
export const speechWaitMsMax = 4_000;

/** Samples in a reply. Recognized by their tag, since values from another realm have its constructor. */
export const Samples = z.custom<Int16Array>((value) => Object.prototype.toString.call(value) === '[object Int16Array]');
