import { createIndex, step } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which calls of campaigns still await the extraction of results, and why it failed for others. */
export class LearnResults1764200000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await step(runner, async () => {
      await runner.query(`
        ALTER TABLE campaign_attempts
          -- when it is to be learned what was said; null where nothing is, or it has been
          ADD COLUMN IF NOT EXISTS result_due timestamptz,
          -- how often that was begun: whoever holds a lower number writes nothing any more
          ADD COLUMN IF NOT EXISTS result_tries int NOT NULL DEFAULT 0,
          ADD COLUMN IF NOT EXISTS result_credits bigint NOT NULL DEFAULT 0;
        ALTER TABLE campaign_contacts ADD COLUMN IF NOT EXISTS result_reason text`);
    });
    const on = '(result_due) WHERE result_due IS NOT NULL';
    await createIndex(runner, { name: 'campaign_attempts_to_learn', table: 'campaign_attempts', on });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE campaign_contacts DROP COLUMN result_reason;
      ALTER TABLE campaign_attempts DROP COLUMN result_due, DROP COLUMN result_tries, DROP COLUMN result_credits`);
  }
}
