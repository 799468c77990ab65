import { z } from 'zod';
import { choice, duration, flag, fraction, integer, port, text, url } from './variables';

/** What one process decides for everything in it: logs, telemetry, the admin door, the way it stops. */
export const ProcessVariables = z.object({
  PARLEY_ENVIRONMENT: choice(['development', 'production']).default('production').meta({
    description: 'In development logs are readable text and nothing waits for a load balancer when stopping.',
    example: 'development',
  }),
  PARLEY_LOG_LEVEL: choice(['debug', 'info', 'warn', 'error', 'silent']).default('info').meta({
    description: 'The quietest line that is still written.',
    example: 'debug',
  }),
  PARLEY_LOG_PII: flag().default(false).meta({
    description: 'Writes what people said, their numbers and prompts into the log. For debugging on your own machine only.',
    example: 'false',
  }),
  ADMIN_HOST: text().default('127.0.0.1').meta({
    description: 'The address on which health and metrics are served. Containers set 0.0.0.0; it must not be public.',
    example: '0.0.0.0',
  }),
  ADMIN_PORT: port().default(9090).meta({ description: 'The port of /health/* and /metrics.', example: '9090' }),
  PRESTOP_DELAY: duration().optional().meta({
    description:
      'How long a stopping process still takes work while load balancers learn of it. In production 3s, in development 0s.',
    example: '3s',
  }),
  DRAIN_SECONDS: integer({ min: 1, max: 3_600 }).default(25).meta({
    description: 'How long work in flight may take to finish before a stopping process gives up and exits with 1.',
    example: '25',
  }),
  EVENT_LOOP_WARNING_MS: integer({ min: 1, max: 60_000 }).default(100).meta({
    description: 'A warning is logged when one in a hundred turns of the event loop is later than this many milliseconds.',
    example: '100',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: url('http', 'https').optional().meta({
    description: 'An OpenTelemetry collector (OTLP over HTTP). Without it no telemetry code is even loaded.',
    example: 'http://collector:4318',
  }),
  OTEL_METRIC_EXPORT_INTERVAL: integer({ min: 1_000, max: 3_600_000 }).default(60_000).meta({
    description: 'How often, in milliseconds, the figures of /metrics are also sent to the collector.',
    example: '60000',
  }),
  OTEL_TRACES_SAMPLER_ARG: fraction().default(1).meta({
    description: 'The share of requests that are traced. A caller that sent a traceparent has decided for itself.',
    example: '0.1',
  }),
});
export type ProcessVariables = z.output<typeof ProcessVariables>;

/** Where the parts of the platform meet, for a service in a process of its own. */
export const ConnectionVariables = z.object({
  NATS_URL: url('nats', 'tls').meta({ description: 'The NATS server or cluster.', example: 'nats://127.0.0.1:4222' }),
  EVENT_REPLICAS: integer({ min: 1, max: 5 }).default(1).meta({
    description: 'Copies that NATS keeps of every event: 1 on a single server, 3 on a cluster.',
    example: '3',
  }),
});

/** Asked only of services that keep something. */
export const DatabaseVariables = z.object({
  DATABASE_URL: url('postgres', 'postgresql').meta({
    description: 'The Postgres database; every service has a schema of its own in it.',
    example: 'postgres://parley:parley@127.0.0.1:5432/parley',
    secret: true,
  }),
});
