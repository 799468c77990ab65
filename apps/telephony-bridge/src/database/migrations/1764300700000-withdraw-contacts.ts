import { createIndex, step } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Contacts deleted from the organization are no longer called, not even again after a current call. One index finds them by contact,
 * another their attempts, which are deleted with a campaign.
 */
export class WithdrawContacts1764300700000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await step(runner, async () => {
      await runner.query('ALTER TABLE campaign_contacts ADD COLUMN IF NOT EXISTS is_withdrawn boolean NOT NULL DEFAULT false');
    });
    const on = '(org_id, contact_id) WHERE contact_id IS NOT NULL';
    await createIndex(runner, { name: 'campaign_contacts_of_contact', table: 'campaign_contacts', on });
    await createIndex(runner, { name: 'campaign_attempts_of_contact', table: 'campaign_attempts', on: '(contact_id)' });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX campaign_attempts_of_contact;
      DROP INDEX campaign_contacts_of_contact;
      ALTER TABLE campaign_contacts DROP COLUMN is_withdrawn`);
  }
}
