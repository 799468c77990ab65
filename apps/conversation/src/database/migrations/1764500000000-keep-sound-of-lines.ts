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

/**
 * How long a conversation was connected by voice, and since when its present line is; how long its caller pauses; and which answers
 * are spoken.
 */
export class KeepTimeOfLines1764600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE sessions ADD COLUMN connected_ms int NOT NULL DEFAULT 0, ADD COLUMN connected_since timestamptz,
        ADD COLUMN usual_pause_ms real`);
    await runner.query('ALTER TABLE turns ADD COLUMN is_spoken boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sessions DROP COLUMN connected_ms, DROP COLUMN connected_since, DROP COLUMN usual_pause_ms');
    await runner.query('ALTER TABLE turns DROP COLUMN is_spoken');
  }
}
