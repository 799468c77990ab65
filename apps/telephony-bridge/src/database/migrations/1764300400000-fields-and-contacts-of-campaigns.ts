import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The fields of a result schema stay in the order that they were sent in, which is that of the export's columns. */
export class KeepFieldOrder1764300400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE campaigns ALTER COLUMN result_schema TYPE json');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE campaigns ALTER COLUMN result_schema TYPE jsonb');
  }
}

/** The campaign contact of a call: contacts uploaded as a list do not belong to the organization, and had no id in the call. */
export class KnowCampaignContacts1764300500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE calls ADD COLUMN campaign_contact_id bigint');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE calls DROP COLUMN campaign_contact_id');
  }
}
