import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whom of its campaign a call is for: contacts that came as a list are none of the organization's, and had no id in the call. */
export class KnowCampaignContacts1764300500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE calls ADD COLUMN campaign_contact_id int');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE calls DROP COLUMN campaign_contact_id');
  }
}
