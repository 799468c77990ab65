import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Identifies an upload's file, so that a reused id does not lose contacts. */
export class TellUploadedFilesApart1763700000005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE contact_uploads ADD COLUMN file_hash bytea');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE contact_uploads DROP COLUMN file_hash');
  }
}

/** A contact's time zone, if it differs from the number's; null means the number's. */
export class GiveContactsZones1763700000006 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE contacts ADD COLUMN zone text NOT NULL DEFAULT ''`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE contacts DROP COLUMN zone');
  }
}

/** Which columns of an upload's file were not read, to be shown later. */
export class KeepIgnoredColumns1763700000008 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE contact_uploads ADD COLUMN ignored_columns jsonb NOT NULL DEFAULT '[]'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE contact_uploads DROP COLUMN ignored_columns');
  }
}
