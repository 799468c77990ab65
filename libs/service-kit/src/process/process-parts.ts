import { randomUUID } from 'node:crypto';
import { AdminServer } from '../admin/admin-server';
import type { ProcessVariables } from '../configuration/platform-variables';
import { createLogger } from '../logging/create-logger';
import type { Logger } from '../logging/logger';
import { EventLoopWatch } from '../metrics/event-loop-watch';
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

const prestopDelayMs = { production: 3_000, development: 0 };

/** How long a stopping process still takes work, so that load balancers can learn that it goes. */
export function prestopDelayOf(variables: ProcessVariables): number {
  return variables.PRESTOP_DELAY ?? prestopDelayMs[variables.PARLEY_ENVIRONMENT];
}
