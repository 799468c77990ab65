import { type DynamicModule, type INestApplicationContext, Module, type Type } from '@nestjs/common';
import { Fault, type ServiceName } from '@parley/contracts';
import {
  type ConnectionLimits,
  Database,
  DatabaseModule,
  migrateSchema,
  OutboxModule,
  OutboxPublisher,
  type SchemaConnection,
  type SchemaDefinition,
} from '@parley/database';
import type { Backlog, BusServer, Transport } from '@parley/messaging';
import { within } from '@parley/ports';
import type { z } from 'zod';
import { type AdminServer, type HealthCheck, ServiceHealth } from '../admin/admin-server';
import { ConfigurationError, type Environment, hostRefused, loadConfiguration } from '../configuration/load-configuration';
import { PoolVariables, ProcessVariables } from '../configuration/variables';
import { Logger, runWithLog } from '../logging/logger';
import { type Metrics, RequestMeter, ServiceMetrics } from '../metrics/metrics';
import { KeptOfDeleted, OrganizationRemoval } from './organization-removal';
import { messagingFor } from './connect-nats';
import { Lifetime, RegularTasks } from './lifetime';
import { type PublicServer, type OpenApplication, openHttpApplication, openMicroservice } from './open-application';

/**
 * A service as both hosts see it: `runService` gives it a process of its own, `all-in-one` runs it alongside the others. It does
 * not depend on how messages are carried or where Postgres is.
 */
export interface ServiceDefinition<Config extends z.ZodObject = z.ZodObject> {
  readonly name: ServiceName;
  /** Its environment variables, in addition to the common ones. */
  readonly config: Config;
  /** Its Postgres schema; absent for a stateless service. */
  readonly database?: SchemaDefinition;
  /** A standby of its Postgres, for a service whose readers may see changes a moment later. */
  standbyUrl?(config: z.output<Config>): string | undefined;
  /**
   * The root module. Logger, ServiceBus, Lifetime and, with a schema, DataSource, TenantScope and Outbox are provided globally.
   */
  module(config: z.output<Config>): Type | DynamicModule;
  readonly http?: PublicServer<z.output<Config>>;
}

/** What a service needs from its host, which opens these and closes them after the service. */
export interface Host {
  readonly environment: Environment;
  readonly transport: Transport;
  /** Needed only by a service with a schema. */
  readonly databaseUrl?: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly adminServer?: AdminServer;
}

/** A running service. */
export interface RunningService {
  readonly name: string;
  readonly health: ServiceHealth;
  /** The port of its public HTTP server, if it has one. */
  readonly httpPort: number | undefined;
  /** Turns readiness off and keeps working, so that callers can move elsewhere first. */
  announceStop(): void;
  /** Accepts nothing new, finishes work in progress, closes. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts one service in this process: reads its variables, migrates its schema, listens. Throws ConfigurationError if a variable
 * is wrong; leaves nothing open when it throws.
 */
export function startService<Config extends z.ZodObject>(
  definition: ServiceDefinition<Config>,
  host: Host,
): Promise<RunningService> {
  const log = host.logger.with({ service: definition.name });
  return runWithLog(log, () => start(definition, host, log));
}

async function start<Config extends z.ZodObject>(
  definition: ServiceDefinition<Config>,
  host: Host,
  log: Logger,
): Promise<RunningService> {
  const config = loadConfiguration(definition.config, host.environment);
  const checks: Record<string, HealthCheck> = { messaging: () => hears(host.transport) };
  const health = new ServiceHealth(definition.name, checks);
  host.adminServer?.show(health);
  const lifetime = new ServiceLifetime();
  try {
    if (definition.database && host.databaseUrl)
      await migrate(definition.database, { url: host.databaseUrl, ...poolOf(host) }, log);
    const application = await open(definition, config, { host, log, lifetime, health }).catch((error: unknown) => {
      const { http } = definition;
      throw (http && hostRefused({ variable: http.hostVariable, host: http.host(config) }, error)) ?? error;
    });
    if (definition.database) {
      checks.database = databaseCheck(application.context);
      watchDatabase(application.context, definition.name, host.metrics);
    }
    watchReach(host.metrics, health, checks);
    health.isStarted = true;
    log.info('Service started', { httpPort: application.httpPort });
    return running({ host, log, lifetime, health, application });
  } catch (error) {
    host.adminServer?.hide(health);
    throw error;
  }
}

/** Also shown by a process that waits for NATS before its service starts. */
export const messagingReach = { name: 'parley_messaging_reachable', help: '1 while NATS delivers to this service, otherwise 0.' };

/** Shorter than a scrape waits for a reading: a store that hangs has to be seen as one that is away. */
const reachMs = 1_500;

/** Exports what readiness looks at, since all replicas may lose a store at once and none of them be down. */
function watchReach(metrics: Metrics, health: ServiceHealth, checks: Readonly<Record<string, HealthCheck>>): void {
  const { name: service } = health;
  const read = (check: string) => async (): Promise<number> =>
    Number(
      await within(
        reachMs,
        health.readiness().then((readiness) => readiness.checks[check] === true),
        () => false,
      ),
    );
  metrics.watch({ service, ...messagingReach, read: read('messaging') });
  if (!checks['database']) return;
  metrics.watch({
    service,
    name: 'parley_database_reachable',
    help: '1 while Postgres answers this service, otherwise 0.',
    read: read('database'),
  });
}

/** A service whose requests the broker does not deliver must get none, and a rolling update must stop at it. */
function hears(transport: Transport): boolean {
  return transport.status() === 'connected' && !transport.lacksSubscriptions?.();
}

interface StartPlace {
  readonly host: Host;
  readonly log: Logger;
  readonly health: ServiceHealth;
  readonly lifetime: ServiceLifetime;
}

function open<Config extends z.ZodObject>(
  definition: ServiceDefinition<Config>,
  config: z.output<Config>,
  { host, log, lifetime, health }: StartPlace,
): Promise<OpenApplication> {
  const meter = host.metrics.meterOf(definition.name);
  const drainMs = drainMsOf(host);
  const { module: messaging, messages } = messagingFor(definition.name, host.transport, { log, meter, drainMs });
  watchBacklog(host.metrics, definition.name, messages.strategy);
  const metrics = host.metrics.metricsOf(definition.name);
  const surroundings = { log, meter, metrics, lifetime, messaging, databaseUrl: host.databaseUrl, pool: poolOf(host) };
  const module = rootModule(definition, config, surroundings);
  const opening = { module, messages, log, meter, isStopping: () => health.isDraining };
  return definition.http ? openHttpApplication(opening, definition.http, config) : openMicroservice(opening);
}

function drainMsOf({ environment }: Host): number {
  return loadConfiguration(ProcessVariables.pick({ DRAIN_SECONDS: true }), environment).DRAIN_SECONDS * 1_000;
}

/** A stuck consumer processes nothing and so counts nothing; therefore its backlog is measured. */
function watchBacklog(metrics: Metrics, service: ServiceName, server: BusServer): void {
  let asked: Promise<Backlog> | undefined;
  const backlog = () => (asked ??= server.backlog().finally(() => (asked = undefined)));
  metrics.watch({
    service,
    name: 'parley_events_waiting',
    help: 'Events that this service has still to deal with, those in work included.',
    read: async () => (await backlog()).events,
  });
  metrics.watch({
    service,
    name: 'parley_events_stuck_seconds',
    help: 'How long the oldest waiting event of a consumer has been the oldest, as far as scrapes have seen.',
    read: async () => (await backlog()).stuckMs / 1_000,
  });
}

/** The database settings in the host's environment. */
function poolOf({ environment }: Host): ConnectionLimits {
  const { DATABASE_POOL_MAX: poolMax, DATABASE_POOLING: pooling } = loadConfiguration(PoolVariables, environment);
  return { poolMax, pooling };
}

async function migrate(schema: SchemaDefinition, connection: SchemaConnection, log: Logger): Promise<void> {
  const migrations = await migrateSchema(schema, connection.url, connection.pooling).catch((error: unknown) => {
    throw refusedByPostgres(error, connection.url) ?? error;
  });
  if (migrations.length > 0) log.info('Schema migrated', { schema: schema.schema, migrations });
}

/** The codes with which Postgres refuses an unknown user, password or database. */
const refusals = new Set(['28000', '28P01', '3D000']);

function refusedByPostgres(error: unknown, url: string): ConfigurationError | undefined {
  if (!(error instanceof Error) || !('code' in error) || !refusals.has(String(error.code))) return undefined;
  const { host, pathname } = new URL(url);
  return new ConfigurationError(`DATABASE_URL is refused by ${host}${pathname}: ${error.message}`);
}

interface Started extends StartPlace {
  readonly application: OpenApplication;
}

function running({ host, log, lifetime, health, application }: Started): RunningService {
  let stopped: Promise<void> | undefined;
  const announceStop = (): void => {
    health.isDraining = true;
  };
  const stop = async (): Promise<void> => {
    announceStop();
    lifetime.drain(drainMsOf(host));
    await application.close();
    host.metrics.unwatch(health.name);
    host.adminServer?.hide(health);
    log.info('Service stopped');
  };
  return {
    name: health.name,
    health,
    httpPort: application.httpPort,
    announceStop,
    stop: () => (stopped ??= runWithLog(log, stop)),
  };
}

@Module({})
class ServiceRoot {}

interface ServiceSurroundings {
  readonly log: Logger;
  readonly meter: RequestMeter;
  readonly metrics: ServiceMetrics;
  readonly lifetime: Lifetime;
  readonly messaging: DynamicModule;
  readonly databaseUrl: string | undefined;
  readonly pool: ConnectionLimits;
}

/** The service's own module, together with everything that it may inject without importing. */
function rootModule<Config extends z.ZodObject>(
  definition: ServiceDefinition<Config>,
  config: z.output<Config>,
  { log, meter, metrics, lifetime, messaging, databaseUrl, pool }: ServiceSurroundings,
): DynamicModule {
  const { database } = definition;
  if (database && databaseUrl === undefined) throw new TypeError(`${definition.name} has a schema but its host has no database`);
  const readUrl = definition.standbyUrl?.(config);
  const stored =
    database && databaseUrl ? [DatabaseModule.forSchema(database, { url: databaseUrl, readUrl, ...pool }), OutboxModule] : [];
  return {
    module: ServiceRoot,
    global: true,
    imports: [messaging, ...stored, definition.module(config)],
    providers: [
      { provide: Logger, useValue: log },
      { provide: RequestMeter, useValue: meter },
      { provide: ServiceMetrics, useValue: metrics },
      { provide: Lifetime, useValue: lifetime },
      RegularTasks,
      ...(database
        ? [{ provide: KeptOfDeleted, useValue: new KeptOfDeleted(database.keptOfDeleted ?? []) }, OrganizationRemoval]
        : []),
    ],
    exports: [
      ...[Logger, RequestMeter, ServiceMetrics, Lifetime, RegularTasks],
      ...(database ? [OutboxModule, OrganizationRemoval] : []),
    ],
  };
}

/** Exports metrics of a service's connections and its unsent events. */
function watchDatabase(application: INestApplicationContext, service: string, metrics: Metrics): void {
  const publisher = application.get(OutboxPublisher, { strict: false });
  const database = application.get(Database, { strict: false });
  // Read before the numbers of events, which a scrape asks Postgres for: it must not count its own questions as waiting callers.
  metrics.watch({
    service,
    name: 'parley_pool_waiting',
    help: 'Callers that wait because every Postgres connection they may use is busy.',
    read: () => database.connections().waiting,
  });
  metrics.watch({
    service,
    name: 'parley_pool_connections',
    help: 'Open Postgres connections.',
    read: () => database.connections().open,
  });
  metrics.watch({
    service,
    name: 'parley_pool_idle',
    help: 'Open Postgres connections without work.',
    read: () => database.connections().idle,
  });
  metrics.watch({
    service,
    name: 'parley_outbox_pending',
    help: 'Events that the broker does not have yet.',
    read: () => publisher.pending(),
  });
  metrics.watch({
    service,
    name: 'parley_outbox_oldest_seconds',
    help: 'How long the oldest of these events has waited.',
    read: () => publisher.oldestWaitSeconds(),
  });
  metrics.watch({
    service,
    name: 'parley_outbox_dead',
    help: 'Events put aside because only they failed; they stand in dead_events.',
    read: () => publisher.dead(),
  });
}

/** Whether Postgres answers. */
function databaseCheck(application: INestApplicationContext): HealthCheck {
  const database = application.get(Database, { strict: false });
  return () => database.isReady();
}

/** The lifetime, which ends when the service is stopped. */
class ServiceLifetime extends Lifetime {
  private readonly ending = new AbortController();
  private readonly late = new AbortController();
  readonly draining = this.ending.signal;
  readonly overdue = this.late.signal;

  drain(limitMs: number): void {
    if (this.ending.signal.aborted) return;
    this.ending.abort();
    const end = (): void => this.late.abort(new Fault('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1 }));
    setTimeout(end, limitMs).unref();
  }
}
