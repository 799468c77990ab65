import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { AdminServer } from '../admin/admin-server';
import type { ProcessVariables } from '../configuration/variables';
import { createLogger, type Logger, scrubText } from '../logging/logger';
import { Metrics } from '../metrics/metrics';
import { MetricsSender } from '../telemetry/send-metrics';
import { startTelemetry } from '../telemetry/telemetry';

/** What a process has once, however many services live in it. */
export interface ProcessParts {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly adminServer: AdminServer;
  readonly adminPort: number;
  /** Last of all: sends what telemetry still holds and closes the admin door. */
  close(): Promise<void>;
}

/** Sets up log, telemetry, metrics and the admin server. Do it before any service starts, so that its start is seen too. */
export async function openProcess(name: string, variables: ProcessVariables): Promise<ProcessParts> {
  letGarbageDieYoung();
  const logger = createLogger({
    level: variables.PARLEY_LOG_LEVEL,
    isReadable: variables.PARLEY_ENVIRONMENT === 'development',
    writesPii: variables.PARLEY_LOG_PII,
  });
  const instanceId = randomUUID();
  const telemetry = await startTelemetry({
    name,
    instanceId,
    endpoint: variables.OTEL_EXPORTER_OTLP_ENDPOINT,
    sampledShare: variables.OTEL_TRACES_SAMPLER_ARG,
  });
  const metrics = new Metrics();
  const watch = new EventLoopWatch(logger.with({ service: name }), variables.EVENT_LOOP_WARNING_MS);
  watch.report(metrics);
  const endpoint = variables.OTEL_EXPORTER_OTLP_ENDPOINT;
  const everyMs = variables.OTEL_METRIC_EXPORT_INTERVAL;
  const sender = new MetricsSender(metrics, { name, instanceId, endpoint, everyMs }, logger);
  const adminServer = new AdminServer(metrics);
  const adminPort = await adminServer.listen(variables.ADMIN_HOST, variables.ADMIN_PORT);
  const close = async (): Promise<void> => {
    watch[Symbol.dispose]();
    await Promise.all([telemetry.stop(), sender.stop(), adminServer.close()]);
  };
  return { logger, metrics, adminServer, adminPort, close };
}

/**
 * V8 allocates an object as an old one if most of its kind outlived a quick collection, as those of requests do that wait for an
 * answer. What it refers to then outlives all of them: whole requests, until a full collection.
 */
function letGarbageDieYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

const prestopDelayMs = { production: 3_000, development: 0 };

/** How long a stopping process still takes work, so that load balancers can learn that it goes. */
export function prestopDelayOf(variables: ProcessVariables): number {
  return variables.PRESTOP_DELAY ?? prestopDelayMs[variables.PARLEY_ENVIRONMENT];
}

const farewellMs = 1_000;

interface Stopping {
  readonly log: Logger;
  /** Turns readiness off; work still comes in until the load balancers noticed. */
  readonly announce: () => void;
  readonly prestopDelayMs: number;
  /** Finishes work in progress and closes everything. */
  readonly stop: () => Promise<void>;
  readonly limitSeconds: number;
}

/** A signal to the whole process group arrives twice: from the sender, and passed on by the npm script before us. */
const echoMs = 500;

/**
 * From now on SIGTERM and SIGINT end the process: exit code 0 when all work finished, 1 when it did not within the limit or a
 * second signal cut it short.
 */
export function stopOnSignal(stopping: Stopping): void {
  let first: { signal: NodeJS.Signals; atMs: number } | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    const isEcho = first?.signal === signal && performance.now() - first.atMs < echoMs;
    if (isEcho) return;
    if (first) exitNow(stopping.log, 'Stopped at once by a second signal', { signal });
    first = { signal, atMs: performance.now() };
    stopping.log.info('Stopping', { signal });
    void drain(stopping);
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  // A supervisor that dies closes its end of the IPC channel: stop now, since no one could stop us later.
  process.once('disconnect', () => onSignal('SIGTERM'));
}

/** Until disposed, a signal ends the process at once: while starting, nothing is in progress. */
export function exitOnSignalWhileStarting(log: Logger): Disposable {
  const onSignal = (signal: NodeJS.Signals): void => {
    log.info('Stopped while starting', { signal });
    leave(exitCodes.done);
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  return { [Symbol.dispose]: () => process.off('SIGTERM', onSignal).off('SIGINT', onSignal) };
}

async function drain({ log, announce, prestopDelayMs, stop, limitSeconds }: Stopping): Promise<void> {
  announce();
  await delay(prestopDelayMs);
  const startedAt = performance.now();
  const isLate = (): boolean => performance.now() - startedAt >= limitSeconds * 1_000;
  // At the limit, services tell their callers that the work was given up; that takes a moment more.
  const patienceMs = limitSeconds * 1_000 + farewellMs;
  setTimeout(() => exitNow(log, 'Work in flight did not finish in time', { limitSeconds }), patienceMs).unref();
  try {
    await stop();
    if (isLate()) exitNow(log, 'Work in flight did not finish in time', { limitSeconds });
    log.info('Stopped');
    leave(exitCodes.done);
  } catch (error) {
    exitNow(log, 'Stopping failed', { error });
  }
}

function exitNow(log: Logger, words: string, fields: object): never {
  log.error(words, fields);
  leave(exitCodes.failed);
}

const hangMs = 10_000;

/**
 * Exits, and for certain. A thread in native code may hang while it is torn down, when no line of ours runs any more: then the process is
 * killed by another one, which ends with it otherwise.
 */
export function leave(code: number, hangMsMax = hangMs): never {
  const stdio = ['ignore', 'ignore', 'inherit'] as const;
  const args = ['-e', killHung, String(process.pid), String(hangMsMax)];
  spawn(process.execPath, args, { stdio: [...stdio], env: {}, detached: true }).on('error', () => undefined);
  process.exit(code);
}

/** While its parent is the one that started it, that one is still there: an id that another process has now is no risk. */
const killHung = `
  const [parent, hangMs] = process.argv.slice(1).map(Number);
  const isThere = () => process.ppid === parent;
  setInterval(() => isThere() || process.exit(), 50);
  setTimeout(() => {
    if (!isThere()) return;
    console.error('parley: the process did not end within ' + hangMs + ' ms of its exit, and is killed');
    process.kill(parent, 'SIGKILL');
  }, hangMs)`;

/** An uncaught error leaves the process in an unknown state: it is logged once, and the supervisor restarts it. */
export function exitOnUncaught(log: Logger): void {
  const crash = (kind: string) => (error: unknown) => {
    log.error('The process exits after an uncaught error', { kind, error });
    leave(exitCodes.failed);
  };
  process.once('uncaughtException', crash('exception'));
  process.once('unhandledRejection', crash('rejection'));
}

/** Exit codes that tell a supervisor why a process ended. 78 is EX_CONFIG: restarting would not help. */
export const exitCodes = { done: 0, failed: 1, misconfigured: 78 } as const;

/** One line for the operator where no log exists yet or any more. */
export function lastWords(name: string, words: string): void {
  process.stderr.write(`parley ${name}: ${scrubText(words).replaceAll(/\s*\n\s*/g, ' ')}\n`);
}

/** What to tell of an error in one line; refused connections to several addresses have no message of their own. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return error.message || (code ?? error.name);
}

const resolutionMs = 10;
const windowMs = 10_000;
const followMs = 1_000;
/** Of an idle loop: each look wakes its process, and there are as many as services. */
const followIdleMs = 5_000;
/** A loop that is free for the rest of the time is late for one turn in a hundred by a few milliseconds at most. */
const busyShare = 0.05;
const nanosecondsPerSecond = 1e9;

/**
 * Watches event loop delay and resident memory. Warns when one turn in a hundred is late. Measuring delay wakes the process a
 * hundred times a second, most of what an idle one does, so an idle loop is not measured.
 */
export class EventLoopWatch implements Disposable {
  private readonly delay = monitorEventLoopDelay({ resolution: resolutionMs });
  private readonly looking: NodeJS.Timeout;
  private following: NodeJS.Timeout | undefined;
  private seen = performance.eventLoopUtilization();

  constructor(
    private readonly log: Logger,
    private readonly warningMs: number,
    private readonly everyMs: number = windowMs,
  ) {
    this.delay.enable();
    this.followIn(followMs);
    this.looking = setInterval(() => this.look(), everyMs).unref();
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
    clearTimeout(this.following);
    clearInterval(this.looking);
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
    this.followIn(utilization >= busyShare ? followMs : followIdleMs);
  }

  private followIn(ms: number): void {
    this.following = setTimeout(() => this.follow(), Math.min(ms, this.everyMs)).unref();
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
