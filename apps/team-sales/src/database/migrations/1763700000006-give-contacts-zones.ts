import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A contact's time zone if it is not that of the number; null means that of the number. */
export class GiveContactsZones1763700000006 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE contacts ADD COLUMN zone text NOT NULL DEFAULT ''`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE contacts DROP COLUMN zone');
  }
}
