import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which member created a key: agent and speech keys remain when that member leaves, and must be traceable then. */
export class NoteMakersOfKeys1763960000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE integration_keys ADD COLUMN made_by uuid');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE integration_keys DROP COLUMN made_by');
  }
}
