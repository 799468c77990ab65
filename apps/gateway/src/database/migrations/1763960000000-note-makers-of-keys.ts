import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which member created a key: agent and speech keys outlive their creator's membership, and must stay traceable. */
export class NoteMakersOfKeys1763960000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE integration_keys ADD COLUMN made_by uuid');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE integration_keys DROP COLUMN made_by');
  }
}
