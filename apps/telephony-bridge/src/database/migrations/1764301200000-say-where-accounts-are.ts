import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where the extensions of an exchange are: which numbers are for emergencies there is another matter in each country. */
export class SayWhereAccountsAre1764301200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE carrier_accounts ADD COLUMN country text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE carrier_accounts DROP COLUMN country');
  }
}
