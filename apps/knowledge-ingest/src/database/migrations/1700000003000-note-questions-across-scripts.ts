import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets builders see which bases are asked in another script than they are written in. */
export class NoteQuestionsAcrossScripts1700000003000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE knowledge_bases ADD COLUMN asked_across_on timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE knowledge_bases DROP COLUMN asked_across_on');
  }
}
