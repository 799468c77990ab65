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

/** A contact's time zone if it is not that of the number; null means that of the number. */
export class GiveContactsZones1763700000006 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE contacts ADD COLUMN zone text NOT NULL DEFAULT ''`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE contacts DROP COLUMN zone');
  }
}

/** Which columns of an upload's file were not read, for whoever asks for it later. */
export class KeepIgnoredColumns1763700000008 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE contact_uploads ADD COLUMN ignored_columns jsonb NOT NULL DEFAULT '[]'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE contact_uploads DROP COLUMN ignored_columns');
  }
}
