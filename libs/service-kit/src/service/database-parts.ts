import type { INestApplicationContext } from '@nestjs/common';
import { Database, OutboxRelay } from '@parley/database';
import { DataSource } from 'typeorm';
import { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { z } from 'zod';
import type { HealthCheck } from '../admin/service-health';
import type { Metrics } from '../metrics/metrics';

const Pool = z.object({ totalCount: z.number(), idleCount: z.number(), waitingCount: z.number() });

/** Puts a service's connections and its unsent events on `/metrics`. */
export function watchDatabase(application: INestApplicationContext, service: string, metrics: Metrics): void {
  const relay = application.get(OutboxRelay, { strict: false });
  const { driver } = application.get(DataSource, { strict: false });
  const pool = () => Pool.parse(driver instanceof PostgresDriver ? driver.master : undefined);
  metrics.watch({
    service,
    name: 'parley_outbox_pending',
    help: 'Events that the broker does not have yet.',
    read: () => relay.pending(),
  });
  metrics.watch({
    service,
    name: 'parley_outbox_dead',
    help: 'Events put aside because only they failed; they stand in dead_events.',
    read: () => relay.dead(),
  });
  metrics.watch({ service, name: 'parley_pool_connections', help: 'Open Postgres connections.', read: () => pool().totalCount });
  metrics.watch({
    service,
    name: 'parley_pool_idle',
    help: 'Open Postgres connections without work.',
    read: () => pool().idleCount,
  });
  metrics.watch({
    service,
    name: 'parley_pool_waiting',
    help: 'Callers that wait for a Postgres connection.',
    read: () => pool().waitingCount,
  });
}

/** Whether Postgres answers. */
export function databaseCheck(application: INestApplicationContext): HealthCheck {
  const database = application.get(Database, { strict: false });
  return () => database.isReady();
}
