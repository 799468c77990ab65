import { createIndex, step } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which results are still to be charged, so that another replica does it if one dies after writing a result. */
export class ChargeResultsOnce1764300200000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await step(runner, async () => {
      // when the charge is asked for again; null where it is made, or there is none
      await runner.query('ALTER TABLE campaign_attempts ADD COLUMN IF NOT EXISTS charge_due timestamptz');
    });
    const on = '(charge_due) WHERE charge_due IS NOT NULL';
    await createIndex(runner, { name: 'campaign_attempts_to_charge', table: 'campaign_attempts', on });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE campaign_attempts DROP COLUMN charge_due');
  }
}
