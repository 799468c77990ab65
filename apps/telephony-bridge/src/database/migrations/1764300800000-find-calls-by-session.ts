import { createIndex } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The end of a conversation reports its number of turns: an index finds its call. */
export class FindCallsBySession1764300800000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const on = '(session_uuid) WHERE session_uuid IS NOT NULL';
    await createIndex(runner, { name: 'calls_of_session', table: 'calls', on });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX calls_of_session');
  }
}
