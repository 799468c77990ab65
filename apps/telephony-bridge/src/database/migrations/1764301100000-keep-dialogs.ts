import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A call that lives in one process alone is ended by another one, once that process died, by what was written down here. */
export class KeepDialogs1764301100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE call_slots ADD COLUMN dialogs jsonb NOT NULL DEFAULT '[]'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE call_slots DROP COLUMN dialogs');
  }
}
