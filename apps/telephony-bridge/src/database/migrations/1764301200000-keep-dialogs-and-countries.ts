import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A call held by a dead process is ended by another one from its stored dialogs. And an exchange's extensions are in a country:
 * which numbers are for emergencies differs by country.
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

/** Whoever asks for a transfer reads how it fares, and events tell of it. */
export class TellOfTransfers1764301400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE calls ADD COLUMN transfer jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE calls DROP COLUMN transfer');
  }
}
