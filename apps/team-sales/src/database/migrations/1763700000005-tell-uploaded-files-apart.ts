import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Identifies an upload's file, so that reusing an id loses no contacts. */
export class TellUploadedFilesApart1763700000005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE contact_uploads ADD COLUMN file_hash bytea');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE contact_uploads DROP COLUMN file_hash');
  }
}
