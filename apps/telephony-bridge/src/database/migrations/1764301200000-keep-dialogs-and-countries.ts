import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Stores the dialogs of calls, so that another process can end those of a dead one; and the country of an account, since a PBX's
 * extensions have none of their own and emergency numbers differ by country.
 */
export class KeepDialogsAndCountries1764301200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE call_slots ADD COLUMN dialogs jsonb NOT NULL DEFAULT '[]'`);
    await runner.query('ALTER TABLE carrier_accounts ADD COLUMN country text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE carrier_accounts DROP COLUMN country');
    await runner.query('ALTER TABLE call_slots DROP COLUMN dialogs');
  }
}

/** The state of a transfer, shown to whoever requested it and reported by events. */
export class TellOfTransfers1764301400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE calls ADD COLUMN transfer jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE calls DROP COLUMN transfer');
  }
}
