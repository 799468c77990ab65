import { tenantTable, withEveryRow } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A line for each time a turn ended or was corrected, for services that count. Written with the change, dropped after some days. */
export class TellOfTurns1763900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE turn_changes (
        -- Numbers are given before commits, so a later one may show first. Transactions below the oldest that still runs are over.
        xact xid8 NOT NULL DEFAULT pg_current_xact_id(),
        seq bigint GENERATED ALWAYS AS IDENTITY,
        org_id int NOT NULL,
        turn_uuid uuid NOT NULL,
        changed_on timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (xact, seq)
      )`);
    await withEveryRow(runner, ['turns'], async () => {
      await runner.query(
        `INSERT INTO turn_changes (org_id, turn_uuid) SELECT org_id, turn_uuid FROM turns WHERE status <> 'RUNNING' ORDER BY id`,
      );
    });
    await tenantTable(runner, 'turn_changes');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE turn_changes');
  }
}
