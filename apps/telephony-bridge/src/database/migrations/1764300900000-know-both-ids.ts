import { inBatches, step } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A call shows both ids of its campaign and of its contact. For earlier contacts only the number is known here. */
export class KnowBothIds1764300900000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await step(runner, async () => {
      await runner.query(`
        ALTER TABLE calls
          ADD COLUMN IF NOT EXISTS campaign_key uuid, ADD COLUMN IF NOT EXISTS campaign_contact_key uuid,
          ADD COLUMN IF NOT EXISTS contact_key uuid;
        ALTER TABLE campaign_contacts ADD COLUMN IF NOT EXISTS contact_key uuid`);
    });
    await inBatches(
      runner,
      { table: 'calls', beside: ['campaigns'] },
      (within) => `
        UPDATE calls SET campaign_key = campaigns.key_id FROM campaigns WHERE campaigns.id = calls.campaign_id AND ${within}`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE campaign_contacts DROP COLUMN contact_key;
      ALTER TABLE calls DROP COLUMN contact_key, DROP COLUMN campaign_contact_key, DROP COLUMN campaign_key`);
  }
}
