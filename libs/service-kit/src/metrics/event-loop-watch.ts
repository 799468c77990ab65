import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { Logger } from '../logging/logger';
import type { Metrics } from './metrics';

const resolutionMs = 10;
const windowMs = 10_000;
const followMs = 1_000;
/** A loop that is free for the rest of the time is late for one turn in a hundred by a few milliseconds at most. */
const busyShare = 0.05;
const nanosecondsPerSecond = 1e9;

/**
 * Watches this process's own pulse: delay of the event loop and resident memory. Warns when one turn in a hundred is late. To measure
 * delay is to wake up a hundred times a second, which is most of what an idle process does, so an idle loop is not measured.
 */
export class EventLoopWatch implements Disposable {
  private readonly delay = monitorEventLoopDelay({ resolution: resolutionMs });
  private readonly timers: NodeJS.Timeout[];
  private seen = performance.eventLoopUtilization();

  constructor(
    private readonly log: Logger,
    private readonly warningMs: number,
    everyMs: number = windowMs,
  ) {
    this.delay.enable();
    const followed = setInterval(() => this.follow(), Math.min(followMs, everyMs));
    this.timers = [followed, setInterval(() => this.look(), everyMs)].map((timer) => timer.unref());
  }

  /** Puts the figures on `/metrics`. */
  report(metrics: Metrics): void {
    const service = 'process';
    metrics.watch({
      service,
      name: 'parley_event_loop_delay_p99_seconds',
      help: 'Delay of the event loop.',
      read: () => this.p99Seconds(),
    });
    metrics.watch({
      service,
      name: 'parley_resident_memory_bytes',
      help: 'Resident memory.',
      read: () => process.memoryUsage.rss(),
    });
    metrics.watch({ service, name: 'parley_cpu_seconds', help: 'Processor time used since the start.', read: cpuSeconds });
  }

  [Symbol.dispose](): void {
    for (const timer of this.timers) clearInterval(timer);
    this.delay.disable();
  }

  private p99Seconds(): number {
    // The monitor counts from tick to tick, so an idle loop shows its own resolution.
    return Math.max(0, this.delay.percentile(99) / nanosecondsPerSecond - resolutionMs / 1_000);
  }

  /** Begins to measure when the loop had something to do, and stops when it had not. */
  private follow(): void {
    const before = this.seen;
    this.seen = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(this.seen, before);
    if (utilization >= busyShare) this.delay.enable();
    else this.delay.disable();
  }

  private look(): void {
    const delayMs = Math.round(this.p99Seconds() * 1_000);
    this.delay.reset();
    if (delayMs > this.warningMs) this.log.warn('The event loop is late', { delayMs, thresholdMs: this.warningMs });
  }
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
