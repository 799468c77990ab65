// `npm run rebuild -- dashboards [--check]`: recomputes figures from the facts while the platform runs, or reports differences.
import { parseArgs } from 'node:util';
import { connectionOptions, runningPostgresUrl, TenantScope } from '@parley/database';
import {
  ConfigurationError,
  DatabaseVariables,
  exitCodes,
  lastWords,
  loadConfiguration,
  processEnvironment,
  variableText,
} from '@parley/service-kit';
import { DataSource } from 'typeorm';
import { dashboardsSchema } from '../database/schema';
import { factTables } from '../facts/facts';
import { Rebuilding } from './rebuilding';

/** The given database, or else that of the installation running on this machine. */
const RebuildVariables = DatabaseVariables.partial().extend({ PARLEY_HOME: variableText().default('.parley') });

/** Two parts at a time, each on its own connection, and one connection to find the next part. */
const poolMax = 3;
/** One transaction covers several days of facts. */
const statementTimeoutMs = 300_000;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
  const { DATABASE_URL, PARLEY_HOME } = loadConfiguration(RebuildVariables, processEnvironment());
  const url = DATABASE_URL ?? (await runningPostgresUrl(PARLEY_HOME));
  if (!url) throw new ConfigurationError(`no platform runs in ${PARLEY_HOME}: start it, or set DATABASE_URL`);
  const source = await new DataSource(connectionOptions(dashboardsSchema, { url, poolMax, statementTimeoutMs })).initialize();
  try {
    process.exitCode = await rebuild(new Rebuilding(source, new TenantScope(source), values.check), values.check);
  } finally {
    await source.destroy();
  }
}

async function rebuild(rebuilding: Rebuilding, isCheck: boolean): Promise<number> {
  let differing = 0;
  for (const table of factTables) {
    const startedMs = performance.now();
    let [facts, wrong] = [0, 0];
    for await (const found of rebuilding.run(table)) {
      facts += found.facts;
      wrong += found.differing;
    }
    differing += wrong;
    const seconds = (performance.now() - startedMs) / 1000;
    const outcome = isCheck ? `${wrong} rows differ` : `${wrong} rows put right`;
    process.stdout.write(`${table.name}: ${facts} facts in ${seconds.toFixed(1)} s, ${outcome}\n`);
  }
  return isCheck && differing > 0 ? 1 : 0;
}

main().catch((error: unknown) => {
  lastWords('rebuild', error instanceof Error ? error.message : String(error));
  process.exitCode = error instanceof ConfigurationError ? exitCodes.misconfigured : exitCodes.failed;
});
