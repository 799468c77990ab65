import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Campaigns that dial ahead of free conversations, and how many calls they may abandon for it. */
export class DialAhead1764300300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- null for as many as there are calls
      ALTER TABLE campaigns ADD COLUMN max_conversations int, ADD COLUMN abandoned_share_max float8 NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE campaigns DROP COLUMN max_conversations, DROP COLUMN abandoned_share_max');
  }
}
