import { createIndex, inBatches, step, tenantTable } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How often a number is called in a day, over all campaigns of an organization, and by which attempts. */
export class LimitCallsPerNumber1764300600000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await step(runner, () => this.alter(runner));
    await inBatches(
      runner,
      { table: 'campaign_attempts', key: 'reference', beside: ['campaign_contacts'] },
      (within) => `
        UPDATE campaign_attempts SET number = c.number
        FROM campaign_contacts c WHERE c.id = campaign_attempts.contact_id AND ${within}`,
    );
    const on = `(org_id, number, claimed_at) WHERE state <> 'RELEASED'`;
    await createIndex(runner, { name: 'campaign_attempts_of_number', table: 'campaign_attempts', on });
  }

  private async alter(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- what an earlier try left
      DROP TABLE IF EXISTS call_limits;
      CREATE TABLE call_limits (
        org_id int PRIMARY KEY,
        calls_per_number int NOT NULL
      );
      -- null for the organization's own limit
      ALTER TABLE campaigns ADD COLUMN IF NOT EXISTS calls_per_number int;
      -- null where a replica of the version before claimed it, which knows no number
      ALTER TABLE campaign_attempts ADD COLUMN IF NOT EXISTS number text`);
    await tenantTable(runner, 'call_limits');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE call_limits;
      DROP INDEX campaign_attempts_of_number;
      ALTER TABLE campaign_attempts DROP COLUMN number;
      ALTER TABLE campaigns DROP COLUMN calls_per_number`);
  }
}
