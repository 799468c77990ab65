import { createIndex, step } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A call taken by an answering machine was answered, but reached no one. For earlier calls this is unknown, so they count as
 * before.
 */
export class KnowMachines1764400000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await step(runner, async () => {
      await runner.query('ALTER TABLE call_facts ADD COLUMN IF NOT EXISTS is_machine boolean');
    });
    const covered = 'campaign_contact_id, contact_id, agent_id, answered_at, state, is_machine';
    const on = `(org_id, campaign_id, queued_at) INCLUDE (${covered}) WHERE campaign_id IS NOT NULL`;
    await createIndex(runner, { name: 'campaign_calls_with_machines', table: 'call_facts', on });
    await step(runner, async () => {
      await runner.query(`
        DROP INDEX IF EXISTS campaign_calls;
        ALTER INDEX campaign_calls_with_machines RENAME TO campaign_calls`);
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX campaign_calls;
      CREATE INDEX campaign_calls ON call_facts (org_id, campaign_id, queued_at)
        INCLUDE (campaign_contact_id, contact_id, agent_id, answered_at, state) WHERE campaign_id IS NOT NULL;
      ALTER TABLE call_facts DROP COLUMN is_machine`);
  }
}

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
