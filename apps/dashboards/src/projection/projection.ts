import { Injectable } from '@nestjs/common';
import { Coalescer, prepared, type Statement, TenantScope } from '@parley/database';
import { type Metric, ServiceMetrics } from '@parley/service-kit';
import { DataSource, type EntityManager } from 'typeorm';
import {
  columnsOf,
  contributionOf,
  dayOf,
  type NewFact,
  type FactTable,
  type FigureTable,
  keysOf,
  packedRows,
  quarterOf,
  version,
} from '../facts/fact-table';
import { FactRetention, monthOf, openMonth } from './retention';

const limits = { batchMax: 1_000, waitingMax: 20_000 };
/** Shorter than a consumer's deadline for an event, so that the reason is reported. */
const patienceMs = 20_000;

const lag: Metric<'facts'> = {
  name: 'parley_dashboards_lag_seconds',
  help: 'Time from when a fact was reported to when figures include it.',
  labels: ['facts'],
};
const ignored: Metric<'facts' | 'reason'> = {
  name: 'parley_dashboards_facts_ignored_total',
  help: 'Facts that came after their month was dropped, or lie in the future.',
  labels: ['facts', 'reason'],
};

/** Characters that Postgres cannot store: NUL and lone surrogates. After an escaped backslash they are plain text. */
const notStorable = /\\\\|\\u(?:0000|d[89a-f][\da-f]{2})/g;

/** Most batches contain no backslash and need no scan. */
const storable = (json: string): string =>
  json.includes('\\') ? json.replace(notStorable, (found) => (found === '\\\\' ? found : '\ufffd')) : json;

interface ProjectionOutcome {
  readonly sealed: number;
  readonly hasLost: boolean;
}

/** Stores facts and updates the figures, in one transaction. */
@Injectable()
export class Projection {
  private readonly lanes = new Map<string, Coalescer<NewFact, void>>();
  private readonly openMonths = new Set<string>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly tenants: TenantScope,
    private readonly retention: FactRetention,
    private readonly metrics: ServiceMetrics,
  ) {}

  /** Resolves once the fact is committed, together with those that arrived meanwhile. */
  take(table: FactTable, fact: NewFact): Promise<void> {
    let lane = this.lanes.get(table.name);
    if (!lane) {
      lane = new Coalescer<NewFact, void>((facts) => this.flush(table, facts), limits);
      this.lanes.set(table.name, lane);
    }
    return lane.submit(fact, patienceMs);
  }

  /** Stores a batch together with other work in the same transaction; if that work throws, nothing of the batch is stored. */
  async takeBatch(table: FactTable, facts: readonly NewFact[], also: (manager: EntityManager) => Promise<void>): Promise<void> {
    const timely = this.timely(table, facts);
    await this.openMonthsOf(table, timely);
    // All statements are sent at once and run in order, so that a batch waits for one round trip and its commit.
    const outcome = await this.tenants.acrossTenants('a batch holds facts of every organization', async (manager) => {
      const [, projected] = await Promise.all([also(manager), project(manager, table, timely)]);
      return projected;
    });
    this.report(table, timely, outcome);
  }

  private async flush(table: FactTable, facts: NewFact[]): Promise<void[]> {
    await this.takeBatch(table, facts, async (manager) => {
      await prepared(manager, checkpointOf(table, facts));
    });
    return facts.map(() => undefined);
  }

  private timely(table: FactTable, facts: readonly NewFact[]): NewFact[] {
    const { from, to } = this.retention.span();
    return facts.filter((fact) => {
      const at = String(fact[table.at]);
      if (at < from) this.metrics.count(ignored, { facts: table.name, reason: 'old' });
      if (at >= to) this.metrics.count(ignored, { facts: table.name, reason: 'future' });
      return at >= from && at < to;
    });
  }

  private async openMonthsOf(table: FactTable, facts: readonly NewFact[]): Promise<void> {
    for (const month of new Set(facts.map((fact) => monthOf(String(fact[table.at]))))) {
      const name = `${table.name} ${month}`;
      if (this.openMonths.has(name)) continue;
      await openMonth(this.dataSource, table, month);
      this.openMonths.add(name);
    }
  }

  private report(table: FactTable, facts: readonly NewFact[], { sealed }: ProjectionOutcome): void {
    const now = Date.now();
    for (const { told_at } of facts) this.metrics.time(lag, { facts: table.name }, Math.max(0, now - Date.parse(told_at)) / 1000);
    if (sealed > 0) this.metrics.count(ignored, { facts: table.name, reason: 'old' }, sealed);
  }
}

async function project(manager: EntityManager, table: FactTable, facts: readonly NewFact[]): Promise<ProjectionOutcome> {
  const nothing = { sealed: 0, hasLost: false };
  if (facts.length === 0) return nothing;
  const locked = prepared(manager, batchLock(table));
  const values = [storable(JSON.stringify(facts))];
  const projected = prepared<ProjectionOutcome>(manager, { name: `project-${table.name}`, text: statementOf(table), values });
  const [, [outcome = nothing]] = await Promise.all([locked, projected]);
  if (outcome.hasLost) for (const { name, text } of clearingStatements(table)) await prepared(manager, { name, text, values });
  return outcome;
}

const statements = new Map<string, string>();

function statementOf(table: FactTable): string {
  const statement = statements.get(table.name) ?? projectingStatement(table);
  statements.set(table.name, statement);
  return statement;
}

function checkpointOf({ name }: FactTable, facts: readonly NewFact[]) {
  const toldAt = facts.map(({ told_at }) => told_at).reduce((latest, each) => (each > latest ? each : latest));
  return {
    name: 'note-checkpoint',
    text: `INSERT INTO checkpoints (source, told_at) VALUES ($1, $2)
      ON CONFLICT (source) DO UPDATE SET told_at = greatest(checkpoints.told_at, excluded.told_at), applied_at = now()`,
    values: [name, toldAt],
  };
}

/**
 * Stores facts ($1, a JSON array of rows) and changes the figures by the difference between each fact's new and old state. An
 * unchanged fact changes nothing, so repetition does no harm and order does not matter. Returns how many facts were older than
 * the retention, and whether some figure has lost a fact.
 */
function projectingStatement(table: FactTable): string {
  const columns = columnsOf(table);
  const names = Object.keys(columns);
  const identity = ['org_id', table.at, table.key];
  const typed = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
  const isNewer = `(was_rank IS NULL OR (${version.join(', ')}) > (${version.map((name) => `was_${name}`).join(', ')}))`;
  const replaced = names.filter((name) => !identity.includes(name)).map((name) => `${name} = excluded.${name}`);
  return `
    WITH sealed AS MATERIALIZED (
      SELECT coalesce((SELECT before FROM sealed_facts WHERE name = '${table.name}'), '-infinity') AS before
    ), reported AS MATERIALIZED (
      SELECT * FROM json_to_recordset($1) AS (${typed.join(', ')})
    ), given AS MATERIALIZED (
      SELECT DISTINCT ON (${identity.join(', ')}) reported.* FROM reported, sealed WHERE ${table.at} >= sealed.before
      ORDER BY ${identity.join(', ')}, ${version.map((name) => `${name} DESC`).join(', ')}
    ), looked AS MATERIALIZED (
      SELECT given.*, ${names.map((name) => `was.${name} AS was_${name}`).join(', ')}
      FROM given LEFT JOIN LATERAL (
        SELECT * FROM ${table.name} stored WHERE ${identity.map((name) => `stored.${name} = given.${name}`).join(' AND ')} OFFSET 0
      ) was ON true
    ), after AS MATERIALIZED (
      SELECT ${names.join(', ')} FROM looked WHERE ${isNewer}
    ), before AS MATERIALIZED (
      SELECT ${names.map((name) => `was_${name} AS ${name}`).join(', ')} FROM looked WHERE ${isNewer} AND was_rank IS NOT NULL
    ), stored AS (
      INSERT INTO ${table.name} (${names.join(', ')}) SELECT ${names.join(', ')} FROM after
      ON CONFLICT (${identity.join(', ')}) DO UPDATE SET ${replaced.join(', ')}
    )${table.figures.map((figure) => changeOf(table, figure)).join('')}
    SELECT (SELECT count(*) FROM reported, sealed WHERE ${table.at} < sealed.before)::int AS sealed,
      ${table.figures.map(({ name, measures: [weight] }) => `EXISTS (SELECT FROM ${name}_change WHERE ${weight} < 0)`).join(' OR ')}
        AS "hasLost"`;
}

function changeOf(table: FactTable, figure: FigureTable): string {
  const { name, measures, packed } = figure;
  const keys = [...keysOf(figure, 'quarter'), ...(packed ? ['code'] : [])];
  const sums = measures.map((measure) => `sum(sign * ${measure})::bigint AS ${measure}`);
  return `, ${name}_change AS MATERIALIZED (
      SELECT ${[...keys, ...sums].join(', ')} FROM (
        SELECT 1 AS sign, now.* FROM (${contributionOf(table, figure, 'after')}) now
        UNION ALL
        SELECT -1, was.* FROM (${contributionOf(table, figure, 'before')}) was
      ) signed GROUP BY ${keys.join(', ')} HAVING ${measures.map((measure) => `sum(sign * ${measure}) <> 0`).join(' OR ')}
    )${addingTo(figure, name, 'quarter', `SELECT * FROM ${name}_change`)}${daysChangeOf(figure)}`;
}

/** The same changes as the quarters in this statement, summed by day. */
function daysChangeOf(figure: FigureTable): string {
  const { name, days, packed, measures } = figure;
  if (days === undefined) return '';
  const [, , ...dimensions] = [...keysOf(figure, 'quarter'), ...(packed ? ['code'] : [])];
  const sums = measures.map((measure) => `sum(${measure})::bigint AS ${measure}`);
  const counted = `SELECT org_id, ${dayOf('quarter')} AS day, ${[...dimensions, ...sums].join(', ')} FROM ${name}_change
    GROUP BY ${[1, 2, ...dimensions].join(', ')}`;
  return addingTo(figure, days, 'day', packed ? `${counted} HAVING sum(${measures.join(', ')}) <> 0` : counted);
}

function addingTo(figure: FigureTable, table: string, at: 'quarter' | 'day', rows: string): string {
  if (figure.packed) return packingInto(figure, table, at, rows);
  const { measures } = figure;
  const keys = keysOf(figure, at).join(', ');
  const added = measures.map((each) => `${each} = ${table}.${each} + excluded.${each}`);
  return `, ${table}_changed AS (
      INSERT INTO ${table} (${keys}, ${measures.join(', ')}) ${rows} ON CONFLICT (${keys}) DO UPDATE SET ${added.join(', ')}
    )`;
}

/** Adds counts to an existing row; a row without any left keeps empty arrays. */
function packingInto(figure: FigureTable, table: string, at: 'quarter' | 'day', rows: string): string {
  const keys = keysOf(figure, at);
  const coded = `SELECT ${keys.join(', ')}, code, ${figure.measures.join(', ')}::int AS n FROM (${rows}) change`;
  return `, ${table}_changed AS (
      INSERT INTO ${table} (${keys.join(', ')}, codes, counts) ${packedRows(keys, coded)}
      ON CONFLICT (${keys.join(', ')}) DO UPDATE SET (codes, counts) = (
        SELECT coalesce(array_agg(code ORDER BY code), '{}'), coalesce(array_agg(n ORDER BY code), '{}') FROM (
          SELECT code, sum(n)::int AS n FROM (
            SELECT * FROM unnest(${table}.codes, ${table}.counts) UNION ALL SELECT * FROM unnest(excluded.codes, excluded.counts)
          ) AS together (code, n) GROUP BY code HAVING sum(n) <> 0
        ) bins)
    )`;
}

/**
 * Delete the rows of figures that no fact contributes to any more, in the quarters and days of the given facts ($1, as above).
 */
function clearingStatements(table: FactTable): { name: string; text: string }[] {
  const clearing = (name: string, at: string, instant: string, isEmpty: string) => ({
    name: `clear-${name}`,
    text: `
      DELETE FROM ${name} USING (
        SELECT DISTINCT org_id, ${instant} AS ${at} FROM json_to_recordset($1) AS (org_id int, ${table.at} timestamptz)
      ) touched WHERE ${name}.org_id = touched.org_id AND ${name}.${at} = touched.${at} AND ${isEmpty}`,
  });
  return table.figures.flatMap(({ name, days, packed, measures: [weight] }) => {
    const isEmpty = packed ? `codes = '{}'` : `${weight} = 0`;
    return [
      clearing(name, 'quarter', quarterOf(table.at), isEmpty),
      ...(days ? [clearing(days, 'day', dayOf(table.at), isEmpty)] : []),
    ];
  });
}

/** Plans are made while tables are empty and kept when they hold millions of rows, so lookups by key must be forced. */
const byIndex = `set_config('enable_seqscan', 'off', true)`;

/** Only one batch per table at a time, over all replicas: two batches with the same new fact would both count it. */
function batchLock(table: FactTable): Statement {
  return {
    name: `lock-batch-${table.name}`,
    text: `SELECT ${byIndex}, ${countsDays}, pg_advisory_xact_lock(${batchOf(table)})`,
    values: [],
  };
}

const batchOf = ({ name }: FactTable): string => `hashtext('dashboards.batch.${name}')`;

/**
 * Keeps a rebuild's sorts and hashes in memory, and rules out joins by nested loop or by sorting, which are slow for thousands of
 * rows.
 */
const inMemory = `set_config('work_mem', '64MB', true), set_config('enable_nestloop', 'off', true), set_config('enable_mergejoin', 'off', true)`;
/** A transaction with this flag writes days itself; the triggers for earlier versions skip it. */
const countsDays = `set_config('dashboards.days', 'counted', true)`;

/**
 * Locks a table against batches until the transaction ends, but not against other parts of a rebuild. Locks are granted in order:
 * a batch waits for the parts being counted, and the next part for the batch.
 */
export function rebuildLock(table: FactTable): string {
  return `SELECT ${byIndex}, ${inMemory}, ${countsDays}, pg_advisory_xact_lock_shared(${batchOf(table)})`;
}
