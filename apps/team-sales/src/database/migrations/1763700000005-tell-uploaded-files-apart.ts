import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What tells the file of an upload from any other, so that an id used twice swallows nobody's contacts. */
export class TellUploadedFilesApart1763700000005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE contact_uploads ADD COLUMN file_hash bytea');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE contact_uploads DROP COLUMN file_hash');
  }
}
