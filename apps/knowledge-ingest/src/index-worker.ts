import { setTimeout as wait } from 'node:timers/promises';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { FirstFailure, ProviderFailure } from '@parley/ports';
import { type Metric, Lifetime, Logger, ServiceMetrics } from '@parley/service-kit';
import { DocumentIngest } from './documents/document-ingest';
import { BaseRemoval, type IndexJob, IndexJobs, JobLost, leaseSeconds, Reindexing } from './indexing/index-jobs';
import { EntryIndexing } from './indexing/entry-indexing';

/**
 * The polling interval while there are jobs that this worker may not take yet: leased, waiting for a retry, or beyond the two
 * allowed per organization.
 */
const againMs = 1_000;
/**
 * The polling interval while there are none. A new job wakes the worker in its own process; if that one is busy, other processes
 * find the job at their next poll.
 */
const idleMs = 5_000;
const laneCount = 3;
/** At least one lane is always left for other organizations. */
const lanesOfOneMax = 2;
const retryMsFirst = 500;
const retryMsMax = 5 * 60_000;
const attemptsMax = 20;
const present: Metric<never> = {
  name: 'parley_index_jobs',
  help: 'Documents and entries of all replicas that wait to be made searchable or are at it, up to 10,000.',
  labels: [],
};

/**
 * Runs index jobs, a few at a time, so that a large document does not delay a new FAQ, and at most two per organization, so that
 * its files do not delay another's. A job is leased and the lease renewed: if this process dies, another continues after the last
 * finished batch.
 */
@Injectable()
export class IndexWorker implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly stopping = new AbortController();
  private lanes: Promise<void>[] = [];
  private readonly running = new Map<number, number>();
  private taking: Promise<IndexJob | undefined> = Promise.resolve(undefined);
  private wake = Promise.withResolvers<void>();
  private resting: Promise<void> | undefined;
  private readonly failure = new FirstFailure((error) => this.log.warn('Index jobs cannot be read', { error }));

  constructor(
    private readonly jobs: IndexJobs,
    private readonly entries: EntryIndexing,
    private readonly documents: DocumentIngest,
    private readonly reindexing: Reindexing,
    private readonly removal: BaseRemoval,
    private readonly lifetime: Lifetime,
    private readonly log: Logger,
    private readonly metrics: ServiceMetrics,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.metrics.watch(present, () => this.jobs.count());
    this.jobs.onAnnounced(() => this.wakeUp());
    this.lifetime.draining.addEventListener('abort', () => this.stop());
    await this.reindexing.askForOutdated();
    this.lanes = Array.from({ length: laneCount }, () => this.work());
  }

  async onApplicationShutdown(): Promise<void> {
    this.stop();
    await Promise.all(this.lanes);
  }

  private stop(): void {
    this.stopping.abort();
    this.wakeUp();
  }

  private wakeUp(): void {
    this.wake.resolve();
    this.wake = Promise.withResolvers<void>();
  }

  private async work(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const { promise: announced } = this.wake;
      const job = await this.take().catch((error: unknown) => void this.failure.failed(error));
      if (job) await this.run(job);
      else await Promise.race([announced, this.rest()]);
    }
  }

  /** Waits until there may be a job to take. The lanes share it, so that an idle worker polls once for all of them. */
  private rest(): Promise<void> {
    this.resting ??= this.untilThereAreJobs()
      .catch(() => undefined)
      .finally(() => (this.resting = undefined));
    return this.resting;
  }

  private async untilThereAreJobs(): Promise<void> {
    const pause = (ms: number): Promise<void> => wait(ms, undefined, { ref: false, signal: this.stopping.signal });
    const areThere = (): Promise<boolean> => this.jobs.areThere().catch(() => true);
    if (await areThere()) return pause(againMs);
    do await pause(idleMs);
    while (!(await areThere()));
  }

  /** Only one lane polls at a time: two would both find an organization with room for one. */
  private take(): Promise<IndexJob | undefined> {
    this.taking = this.taking
      .catch(() => undefined)
      .then(async () => {
        const full = [...this.running].filter(([, lanes]) => lanes >= lanesOfOneMax).map(([orgId]) => orgId);
        const job = await this.jobs.take(full);
        this.failure.recovered();
        if (job) this.count(job, 1);
        return job;
      });
    return this.taking;
  }

  private count({ orgId }: IndexJob, change: 1 | -1): void {
    const lanes = (this.running.get(orgId) ?? 0) + change;
    if (lanes > 0) this.running.set(orgId, lanes);
    else this.running.delete(orgId);
  }

  private async run(job: IndexJob): Promise<void> {
    const renewing = setInterval(() => void this.jobs.extend(job).catch(() => undefined), (leaseSeconds * 1_000) / 3);
    try {
      await this.perform(job);
      await this.jobs.finish(job);
    } catch (error) {
      await this.settle(job, error).catch((reason: unknown) =>
        this.log.warn('An index job could not be put back', { error: reason }),
      );
    } finally {
      clearInterval(renewing);
      this.count(job, -1);
      // A lane that found only jobs of an organization at its limit may take one now.
      this.wakeUp();
    }
  }

  private async perform(job: IndexJob): Promise<void> {
    const stillWanted = async () => {
      if (this.stopping.signal.aborted) throw new JobLost('the service stops');
    };
    if (job.kind === 'ENTRIES') await this.entries.run(job, stillWanted);
    else if (job.kind === 'DOCUMENT') await this.documents.run(job, { stillWanted, isLastAttempt: job.attempts >= attemptsMax });
    else if (job.kind === 'REINDEX') await this.reindexing.run(job, stillWanted);
    else await this.removal.run(job);
  }

  /** Returns a stopped job to the queue at once, and a failed one after a delay that doubles, or that the provider requested. */
  private async settle(job: IndexJob, error: unknown): Promise<void> {
    if (error instanceof JobLost) return this.jobs.retry(job, 0);
    const { kind, orgId, knowledgeBaseId, attempts } = job;
    const isFinal = attempts >= attemptsMax || (error instanceof ProviderFailure && !error.retryable);
    this.log.warn('An index job failed', { kind, orgId, knowledgeBaseId, attempts, isFinal, error });
    if (isFinal) return this.jobs.finish(job);
    const askedMs = error instanceof ProviderFailure ? error.retryAfterMs : undefined;
    await this.jobs.retry(job, askedMs ?? Math.min(retryMsMax, retryMsFirst * 2 ** (attempts - 1)));
  }
}
