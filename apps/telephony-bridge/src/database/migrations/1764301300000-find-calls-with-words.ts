import { createIndex } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An index of the calls that still contain data of the called person, for the sweep of old calls. */
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

/** A carrier's request is claimed while it is handled, so that of two identical ones at once only one is. */
export class ClaimRequests1764301500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE seen_requests ADD COLUMN heeded boolean NOT NULL DEFAULT true');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE seen_requests DROP COLUMN heeded');
  }
}

/** An index of the deleted contacts that are not erased yet, for the sweep of old rows. */
export class FindDeletedContacts1764301700000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const on = `(id) WHERE is_withdrawn AND state <> 'ACTIVE' AND number NOT LIKE 'deleted-%'`;
    await createIndex(runner, { name: 'campaign_contacts_deleted', table: 'campaign_contacts', on });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX campaign_contacts_deleted');
  }
}
