import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { currentCall, FairQueue } from '@parley/messaging';
import { eitherSignal, ProviderFailure } from '@parley/ports';
import { z } from 'zod';
import { type Pace, yieldProcessor } from '../answer-calls';

export { type Pace } from '../answer-calls';

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
  settle?: (outcome: { message: unknown } | { gone: string }) => void;
}

const Refusal = z.object({ failure: z.string() });

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
      async (pace) => {
        const engine = await this.take(pace);
        const reply = await this.work(engine, job);
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

  private async work(engine: PooledEngine, job: Job): Promise<z.output<Reply>> {
    const outcome = await this.answer(engine, job);
    if ('gone' in outcome) throw this.failure(outcome.gone);
    this.idle.push(engine);
    const refusal = Refusal.safeParse(outcome.message);
    if (refusal.success) throw new ProviderFailure(this.options.provider, refusal.data.failure, { retryable: false });
    return this.options.reply.parse(outcome.message);
  }

  private answer(engine: PooledEngine, job: Job): Promise<{ message: unknown } | { gone: string }> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        engine.connection.kill();
        engine.settle?.({ gone: `did not answer within ${this.options.jobMs} ms` });
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

  private failure(message: string): ProviderFailure {
    return new ProviderFailure(this.options.provider, message, { retryable: true });
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
export function yieldStarted({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    yieldProcessor(pid);
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

const halfLifeMs = 3_000;
/** Smaller shares of an engine's time have no noticeable effect on others. */
const noticedShare = 0.2;
const aboveMean = 1.2;

/** How much engine time each organization has used recently, decaying by half every few seconds. */
export class EngineTime {
  private readonly spentMs = new Map<unknown, number>();
  private agedAtMs: number;

  constructor(private readonly nowMs: () => number = () => performance.now()) {
    this.agedAtMs = nowMs();
  }

  add(organization: unknown, ms: number): void {
    this.age();
    this.spentMs.set(organization, (this.spentMs.get(organization) ?? 0) + ms);
  }

  /** An organization that uses clearly more than its share while others are waiting gets a lower priority. */
  paceOf(organization: unknown): Pace {
    this.age();
    const own = this.spentMs.get(organization) ?? 0;
    const all = [...this.spentMs.values()].reduce((sum, ms) => sum + ms, 0);
    const isNoticed = own > noticedShare * (halfLifeMs / Math.LN2);
    return isNoticed && own * this.spentMs.size > aboveMean * all ? 'yielding' : 'ordinary';
  }

  private age(): void {
    const nowMs = this.nowMs();
    const left = 2 ** ((this.agedAtMs - nowMs) / halfLifeMs);
    this.agedAtMs = nowMs;
    for (const [organization, ms] of this.spentMs) {
      if (ms * left < 1) this.spentMs.delete(organization);
      else this.spentMs.set(organization, ms * left);
    }
  }
}

interface FairGateOptions {
  readonly provider: string;
  /** How many jobs run at a time. */
  readonly places: number;
  /** Extra places for organizations without a job in progress, so that they need not wait for another's job. */
  readonly sparePlaces?: number;
  /** How many jobs may wait; beyond that, a job of the organization with the most waiting jobs is refused. */
  readonly queueMax: number;
  /**
   * A job that has waited this long is refused as one too many, or after twice as long if its output has begun. Otherwise an
   * organization's own queue would look like a failing engine, and the engine would be taken out of use for all.
   */
  readonly waitMsMax?: number;
  readonly time?: EngineTime;
}

/** Whether a job starts something new, or continues something that would otherwise break off. */
type JobKind = 'new' | 'begun';

interface WaitingJob {
  enter(): void;
  refuse(): void;
}

/**
 * Limits running and waiting jobs. Organizations take turns, so that one with a hundred jobs delays another only by one. Jobs that
 * continue something are never refused, since each sequence has only a few at a time, and new ones are refused meanwhile.
 */
export class FairGate {
  private working = 0;
  private readonly workingOf = new Map<unknown, number>();
  private readonly queue: FairQueue<WaitingJob>;
  private readonly time: EngineTime;

  constructor(private readonly options: FairGateOptions) {
    this.queue = new FairQueue(options.queueMax);
    this.time = options.time ?? new EngineTime();
  }

  /** Runs work when its turn comes. If the caller aborts, it leaves the queue. */
  async pass<T>(work: (pace: Pace) => Promise<T>, signal?: AbortSignal, jobKind: JobKind = 'new'): Promise<T> {
    signal?.throwIfAborted();
    const organization = currentCall()?.principal?.orgId;
    if (this.hasPlace(organization)) this.take(organization);
    else await this.wait(organization, signal, jobKind);
    const startedAtMs = performance.now();
    try {
      return await work(this.time.paceOf(organization));
    } finally {
      this.time.add(organization, performance.now() - startedAtMs);
      this.leave(organization);
    }
  }

  private hasPlace(organization: unknown): boolean {
    const { places, sparePlaces = 0 } = this.options;
    return this.working < places || (this.working < places + sparePlaces && !this.workingOf.has(organization));
  }

  private take(organization: unknown): void {
    this.working += 1;
    this.workingOf.set(organization, (this.workingOf.get(organization) ?? 0) + 1);
  }

  private wait(organization: unknown, signal: AbortSignal | undefined, jobKind: JobKind): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.queue.remove(waiting);
        clearTimeout(late);
        reject(signal?.reason);
      };
      const { waitMsMax } = this.options;
      const onLate = (): void => {
        this.queue.remove(waiting);
        waiting.refuse();
      };
      const late = waitMsMax && setTimeout(onLate, jobKind === 'begun' ? 2 * waitMsMax : waitMsMax).unref();
      const settled = (): void => {
        clearTimeout(late);
        signal?.removeEventListener('abort', onAbort);
      };
      const waiting: WaitingJob = {
        enter: () => {
          settled();
          this.take(organization);
          resolve();
        },
        refuse: () => {
          settled();
          reject(this.busy());
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      if (jobKind === 'begun') this.queue.keep(organization, waiting);
      else this.queue.push(organization, waiting)?.refuse();
    });
  }

  /** Passes the place directly to the next in turn, so that no other job can take it in between. */
  private leave(organization: unknown): void {
    this.working -= 1;
    const left = (this.workingOf.get(organization) ?? 1) - 1;
    if (left > 0) this.workingOf.set(organization, left);
    else this.workingOf.delete(organization);
    this.queue.shift((other) => this.hasPlace(other))?.enter();
  }

  private busy(): ProviderFailure {
    return new ProviderFailure(this.options.provider, 'is busy, and too many requests wait already', {
      retryable: true,
      retryAfterMs: 1000,
      isBusy: true,
    });
  }
}

/**
 * Synthesizes sentences in order, always one ahead of the one being played. If the loop is left early or aborted, the one ahead is
 * dropped.
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
    // Its failure is handled when it is awaited; until then it must not count as unhandled.
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

/** How many jobs a local engine runs at a time: half of the cores, since calls need the rest. */
export const placesByDefault = Math.max(1, Math.floor(availableParallelism() / 2));

/** One extra place for another organization's job, with engines small enough to run twice. */
export const sparePlacesByDefault = 1;

/** Shorter than the timeout for the first sound, after which an engine counts as failing. */
export const speechWaitMsMax = 4_000;

/** Samples in a reply. They are recognized by their tag, since values from another realm have a different constructor. */
export const Samples = z.custom<Int16Array>((value) => Object.prototype.toString.call(value) === '[object Int16Array]');
