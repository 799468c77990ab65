import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The model to request from an organization's own server, whose models no catalogue lists. */
export class NameOwnModels1763800300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE provider_keys ADD COLUMN model text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE provider_keys DROP COLUMN model');
  }
}

/** Drops stored summaries: what prompts say of a business is now composed for each turn, from the knowledge base itself. */
export class ForgetBusinessSummaries1763800400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE linked_knowledge_bases DROP COLUMN summary');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE linked_knowledge_bases ADD COLUMN summary text');
  }
}
