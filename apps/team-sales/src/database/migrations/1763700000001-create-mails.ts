import { tenantTable } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** E-mails to be sent, or held here to be read if there is no mail server. */
export class CreateMails1763700000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE mails (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        org_id int NOT NULL REFERENCES organizations,
        key_id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
        recipient text NOT NULL,
        subject text NOT NULL,
        text text NOT NULL,
        html text NOT NULL,
        search text NOT NULL,
        -- A mail that makes somebody Owner is shown to Owners only: its token is worth that role.
        reader_role_max int NOT NULL,
        status text NOT NULL CHECK (status IN ('QUEUED', 'HELD', 'SENT', 'FAILED')),
        attempts int NOT NULL DEFAULT 0,
        last_error text,
        next_attempt_at timestamptz NOT NULL DEFAULT now(),
        created_on timestamptz NOT NULL DEFAULT now(),
        sent_on timestamptz
      );
      CREATE INDEX mails_of_organization ON mails (org_id, created_on, id);
      CREATE INDEX mails_to_send ON mails (next_attempt_at) WHERE status IN ('QUEUED', 'HELD')`);
    await tenantTable(runner, 'mails');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE mails');
  }
}
