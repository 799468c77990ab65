import { createIndex, step } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Unanswered questions, by the knowledge base that should have had the answer. */
export class TellUnansweredTurns1763800500000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await step(runner, async () => {
      await runner.query(`
        ALTER TABLE turns
          ADD COLUMN IF NOT EXISTS is_unanswered boolean NOT NULL DEFAULT false, ADD COLUMN IF NOT EXISTS kb_id int`);
    });
    await createIndex(runner, { name: 'turns_unanswered', table: 'turns', on: '(org_id, kb_id, id) WHERE is_unanswered' });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX turns_unanswered');
    await runner.query('ALTER TABLE turns DROP COLUMN is_unanswered, DROP COLUMN kb_id');
  }
}
