import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { SpokenPiece } from '@parley/language';
import { eitherSignal, ProviderFailure, type SpeechRequest } from '@parley/ports';
import { z } from 'zod';
import { type Pace, type YieldingWork, yieldProcessor } from '../answer-calls';
import { type CountWork, type EngineTime, FairGate, type JobKind } from './fair-gate';

export { type Pace } from '../answer-calls';
export { EngineTime, FairGate } from './fair-gate';

/** A connection to an engine in its own thread or process. */
export interface EngineConnection {
  send(message: object): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Called once when the engine is gone, for any reason. */
  onEnd(listener: (reason: string) => void): void;
  /** A busy engine keeps this process alive; an idle one does not. */
  setBusy(isBusy: boolean): void;
  kill(): void;
}

// Suppresses Node's warnings about TypeScript sources, which tests run.
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
  start(pace: Pace): Promise<EngineConnection>;
}

interface PooledEngine {
  readonly connection: EngineConnection;
  readonly pace: Pace;
  /** The processor time that it had used by its last reply. */
  cpuMs?: number;
  settle?: (outcome: EngineOutcome) => void;
}

/** `isBusy` if it got too little processor time to answer in time, which is no failure of the engine. */
type EngineOutcome = { readonly message: unknown } | { readonly gone: string; readonly isBusy?: boolean };

const Refusal = z.object({ failure: z.string() });
/** Part of each reply of engines that measure it. */
const Worked = z.object({ cpuMs: z.number() });

/**
 * Engines in threads or processes, started on demand, each with one job at a time. If an engine crashes or hangs, its job fails, which
 * may be retried, and the engine is replaced.
 */
export class EnginePool<Job extends object, Reply extends z.ZodType> {
  private readonly gate: FairGate;
  private readonly idle: PooledEngine[] = [];
  private readonly engines = new Set<PooledEngine>();
  private closed = false;

  constructor(private readonly options: EnginePoolOptions<Reply>) {
    this.gate = new FairGate(options);
  }

  /** Runs a job and returns the engine's reply. */
  run(job: Job, signal?: AbortSignal, jobKind?: JobKind): Promise<z.output<Reply>> {
    if (this.closed) return Promise.reject(this.failure('is closed'));
    return this.gate.pass(
      async (pace, count) => {
        const engine = await this.take(pace);
        const reply = await this.work(engine, job, count);
        signal?.throwIfAborted();
        return reply;
      },
      signal,
      jobKind,
    );
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const { connection } of this.engines) connection.kill();
  }

  /** Takes an idle engine of this pace, or starts one. There are never more than jobs at a time. */
  private async take(pace: Pace): Promise<PooledEngine> {
    const at = this.idle.findLastIndex((engine) => engine.pace === pace);
    const [idle] = at < 0 ? [] : this.idle.splice(at, 1);
    return idle ?? (await this.open(pace));
  }

  private async open(pace: Pace): Promise<PooledEngine> {
    const engine: PooledEngine = { connection: await this.options.start(pace), pace };
    engine.connection.onMessage((message) => engine.settle?.({ message }));
    engine.connection.onEnd((gone) => {
      this.engines.delete(engine);
      const at = this.idle.indexOf(engine);
      if (at >= 0) this.idle.splice(at, 1);
      engine.settle?.({ gone });
    });
    this.engines.add(engine);
    return engine;
  }

  private async work(engine: PooledEngine, job: Job, count: CountWork): Promise<z.output<Reply>> {
    const outcome = await this.answer(engine, job);
    if ('gone' in outcome) throw this.failure(outcome.gone, outcome);
    this.idle.push(engine);
    const worked = Worked.safeParse(outcome.message);
    // The time before its first reply went into loading the model, and is nobody's.
    if (worked.success && engine.cpuMs !== undefined) count(worked.data.cpuMs - engine.cpuMs);
    if (worked.success) engine.cpuMs = worked.data.cpuMs;
    const refusal = Refusal.safeParse(outcome.message);
    if (refusal.success) throw new ProviderFailure(this.options.provider, refusal.data.failure, { retryable: false });
    return this.options.reply.parse(outcome.message);
  }

  private answer(engine: PooledEngine, job: Job): Promise<EngineOutcome> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        engine.connection.kill();
        engine.settle?.({ gone: `did not answer within ${this.options.jobMs} ms`, isBusy: engine.pace === 'yielding' });
      }, this.options.jobMs);
      engine.settle = (outcome) => {
        engine.settle = undefined;
        clearTimeout(timer);
        engine.connection.setBusy(false);
        resolve(outcome);
      };
      engine.connection.setBusy(true);
      engine.connection.send(job);
    });
  }

  private failure(message: string, { isBusy = false }: { readonly isBusy?: boolean } = {}): ProviderFailure {
    return new ProviderFailure(this.options.provider, message, { retryable: true, isBusy });
  }
}

/** Starts an engine in a thread, for code that may share our process. Its pace is an argument, since a thread must lower its own priority. */
export function workerThread(file: string, workerData: unknown, pace: Pace): EngineConnection {
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

/** Lowers the priority of a process just started. If it could not be started, that is reported elsewhere. */
export function yieldStarted({ pid }: ChildProcess, work: YieldingWork): void {
  if (pid === undefined) return;
  try {
    yieldProcessor(work, pid);
  } catch {
    // It has already ended.
  }
}

/** Starts an engine in a process, for code that may crash or must not be linked with ours. */
export function childProcess(file: string, args: readonly string[], pace: Pace = 'ordinary'): EngineConnection {
  const child = fork(file, args, {
    serialization: 'advanced',
    execArgv: quietly,
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  if (pace === 'yielding') yieldStarted(child, 'engine');
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
 * Synthesizes sentences in order, always one ahead of the one being played. If the loop is left early or aborted, the one ahead is
 * dropped.
 */
export async function* sentenceAhead<Spoken>(
  pieces: Iterable<SpokenPiece, undefined>,
  { signal, beforePiece }: Pick<SpeechRequest, 'signal' | 'beforePiece'>,
  speak: (sentence: string, signal: AbortSignal, jobKind: JobKind) => Promise<Spoken>,
): AsyncGenerator<Spoken> {
  const leave = new AbortController();
  const stop = eitherSignal(signal, leave.signal);
  const speakNow = async ({ spoken, until }: SpokenPiece, jobKind: JobKind): Promise<Spoken> => {
    await beforePiece?.(until);
    return speak(spoken, stop, jobKind);
  };
  const start = (piece: SpokenPiece | undefined, jobKind: JobKind): Promise<Spoken> | undefined => {
    const spoken = piece && speakNow(piece, jobKind);
    // Its failure is handled when it is awaited; until then it must not count as unhandled.
    spoken?.catch(() => undefined);
    return spoken;
  };
  try {
    stop.throwIfAborted();
    const waiting = pieces[Symbol.iterator]();
    let current = start(waiting.next().value, 'new');
    while (current) {
      const spoken: Spoken = await current;
      current = start(waiting.next().value, 'begun');
      yield spoken;
    }
  } finally {
    leave.abort();
  }
}

/** How many jobs a local engine runs at a time: half of the cores, since calls need the rest. */
export const placesByDefault = Math.max(1, Math.floor(availableParallelism() / 2));

/** One extra place for another organization's job, with engines small enough to run twice. */
export const sparePlacesByDefault = 1;

/** Shorter than the timeout for the first sound, after which an engine counts as failing. */
export const speechWaitMsMax = 4_000;

/** Samples in a reply. They are recognized by their tag, since values from another realm have a different constructor. */
export const Samples = z.custom<Int16Array>((value) => Object.prototype.toString.call(value) === '[object Int16Array]');
