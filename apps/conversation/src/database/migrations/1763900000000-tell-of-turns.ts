import { inBatches, step, tenantTable } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A row for each time a turn ended or was corrected, for services that count. Written with the change, deleted after two weeks. */
export class TellOfTurns1763900000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await step(runner, async () => {
      // Left by an earlier attempt.
      await runner.query('DROP TABLE IF EXISTS turn_changes');
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
      await tenantTable(runner, 'turn_changes');
    });
    await inBatches(
      runner,
      { table: 'turns', beside: ['turn_changes'] },
      (within) => `
        INSERT INTO turn_changes (org_id, turn_uuid)
        SELECT org_id, turn_uuid FROM turns WHERE status <> 'RUNNING' AND ${within} ORDER BY id`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE turn_changes');
  }
}

/** Questions that were erased or forgotten before services that count were told of it: they read those turns again. */
export class TellOfForgottenTurns1764700000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await inBatches(
      runner,
      { table: 'turns', beside: ['turn_changes'] },
      (within) => `
        INSERT INTO turn_changes (org_id, turn_uuid)
        SELECT org_id, turn_uuid FROM turns
        WHERE NOT is_known AND status IN ('COMPLETED', 'INTERRUPTED') AND question = '' AND ${within} ORDER BY id`,
    );
  }

  async down(): Promise<void> {
    // What is told twice is read twice, which changes nothing.
  }
}
