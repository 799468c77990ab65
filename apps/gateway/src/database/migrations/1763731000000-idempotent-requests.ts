import { tenantTable } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Requests with an Idempotency-Key: who answers them now, and how they were answered. */
export class CreateIdempotentRequests1763731000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE idempotent_requests (
        org_id int NOT NULL,
        route text NOT NULL,
        key text NOT NULL,
        owner uuid NOT NULL,
        charge_id uuid NOT NULL,
        lease_until timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        -- unknown while a form is still being read
        body_hash bytea,
        -- absent until there is an answer worth keeping
        status int,
        headers jsonb,
        body bytea,
        PRIMARY KEY (org_id, route, key)
      );
      CREATE INDEX idempotent_requests_age ON idempotent_requests (created_at)`);
    await tenantTable(runner, 'idempotent_requests');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotent_requests');
  }
}

/** Answers too large for a row are files. A gateway that does not know this finds no body, and takes the request for unanswered. */
export class StoreLargeAnswers1764920000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotent_requests ADD COLUMN body_file text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotent_requests DROP COLUMN body_file');
  }
}

/** Claims belong to their caller, and answers with secrets are not stored. Earlier rows may hold secrets and are deleted. */
export class AddCallersToClaims1763732000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      TRUNCATE idempotent_requests;
      ALTER TABLE idempotent_requests
        ADD COLUMN caller text NOT NULL,
        ADD COLUMN is_withheld boolean NOT NULL DEFAULT false,
        DROP CONSTRAINT idempotent_requests_pkey,
        ADD PRIMARY KEY (org_id, caller, route, key)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      TRUNCATE idempotent_requests;
      ALTER TABLE idempotent_requests
        DROP CONSTRAINT idempotent_requests_pkey,
        ADD PRIMARY KEY (org_id, route, key),
        DROP COLUMN caller,
        DROP COLUMN is_withheld`);
  }
}
