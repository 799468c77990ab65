import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, type OnApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import { FirstFailure } from '@parley/ports';
import { Logger } from '../logging/logger';
import { type Metric, ServiceMetrics } from '../metrics/metrics';

/** How long the service may continue to work. Injectable everywhere. */
export abstract class Lifetime {
  /** Aborts when the service begins to stop: close sockets with 1012 and accept nothing new; work in progress may finish. */
  abstract readonly draining: AbortSignal;
  /** Aborts when work in progress has had its time, a moment before the process ends: what cannot finish ends as unavailable. */
  abstract readonly overdue: AbortSignal;
}

/** Work that a service repeats for as long as it runs. */
interface RegularWork {
  /** The label under which its failures are counted: one or two words. */
  readonly name: string;
  /** From the start of one run to the start of the next; runs that a slow one delays are skipped. */
  readonly everyMs: number;
  /** May return the delay until the next run, in milliseconds, which replaces `everyMs`; `Infinity` waits for `start` or `wake`. */
  readonly run: () => Promise<number | void>;
  /** The log message for a failure: logged once, however often it fails before it works again. */
  readonly trouble: string;
  /** Whether a failure needs no attention, such as losing a race to another replica. */
  readonly isExpected?: (error: unknown) => boolean;
  /** It maintains what requests in progress need, such as leases, so it continues while the service drains. */
  readonly lasts?: boolean;
}

const failures: Metric<'work'> = {
  name: 'parley_regular_work_failures_total',
  help: 'Times that work which a service does again and again failed.',
  labels: ['work'],
};

interface TaskSurroundings {
  readonly lifetime: Pick<Lifetime, 'draining'>;
  readonly log: Pick<Logger, 'warn'>;
  readonly metrics: Pick<ServiceMetrics, 'count'>;
}

/**
 * Runs its work at an interval, never concurrently, until the service drains. It does not keep the process alive. Whoever wakes
 * it may be handling a request, so the work runs in its own context: otherwise it would keep that request's deadline and
 * principal.
 */
export class RegularTask {
  private readonly inOwnContext = AsyncLocalStorage.snapshot();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private isWanted = false;
  private isStopped = false;
  private readonly failure = new FirstFailure((error) => {
    const { name, trouble } = this.work;
    this.about.log.warn(trouble, { work: name, error });
  });

  constructor(
    private readonly about: TaskSurroundings,
    private readonly work: RegularWork,
  ) {}

  start(inMs = 0): void {
    this.runIn(inMs);
  }

  /** Runs soon, because there is something to do; during a run, runs once more after it. */
  wake(): void {
    if (this.running) this.isWanted = true;
    else this.runIn(0);
  }

  /** Runs now, or joins the run in progress. Resolves when it has ended, even if it failed. */
  now(): Promise<void> {
    clearTimeout(this.timer);
    // Started a moment later, so that a run that triggers itself counts as in progress.
    return (this.running ??= this.inOwnContext(() => Promise.resolve().then(() => this.run())));
  }

  /** Resolves when no run is in progress, and none will start. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private get isOver(): boolean {
    return this.isStopped || (!this.work.lasts && this.about.lifetime.draining.aborted);
  }

  private runIn(ms: number): void {
    // What was started during this run stays.
    if (ms === Number.POSITIVE_INFINITY) return;
    clearTimeout(this.timer);
    if (this.isOver) return;
    this.timer = setTimeout(() => !this.isOver && void this.now(), ms).unref();
  }

  private async run(): Promise<void> {
    this.isWanted = false;
    const { everyMs } = this.work;
    const startedAtMs = performance.now();
    let nextMs: number | void = undefined;
    try {
      nextMs = await this.work.run();
      this.failure.recovered();
    } catch (error) {
      this.fail(error);
    }
    this.running = undefined;
    this.runIn(this.isWanted ? 0 : (nextMs ?? everyMs - ((performance.now() - startedAtMs) % everyMs)));
  }

  private fail(error: unknown): void {
    const { name, isExpected } = this.work;
    if (isExpected?.(error)) return;
    this.about.metrics.count(failures, { work: name });
    this.failure.failed(error);
  }
}

/** Creates the regular tasks of a service, which end with it. Injectable everywhere. */
@Injectable()
export class RegularTasks implements OnModuleDestroy, OnApplicationShutdown {
  private readonly all: { readonly task: RegularTask; readonly lasts: boolean }[] = [];

  constructor(
    private readonly lifetime: Lifetime,
    private readonly log: Logger,
    private readonly metrics: ServiceMetrics,
  ) {}

  /** Creates a task, which begins with its `start`. */
  of(work: RegularWork): RegularTask {
    const { lifetime, log, metrics } = this;
    const task = new RegularTask({ lifetime, log, metrics }, work);
    this.all.push({ task, lasts: work.lasts ?? false });
    return task;
  }

  async onModuleDestroy(): Promise<void> {
    await this.stop(({ lasts }) => !lasts);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.stop(() => true);
  }

  private async stop(isMeant: (each: { readonly lasts: boolean }) => boolean): Promise<void> {
    await Promise.all(this.all.filter(isMeant).map(({ task }) => task.stop()));
  }
}
