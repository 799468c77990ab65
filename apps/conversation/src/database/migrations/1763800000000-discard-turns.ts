import { step } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Turns can be discarded, so each one stores what it adds to its session's sums. */
export class DiscardTurns1763800000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await step(runner, async () => {
      await runner.query(`
        ALTER TABLE turns
          ADD COLUMN IF NOT EXISTS is_known boolean NOT NULL DEFAULT false,
          DROP CONSTRAINT turns_status_check,
          ADD CONSTRAINT turns_status_check
            CHECK (status IN ('RUNNING', 'COMPLETED', 'INTERRUPTED', 'FAILED', 'LOST', 'DISCARDED')) NOT VALID`);
    });
    await runner.query('ALTER TABLE turns VALIDATE CONSTRAINT turns_status_check');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM turns WHERE status = 'DISCARDED';
      ALTER TABLE turns
        DROP COLUMN is_known,
        DROP CONSTRAINT turns_status_check,
        ADD CONSTRAINT turns_status_check CHECK (status IN ('RUNNING', 'COMPLETED', 'INTERRUPTED', 'FAILED', 'LOST'))`);
  }
}
