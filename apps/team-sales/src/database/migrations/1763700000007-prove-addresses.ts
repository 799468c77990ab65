import { inBatches, step } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whether a member's address is proven. Among existing members this is known only of owners named by an operator, who had no
 * invitation.
 */
export class ProveAddresses1763700000007 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await step(runner, async () => {
      await runner.query('ALTER TABLE memberships ADD COLUMN IF NOT EXISTS proves_address boolean NOT NULL DEFAULT false');
    });
    await inBatches(
      runner,
      { table: 'memberships' },
      (within) => `
        UPDATE memberships SET proves_address = true
        WHERE status = 'ACCEPTED' AND token_hash IS NULL AND NOT proves_address AND ${within}`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE memberships DROP COLUMN proves_address');
  }
}
