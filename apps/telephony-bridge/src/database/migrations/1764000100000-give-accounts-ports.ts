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
