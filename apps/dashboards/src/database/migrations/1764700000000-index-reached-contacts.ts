import { createIndex, type Migration, step } from '@parley/database';
import type { QueryRunner } from 'typeorm';

/**
 * Indexes the calls that reached a contact by contact: calls of one contact are adjacent, so counting contacts needs no sort or
 * hash.
 */
export class IndexReachedContacts1764700000000 implements Migration {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndex(runner, {
      name: 'reached_contacts',
      table: 'call_facts',
      on: `(org_id, campaign_id, campaign_contact_id, contact_id, queued_at) INCLUDE (agent_id)
        WHERE campaign_id IS NOT NULL AND (campaign_contact_id IS NOT NULL OR contact_id IS NOT NULL)
          AND (answered_at IS NOT NULL OR state = 'IN_PROGRESS') AND is_machine IS NOT TRUE`,
    });
    await step(runner, async () => {
      await runner.query('DROP INDEX IF EXISTS campaign_calls');
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await createIndex(runner, {
      name: 'campaign_calls',
      table: 'call_facts',
      on: `(org_id, campaign_id, queued_at)
        INCLUDE (campaign_contact_id, contact_id, agent_id, answered_at, state, is_machine) WHERE campaign_id IS NOT NULL`,
    });
    await step(runner, async () => {
      await runner.query('DROP INDEX IF EXISTS reached_contacts');
    });
  }
}
