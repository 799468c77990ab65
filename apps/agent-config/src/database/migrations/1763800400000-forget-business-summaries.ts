import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What prompts say of a business is composed when a turn is answered, from the knowledge base itself. */
export class ForgetBusinessSummaries1763800400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE linked_knowledge_bases DROP COLUMN summary');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE linked_knowledge_bases ADD COLUMN summary text');
  }
}
