import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which results are still to be charged: a bridge that dies after it has written one leaves that to the others. */
export class ChargeResultsOnce1764300200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- when the charge is asked for again; null where it is made, or there is none
      ALTER TABLE campaign_attempts ADD COLUMN charge_due timestamptz;
      CREATE INDEX campaign_attempts_to_charge ON campaign_attempts (charge_due) WHERE charge_due IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE campaign_attempts DROP COLUMN charge_due');
  }
}
