import { createIndex } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Calls that still hold data of the called person: each sweep of old ones finds those not handled yet. */
export class FindCallsWithWords1764301300000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const on = `(org_id, agent_id, queued_at) WHERE wishes ? 'variables' OR recording_key IS NOT NULL`;
    await createIndex(runner, { name: 'calls_with_words', table: 'calls', on });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX calls_with_words');
  }
}
