import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an agent did not know, by the knowledge base that should have told it. */
export class TellUnansweredTurns1763800500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE turns ADD COLUMN is_unanswered boolean NOT NULL DEFAULT false, ADD COLUMN kb_id int');
    await runner.query('CREATE INDEX turns_unanswered ON turns (org_id, kb_id, id) WHERE is_unanswered');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX turns_unanswered');
    await runner.query('ALTER TABLE turns DROP COLUMN is_unanswered, DROP COLUMN kb_id');
  }
}
