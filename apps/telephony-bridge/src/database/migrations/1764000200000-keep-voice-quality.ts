import { createIndex, step } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The sound quality of each call, reported with its end. */
export class KeepVoiceQuality1764000200000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await step(runner, async () => {
      await runner.query('ALTER TABLE calls ADD COLUMN IF NOT EXISTS quality jsonb');
    });
    await createIndex(runner, { name: 'call_legs_by_age', table: 'call_legs', on: '(created_at)' });
    await createIndex(runner, { name: 'seen_requests_by_age', table: 'seen_requests', on: '(seen_at)' });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX seen_requests_by_age, call_legs_by_age');
    await runner.query('ALTER TABLE calls DROP COLUMN quality');
  }
}
