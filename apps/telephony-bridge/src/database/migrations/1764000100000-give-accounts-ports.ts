import { tenantTable } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The ports of SIP accounts, and the replica that listens on each. */
export class GiveAccountsPorts1764000100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE account_ports (
        port int PRIMARY KEY,
        org_id int NOT NULL,
        account_id int NOT NULL UNIQUE REFERENCES carrier_accounts,
        -- the replica that listens, and until when it is believed to live
        owner uuid,
        expires_at timestamptz NOT NULL DEFAULT '-infinity'
      )`);
    await tenantTable(runner, 'account_ports');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE account_ports');
  }
}

/** The replica that has the port of an account open, which the one that it is leased to may fail to do. */
export class KnowOpenPorts1764301600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account_ports ADD COLUMN opened_by uuid');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account_ports DROP COLUMN opened_by');
  }
}
