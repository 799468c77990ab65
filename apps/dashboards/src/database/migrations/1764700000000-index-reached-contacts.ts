import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The calls that reached a contact, by contact: those of one lie together, and are told apart without being sorted or hashed. */
export class IndexReachedContacts1764700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX reached_contacts ON call_facts (org_id, campaign_id, campaign_contact_id, contact_id, queued_at)
        INCLUDE (agent_id)
        WHERE campaign_id IS NOT NULL AND (campaign_contact_id IS NOT NULL OR contact_id IS NOT NULL)
          AND (answered_at IS NOT NULL OR state = 'IN_PROGRESS') AND is_machine IS NOT TRUE;
      DROP INDEX campaign_calls`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX campaign_calls ON call_facts (org_id, campaign_id, queued_at)
        INCLUDE (campaign_contact_id, contact_id, agent_id, answered_at, state, is_machine) WHERE campaign_id IS NOT NULL;
      DROP INDEX reached_contacts`);
  }
}
