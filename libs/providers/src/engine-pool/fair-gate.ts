import { currentCall, FairQueue } from '@parley/messaging';
import { ProviderFailure } from '@parley/ports';
import type { Pace } from '../answer-calls';

/** Short, so that a sudden load is noticed after a few jobs, and an earlier one is soon forgotten. */
const halfLifeMs = 300;
/** A sentence of a slow engine now and then has no noticeable effect on others. */
const noticedMs = 250;
const aboveMean = 1.2;
/** An organization without a job for this long wants none. */
const forgottenMs = 3_000;

/** How much each job changes the time that the next is expected to take. */
const learning = 0.1;

interface Demand {
  /** The engine time of finished jobs, half of which is forgotten after each half-life. */
  spentMs: number;
  /** Jobs waiting or running. */
  unfinished: number;
  atMs: number;
}

/** How much engine time each organization has used recently or is waiting for. */
export class EngineTime {
  private readonly demands = new Map<unknown, Demand>();
  private agedAtMs: number;
  private usualMs = 0;

  constructor(private readonly nowMs: () => number = () => performance.now()) {
    this.agedAtMs = nowMs();
  }

  add(organization: unknown, ms: number): void {
    this.demandOf(organization).spentMs += ms;
  }

  /**
   * Counts a job at its usual time until its actual time is known. If only finished work counted, an organization with a hundred jobs
   * waiting would seem to want as little as one whose jobs are all done.
   */
  ask(organization: unknown): { readonly end: (ms: number) => void; readonly leave: () => void } {
    this.demandOf(organization).unfinished += 1;
    const leave = (): Demand => {
      const demand = this.demandOf(organization);
      demand.unfinished -= 1;
      return demand;
    };
    return {
      end: (ms) => {
        leave().spentMs += ms;
        this.usualMs += learning * (ms - this.usualMs);
      },
      leave,
    };
  }

  /** An organization that uses clearly more than its share while others want engines gets a lower priority. */
  paceOf(organization: unknown): Pace {
    this.age();
    const demand = this.demands.get(organization);
    const own = demand ? this.wantedMs(demand) : 0;
    const all = [...this.demands.values()].reduce((sum, each) => sum + this.wantedMs(each), 0);
    return own > noticedMs && own * this.demands.size > aboveMean * all ? 'yielding' : 'ordinary';
  }

  private wantedMs({ spentMs, unfinished }: Demand): number {
    return spentMs + unfinished * this.usualMs;
  }

  private demandOf(organization: unknown): Demand {
    this.age();
    const demand = this.demands.get(organization) ?? { spentMs: 0, unfinished: 0, atMs: 0 };
    this.demands.set(organization, demand);
    demand.atMs = this.agedAtMs;
    return demand;
  }

  private age(): void {
    const nowMs = this.nowMs();
    const left = 2 ** ((this.agedAtMs - nowMs) / halfLifeMs);
    this.agedAtMs = nowMs;
    for (const [organization, demand] of this.demands) {
      demand.spentMs *= left;
      if (demand.unfinished === 0 && nowMs - demand.atMs > forgottenMs) this.demands.delete(organization);
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
export type JobKind = 'new' | 'begun';

/** How long a yielding organization leaves the extra places empty: less than a sentence of a slow engine takes. */
const yieldMsMax = 50;

/**
 * Reports how much processor time a job used. Without it the elapsed time counts, by which an organization that is held up looks like one
 * that works a lot.
 */
export type CountWork = (cpuMs: number) => void;

interface WaitingJob {
  hasYielded: boolean;
  enter(): void;
  refuse(): void;
}

/**
 * Limits running and waiting jobs. Organizations take turns, so that one with a hundred jobs delays another only by one. Jobs that
 * continue something are never refused, since each sequence has only a few at a time, and new ones are refused meanwhile. A yielding
 * organization starts nothing beside the jobs of others, and its running jobs take no place from them.
 */
export class FairGate {
  private readonly working: Record<Pace, number> = { ordinary: 0, yielding: 0 };
  private readonly workingOf = new Map<unknown, number>();
  private readonly queue: FairQueue<WaitingJob>;
  private readonly time: EngineTime;

  constructor(private readonly options: FairGateOptions) {
    this.queue = new FairQueue(options.queueMax);
    this.time = options.time ?? new EngineTime();
  }

  /** Runs work when its turn comes. If the caller aborts, it leaves the queue. */
  async pass<T>(work: (pace: Pace, count: CountWork) => Promise<T>, signal?: AbortSignal, jobKind: JobKind = 'new'): Promise<T> {
    signal?.throwIfAborted();
    const organization = currentCall()?.principal?.orgId;
    const use = this.time.ask(organization);
    const pace = await this.enter(organization, signal, jobKind).catch((reason: unknown) => {
      use.leave();
      throw reason;
    });
    const startedAtMs = performance.now();
    let workedMs: number | undefined;
    try {
      return await work(pace, (ms) => (workedMs = ms));
    } finally {
      use.end(workedMs ?? performance.now() - startedAtMs);
      this.leave(organization, pace);
    }
  }

  private async enter(organization: unknown, signal: AbortSignal | undefined, jobKind: JobKind): Promise<Pace> {
    return this.hasPlace(organization) ? this.take(organization) : this.wait(organization, signal, jobKind);
  }

  private hasPlace(organization: unknown, hasYielded = false): boolean {
    const { places, sparePlaces = 0 } = this.options;
    const { ordinary, yielding } = this.working;
    const isYielding = this.time.paceOf(organization) === 'yielding';
    const working = isYielding ? ordinary + yielding : ordinary;
    if (working < places) return true;
    return working < places + sparePlaces && !this.workingOf.has(organization) && (!isYielding || hasYielded);
  }

  private take(organization: unknown): Pace {
    const pace = this.time.paceOf(organization);
    this.working[pace] += 1;
    this.workingOf.set(organization, (this.workingOf.get(organization) ?? 0) + 1);
    return pace;
  }

  private wait(organization: unknown, signal: AbortSignal | undefined, jobKind: JobKind): Promise<Pace> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.queue.remove(waiting);
        stopWaiting();
        reject(signal?.reason);
      };
      const { waitMsMax } = this.options;
      const onLate = (): void => {
        this.queue.remove(waiting);
        waiting.refuse();
      };
      const late = waitMsMax && setTimeout(onLate, jobKind === 'begun' ? 2 * waitMsMax : waitMsMax).unref();
      const yielded = setTimeout(() => {
        waiting.hasYielded = true;
        this.letIn();
      }, yieldMsMax).unref();
      const stopWaiting = (): void => [late, yielded].forEach(clearTimeout);
      const settled = (): void => {
        stopWaiting();
        signal?.removeEventListener('abort', onAbort);
      };
      const waiting: WaitingJob = {
        hasYielded: false,
        enter: () => {
          settled();
          resolve(this.take(organization));
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
  private leave(organization: unknown, pace: Pace): void {
    this.working[pace] -= 1;
    const left = (this.workingOf.get(organization) ?? 1) - 1;
    if (left > 0) this.workingOf.set(organization, left);
    else this.workingOf.delete(organization);
    this.letIn();
  }

  private letIn(): void {
    const next = (): WaitingJob | undefined =>
      this.queue.shift((organization, { hasYielded }) => this.hasPlace(organization, hasYielded));
    for (let job = next(); job; job = next()) job.enter();
  }

  private busy(): ProviderFailure {
    return new ProviderFailure(this.options.provider, 'is busy, and too many requests wait already', {
      retryable: true,
      retryAfterMs: 1000,
      isBusy: true,
    });
  }
}
