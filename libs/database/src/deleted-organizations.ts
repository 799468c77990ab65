import type { EntityManager, MigrationInterface, QueryRunner } from 'typeorm';
import { z } from 'zod';
import { step } from './large-tables';
import { isReferredTo, refusalOfDeleted } from './queries';
import type { TenantScope } from './tenancy/tenant-scope';

const reason = 'an organization is deleted, with every row of it in this schema';

/** Tables of every schema that are no data of an organization: what was deleted, and the bookkeeping of migrations. */
const bookkeeping = ['deleted_organizations', 'migrations'];

/**
 * Which organizations were deleted. A row stays for good: it is what refuses an event or a request that comes late, and its number
 * is given to nobody else.
 */
export class NoteDeletedOrganizations1600000000005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE deleted_organizations (
        org_id int PRIMARY KEY,
        learned_on timestamptz NOT NULL DEFAULT now(),
        -- until then its calls, turns and charges may end as usual; from then on no row of it is taken
        erasing_since timestamptz,
        erasing_xact xid8,
        done_on timestamptz,
        -- what a later step needs, and what is kept of the organization
        record jsonb NOT NULL DEFAULT '{}'
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE deleted_organizations');
  }
}

/**
 * Makes every table with rows of organizations refuse those of a deleted one, except `kept`, which keep what must stay of it. Runs
 * after each migration, so that no new table can be forgotten.
 */
export async function refuseDeletedOrganizations(runner: QueryRunner, kept: readonly string[]): Promise<void> {
  const open = await runner.manager.query<{ name: string }[]>(
    `SELECT tablename AS name FROM pg_policies tenant WHERE schemaname = current_schema() AND policyname = 'tenant'
       AND tablename <> ALL ($1) AND NOT EXISTS (SELECT FROM pg_policies refused WHERE refused.schemaname = tenant.schemaname
         AND refused.tablename = tenant.tablename AND refused.policyname = $2)`,
    [kept, refusalOfDeleted],
  );
  // The subselect has nothing of the row in it, so it is read once for a statement and not for each row. While rows are erased, triggers
  // may still keep sums of them, which go with the next round.
  for (const { name } of open)
    await step(runner, async () => {
      await runner.query(`CREATE POLICY ${refusalOfDeleted} ON "${name}" AS RESTRICTIVE FOR INSERT WITH CHECK (
        org_id <> ALL (ARRAY(SELECT org_id FROM deleted_organizations WHERE erasing_since IS NOT NULL))
        OR org_id::text = current_setting('parley.erasing', true))`);
    });
}

/** Notes a deletion in the caller's transaction; again, it changes nothing. */
export async function noteDeleted(
  manager: EntityManager,
  orgId: number,
  record: Readonly<Record<string, unknown>>,
): Promise<void> {
  await manager.query('INSERT INTO deleted_organizations (org_id, record) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    orgId,
    JSON.stringify(record),
  ]);
}

const Tombstone = z.object({
  orgId: z.int(),
  learnedOn: z.date(),
  erasingSince: z.date().nullable(),
  doneOn: z.date().nullable(),
  record: z.record(z.string(), z.unknown()),
});
export type Tombstone = z.output<typeof Tombstone>;

const tombstone = `org_id AS "orgId", learned_on AS "learnedOn", erasing_since AS "erasingSince", done_on AS "doneOn", record`;

/** How many rows of each table. */
export type RowCounts = Readonly<Record<string, number>>;

const erasedAtOnce = 2_000;

/** The organizations that were deleted, as one schema knows them, and their rows in it. */
export class DeletedOrganizations {
  constructor(
    private readonly tenants: TenantScope,
    /** Tables that keep something of a deleted organization. */
    private readonly kept: readonly string[],
  ) {}

  /** Learns of a deletion; again, it changes nothing. */
  async learn(orgId: number, record: Readonly<Record<string, unknown>>): Promise<void> {
    await this.tenants.acrossTenants(reason, (manager) => noteDeleted(manager, orgId, record));
  }

  async find(orgId: number): Promise<Tombstone | undefined> {
    const [found] = await this.select('org_id = $1', [orgId]);
    return found;
  }

  /** Those not erased yet, and those that a request which was underway may still have written for: nothing lasts two days. */
  due(): Promise<Tombstone[]> {
    return this.select(`done_on IS NULL OR done_on > now() - interval '2 days'`, []);
  }

  /** From now on no row of it is taken. */
  async beginErasing(orgId: number): Promise<void> {
    await this.change(
      `UPDATE deleted_organizations SET erasing_since = now(), erasing_xact = pg_current_xact_id()
       WHERE org_id = $1 AND erasing_since IS NULL`,
      [orgId],
    );
  }

  /** Keeps what is not there yet under these names. */
  async keep(orgId: number, record: Readonly<Record<string, unknown>>): Promise<void> {
    await this.change('UPDATE deleted_organizations SET record = $2::jsonb || record WHERE org_id = $1', [
      orgId,
      JSON.stringify(record),
    ]);
  }

  async drop(orgId: number, name: string): Promise<void> {
    await this.change('UPDATE deleted_organizations SET record = record - $2 WHERE org_id = $1', [orgId, name]);
  }

  async noteDone(orgId: number): Promise<void> {
    await this.change('UPDATE deleted_organizations SET done_on = coalesce(done_on, now()) WHERE org_id = $1', [orgId]);
  }

  /**
   * Whether every transaction is over that may have written a row before rows were refused. None of a service lasts ten minutes, and
   * after a restore into another server its numbers say nothing.
   */
  async isSettled(orgId: number): Promise<boolean> {
    const [row] = await this.tenants.acrossTenants(reason, (manager) =>
      manager.query<{ isSettled: boolean }[]>(
        `SELECT pg_snapshot_xmin(pg_current_snapshot()) > erasing_xact OR erasing_since < now() - interval '10 minutes' AS "isSettled"
         FROM deleted_organizations WHERE org_id = $1`,
        [orgId],
      ),
    );
    return row?.isSettled ?? false;
  }

  /** How many rows of it there are by table, counted up to a hundred thousand. */
  count(orgId: number): Promise<RowCounts> {
    return this.tenants.acrossTenants(reason, async (manager) => {
      const counts: Record<string, number> = {};
      for (const { name } of await this.tables(manager)) {
        const text = `SELECT count(*)::int AS rows FROM (SELECT FROM ${name} WHERE org_id = $1 LIMIT 100000) counted`;
        const [row] = await manager.query<{ rows: number }[]>(text, [orgId]);
        if (row && row.rows > 0) counts[name] = row.rows;
      }
      return counts;
    });
  }

  /** Deletes some of its rows in every table, each in a transaction of its own. Resolves with how many. */
  async eraseSome(orgId: number): Promise<number> {
    let erased = 0;
    for (const { name } of await this.tenants.acrossTenants(reason, (manager) => this.tables(manager)))
      erased += await this.eraseIn(name, orgId);
    return erased;
  }

  /** Rows that others still refer to are deleted in a later round. */
  private eraseIn(table: string, orgId: number): Promise<number> {
    const places = `ARRAY(SELECT ctid FROM ${table} WHERE org_id = $1 LIMIT ${erasedAtOnce})`;
    const erase = this.tenants.acrossTenants(reason, async (manager) => {
      await manager.query(`SELECT set_config('parley.erasing', $1, true)`, [String(orgId)]);
      const [, count] = await manager.query<[unknown, number]>(
        `DELETE FROM ${table} WHERE ctid = ANY (${places}) AND org_id = $1`,
        [orgId],
      );
      return count;
    });
    return erase.catch((error: unknown) => {
      if (isReferredTo(error)) return 0;
      throw error;
    });
  }

  /** The tables with rows of organizations, those that refer to others before them. Partitions are reached through their table. */
  private tables(manager: EntityManager): Promise<{ name: string }[]> {
    return manager.query(
      `SELECT format('%I', class.relname) AS name FROM pg_class class
       WHERE relnamespace = current_schema()::text::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> ALL ($1)
         AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = class.oid AND attname = 'org_id' AND NOT attisdropped)
       ORDER BY (SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND confrelid = class.oid AND conrelid <> class.oid), relname`,
      [[...bookkeeping, ...this.kept]],
    );
  }

  private select(condition: string, values: unknown[]): Promise<Tombstone[]> {
    return this.tenants.acrossTenants(reason, async (manager) =>
      z
        .array(Tombstone)
        .parse(
          await manager.query(
            `SELECT ${tombstone} FROM deleted_organizations WHERE ${condition} ORDER BY done_on NULLS FIRST, org_id LIMIT 100`,
            values,
          ),
        ),
    );
  }

  private change(statement: string, values: unknown[]): Promise<number> {
    return this.tenants.acrossTenants(reason, async (manager) => {
      const [, count] = await manager.query<[unknown, number]>(statement, values);
      return count;
    });
  }
}
