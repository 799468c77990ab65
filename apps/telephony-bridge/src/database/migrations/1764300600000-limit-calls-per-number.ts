import { tenantTable } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How often a number is called in a day, over all campaigns of an organization, and by which attempts. */
export class LimitCallsPerNumber1764300600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE call_limits (
        org_id int PRIMARY KEY,
        calls_per_number int NOT NULL
      );
      -- null for the organization's own limit
      ALTER TABLE campaigns ADD COLUMN calls_per_number int;
      -- null where a replica of the version before claimed it, which knows no number
      ALTER TABLE campaign_attempts ADD COLUMN number text;
      UPDATE campaign_attempts a SET number = c.number FROM campaign_contacts c WHERE c.id = a.contact_id;
      CREATE INDEX campaign_attempts_of_number ON campaign_attempts (org_id, number, claimed_at) WHERE state <> 'RELEASED'`);
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
