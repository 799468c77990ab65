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
  start(pace: Pace): Promise<EngineConnection>;
}

interface Seat {
  readonly connection: EngineConnection;
  readonly pace: Pace;
  settle?: (outcome: { message: unknown } | { gone: string }) => void;
}

const Refusal = z.object({ failure: z.string() });

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
      async (pace) => {
        const seat = await this.take(pace);
        const reply = await this.work(seat, job);
        signal?.throwIfAborted();
        return reply;
      },
      signal,
      jobKind,
    );
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const { connection } of this.seats) connection.kill();
  }

  /** There are never more of one pace than work at a time. */
  private async take(pace: Pace): Promise<Seat> {
    const at = this.idle.findLastIndex((seat) => seat.pace === pace);
    const [idle] = at < 0 ? [] : this.idle.splice(at, 1);
    return idle ?? (await this.open(pace));
  }

  private async open(pace: Pace): Promise<Seat> {
    const seat: Seat = { connection: await this.options.start(pace), pace };
    seat.connection.onMessage((message) => seat.settle?.({ message }));
    seat.connection.onEnd((gone) => {
      this.seats.delete(seat);
      const at = this.idle.indexOf(seat);
      if (at >= 0) this.idle.splice(at, 1);
      seat.settle?.({ gone });
    });
    this.seats.add(seat);
    return seat;
  }

  private async work(seat: Seat, job: Job): Promise<z.output<Reply>> {
    const outcome = await this.answer(seat, job);
    if ('gone' in outcome) throw this.failure(outcome.gone);
    this.idle.push(seat);
    const refusal = Refusal.safeParse(outcome.message);
    if (refusal.success) throw new ProviderFailure(this.options.provider, refusal.data.failure, { retryable: false });
    return this.options.reply.parse(outcome.message);
  }

  private answer(seat: Seat, job: Job): Promise<{ message: unknown } | { gone: string }> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        seat.connection.kill();
        seat.settle?.({ gone: `did not answer within ${this.options.jobMs} ms` });
      }, this.options.jobMs);
      seat.settle = (outcome) => {
        seat.settle = undefined;
        clearTimeout(timer);
        seat.connection.setBusy(false);
        resolve(outcome);
      };
      seat.connection.setBusy(true);
      seat.connection.send(job);
    });
  }

  private failure(message: string): ProviderFailure {
    return new ProviderFailure(this.options.provider, message, { retryable: true });
  }
}

/** An engine in a thread: for code that may share our process. It learns its pace as an argument, since only a thread itself can yield. */
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
/** A smaller share of an engine's time is a load that nobody notices. */
const noticedShare = 0.2;
const aboveMean = 1.2;

/** How long engines worked for each organization lately: half of it is forgotten every few seconds. */
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

  /** An organization that has clearly more than its share, while others want some, yields to them. */
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
  /** Jobs at a time. */
  readonly places: number;
  /** Extra places for jobs of organizations with none in progress, which need not wait for another's job. */
  readonly sparePlaces?: number;
  /** Jobs that may wait; for one more, one of the organization that has most waiting is refused. */
  readonly queueMax: number;
  /**
   * A job that has waited so long is refused as one too many, twice as long where its answer has begun. Otherwise an organization's
   * own queue would look like an engine that fails, and close the engine to all.
   */
  readonly waitMsMax?: number;
  readonly time?: EngineTime;
}

/** Whether a job starts something new, or belongs to something already started that would otherwise break off. */
type JobKind = 'new' | 'begun';

interface WaitingJob {
  enter(): void;
  refuse(): void;
}

/**
 * Lets a few jobs run and a few more wait. Organizations take turns, so that one with a hundred jobs delays another by one. A job
 * of something already started is never refused: each has only a few at a time, and new ones are refused meanwhile.
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

  /** Does the work when its turn comes. A caller who goes away leaves the queue. */
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

  /** The place goes directly to the next in turn, so no other job can take it in between. */
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
