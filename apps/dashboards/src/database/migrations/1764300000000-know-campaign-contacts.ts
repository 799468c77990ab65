import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Contacts uploaded to a campaign as a list have an id only within that campaign. Earlier calls are distinguished as before. */
export class KnowCampaignContacts1764300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // KnowMachines creates the index on this column, because it has to recreate that index anyway.
    await runner.query('ALTER TABLE call_facts ADD COLUMN campaign_contact_id bigint');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX campaign_calls;
      CREATE INDEX campaign_calls ON call_facts (org_id, campaign_id, queued_at)
        INCLUDE (contact_id, agent_id, answered_at, state) WHERE campaign_id IS NOT NULL;
      ALTER TABLE call_facts DROP COLUMN campaign_contact_id`);
  }
}
