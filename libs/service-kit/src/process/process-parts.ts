import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { AdminServer } from '../admin/admin-server';
import { hostRefused } from '../configuration/load-configuration';
import type { ProcessVariables } from '../configuration/variables';
import { createLogger, type Logger, scrubText } from '../logging/logger';
import { Metrics } from '../metrics/metrics';
import { MetricsSender } from '../telemetry/send-metrics';
import { startTelemetry } from '../telemetry/telemetry';

/** What exists once per process, however many services run in it. */
export interface ProcessParts {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly adminServer: AdminServer;
  readonly adminPort: number;
  /** Called last: sends what telemetry has buffered and closes the admin server. */
  close(): Promise<void>;
}

/** Sets up log, telemetry, metrics and the admin server. Call it before any service starts, so that the start is observed too. */
export async function openProcess(name: string, variables: ProcessVariables): Promise<ProcessParts> {
  disablePretenuring();
  delayFullCollections();
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
  const host = variables.ADMIN_HOST;
  const adminPort = await adminServer.listen(host, variables.ADMIN_PORT).catch((error: unknown) => {
    throw hostRefused({ variable: 'ADMIN_HOST', host }, error) ?? error;
  });
  const close = async (): Promise<void> => {
    watch[Symbol.dispose]();
    await Promise.all([telemetry.stop(), sender.stop(), adminServer.close()]);
  };
  return { logger, metrics, adminServer, adminPort, close };
}

/**
 * V8 allocates objects directly in the old generation if most of their kind survived a minor collection, as is the case for
 * requests waiting for an answer. What they refer to, such as whole requests, is then kept until a full collection.
 */
function disablePretenuring(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/**
 * Lets the heap double before V8 marks all of it again. By default a tenth more is enough in a process that allocates little that
 * lives long: while it carries calls, whose sound is kept outside of the heap but counted, it marked 90 MB every seven seconds.
 */
function delayFullCollections(): void {
  setFlagsFromString('--heap-growing-percent=100');
}

const prestopDelayMs = { production: 3_000, development: 0 };

/** How long a stopping process still accepts work, so that load balancers can notice. */
export function prestopDelayOf(variables: ProcessVariables): number {
  return variables.PRESTOP_DELAY ?? prestopDelayMs[variables.PARLEY_ENVIRONMENT];
}

const abortNoticeMs = 1_000;

interface Stopping {
  readonly log: Logger;
  /** Turns readiness off; work still arrives until load balancers notice. */
  readonly announce: () => void;
  readonly prestopDelayMs: number;
  /** Finishes work in progress and closes everything. */
  readonly stop: () => Promise<void>;
  readonly limitSeconds: number;
}

/** A signal to the whole process group arrives twice: from the sender, and passed on by the npm script that started us. */
const echoMs = 500;

/**
 * From now on SIGTERM and SIGINT end the process: with exit code 0 if all work finished, or 1 if it did not within the limit or a
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
  // A supervisor that dies closes its end of the IPC channel. Stop now, since nobody could stop us later.
  process.once('disconnect', () => onSignal('SIGTERM'));
}

/** Until disposed, a signal ends the process at once: during the start nothing is in progress. */
export function exitOnSignalWhileStarting(log: Logger): Disposable {
  const onSignal = (signal: NodeJS.Signals): void => {
    log.info('Stopped while starting', { signal });
    exitForCertain(exitCodes.done);
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  return { [Symbol.dispose]: () => process.off('SIGTERM', onSignal).off('SIGINT', onSignal) };
}

async function drain({ log, announce, prestopDelayMs, stop, limitSeconds }: Stopping): Promise<void> {
  announce();
  await delay(prestopDelayMs);
  const startedAt = performance.now();
  const isLate = (): boolean => performance.now() - startedAt >= limitSeconds * 1_000;
  // At the limit, services tell their callers that the work was aborted, which takes a moment longer.
  const patienceMs = limitSeconds * 1_000 + abortNoticeMs;
  setTimeout(() => exitNow(log, 'Work in flight did not finish in time', { limitSeconds }), patienceMs).unref();
  try {
    await stop();
    if (isLate()) exitNow(log, 'Work in flight did not finish in time', { limitSeconds });
    log.info('Stopped');
    exitForCertain(exitCodes.done);
  } catch (error) {
    exitNow(log, 'Stopping failed', { error });
  }
}

function exitNow(log: Logger, words: string, fields: object): never {
  log.error(words, fields);
  exitForCertain(exitCodes.failed);
}

const hangMs = 10_000;

/**
 * Exits without fail. A thread in native code may hang during teardown, when none of our code runs any more: then a second
 * process, which otherwise ends with this one, kills it.
 */
export function exitForCertain(code: number, hangMsMax = hangMs): never {
  const stdio = ['ignore', 'ignore', 'inherit'] as const;
  const args = ['-e', killHung, String(process.pid), String(hangMsMax)];
  spawn(process.execPath, args, { stdio: [...stdio], env: {}, detached: true }).on('error', () => undefined);
  process.exit(code);
}

/** As long as our parent is the process that started us, that process still exists, so its id cannot belong to another. */
const killHung = `
  const [parent, hangMs] = process.argv.slice(1).map(Number);
  const isThere = () => process.ppid === parent;
  setInterval(() => isThere() || process.exit(), 50);
  setTimeout(() => {
    if (!isThere()) return;
    console.error('parley: the process did not end within ' + hangMs + ' ms of its exit, and is killed');
    process.kill(parent, 'SIGKILL');
  }, hangMs)`;

/** An uncaught error leaves the process in an unknown state: it is logged once, and the supervisor restarts the process. */
export function exitOnUncaught(log: Logger): void {
  const crash = (kind: string) => (error: unknown) => {
    log.error('The process exits after an uncaught error', { kind, error });
    exitForCertain(exitCodes.failed);
  };
  process.once('uncaughtException', crash('exception'));
  process.once('unhandledRejection', crash('rejection'));
}

/** Exit codes that tell a supervisor why a process ended. 78 is EX_CONFIG: restarting would not help. */
export const exitCodes = { done: 0, failed: 1, misconfigured: 78 } as const;

/** Prints one line for the operator when there is no log yet or any more. */
export function lastWords(name: string, words: string): void {
  process.stderr.write(`parley ${name}: ${scrubText(words).replaceAll(/\s*\n\s*/g, ' ')}\n`);
}

/** An error in one line; refused connections to several addresses have no message of their own. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return error.message || (code ?? error.name);
}

const resolutionMs = 10;
const windowMs = 10_000;
const followMs = 1_000;
/** The interval while the loop is idle: each check wakes the process, and there are as many processes as services. */
const followIdleMs = 10_000;
/** A loop that is idle the rest of the time is late by a few milliseconds at most, in one turn out of a hundred. */
const busyShare = 0.05;
const nanosecondsPerSecond = 1e9;

/**
 * Measures event loop delay and resident memory, and warns if one turn in a hundred is late. Measuring the delay wakes the
 * process a hundred times a second, which is most of what an idle one does, so an idle loop is not measured.
 */
export class EventLoopWatch implements Disposable {
  private readonly delay = monitorEventLoopDelay({ resolution: resolutionMs });
  private isMeasuring = true;
  private lookedAtMs = performance.now();
  private following: NodeJS.Timeout | undefined;
  private seen = performance.eventLoopUtilization();

  constructor(
    private readonly log: Logger,
    private readonly warningMs: number,
    private readonly everyMs: number = windowMs,
  ) {
    this.delay.enable();
    this.followIn(followMs);
  }

  /** Exports the measurements as metrics. */
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
    this.delay.disable();
  }

  private p99Seconds(): number {
    // The monitor measures from tick to tick, so for an idle loop it shows its own resolution.
    return Math.max(0, this.delay.percentile(99) / nanosecondsPerSecond - resolutionMs / 1_000);
  }

  /** Starts measuring when the loop has work, and stops when it has none. */
  private follow(): void {
    const before = this.seen;
    this.seen = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(this.seen, before);
    // An idle loop is looked at as well, since the metric would keep what was measured last.
    if (!this.isMeasuring || performance.now() - this.lookedAtMs >= this.everyMs) this.look();
    this.isMeasuring = utilization >= busyShare;
    if (this.isMeasuring) this.delay.enable();
    else this.delay.disable();
    this.followIn(this.isMeasuring ? followMs : followIdleMs);
  }

  private followIn(ms: number): void {
    this.following = setTimeout(() => this.follow(), Math.min(ms, this.everyMs)).unref();
  }

  private look(): void {
    this.lookedAtMs = performance.now();
    const delayMs = Math.round(this.p99Seconds() * 1_000);
    this.delay.reset();
    if (delayMs > this.warningMs) this.log.warn('The event loop is late', { delayMs, thresholdMs: this.warningMs });
  }
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
