import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where a contact's clocks are, for whoever does not live where the number says. Empty for that of the number. */
export class GiveContactsZones1763700000006 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE contacts ADD COLUMN zone text NOT NULL DEFAULT ''`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE contacts DROP COLUMN zone');
  }
}
