import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which member made a key: keys of agents and of speech stay when that member goes, and somebody has to know of them then. */
export class NoteMakersOfKeys1763960000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE integration_keys ADD COLUMN made_by uuid');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE integration_keys DROP COLUMN made_by');
  }
}
