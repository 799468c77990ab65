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

/** What a carrier said is claimed while it is heeded, so that two of it at once are not both heeded. */
export class ClaimRequests1764301500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE seen_requests ADD COLUMN heeded boolean NOT NULL DEFAULT true');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE seen_requests DROP COLUMN heeded');
  }
}
