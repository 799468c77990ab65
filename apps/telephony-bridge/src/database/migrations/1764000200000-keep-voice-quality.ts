import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How each call sounded, so that it can be told with its end. */
export class KeepVoiceQuality1764000200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE calls ADD COLUMN quality jsonb');
    await runner.query('CREATE INDEX call_legs_by_age ON call_legs (created_at)');
    await runner.query('CREATE INDEX seen_requests_by_age ON seen_requests (seen_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX seen_requests_by_age, call_legs_by_age');
    await runner.query('ALTER TABLE calls DROP COLUMN quality');
  }
}
