import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How much was heard and said on the lines of a conversation, and which engines failed. Unknown for earlier conversations. */
export class KeepSoundOfLines1764500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE sessions ADD COLUMN heard_seconds int NOT NULL DEFAULT 0, ADD COLUMN spoken_seconds int NOT NULL DEFAULT 0,
        ADD COLUMN is_unheard boolean NOT NULL DEFAULT false, ADD COLUMN provider_errors jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE sessions DROP COLUMN heard_seconds, DROP COLUMN spoken_seconds, DROP COLUMN is_unheard, DROP COLUMN provider_errors`);
  }
}
