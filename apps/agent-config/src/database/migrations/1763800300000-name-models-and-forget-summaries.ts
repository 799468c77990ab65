import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What to ask a server of an organization's own for, whose models no catalogue knows. */
export class NameOwnModels1763800300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE provider_keys ADD COLUMN model text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE provider_keys DROP COLUMN model');
  }
}

/** What prompts say of a business is composed when a turn is answered, from the knowledge base itself. */
export class ForgetBusinessSummaries1763800400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE linked_knowledge_bases DROP COLUMN summary');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE linked_knowledge_bases ADD COLUMN summary text');
  }
}
