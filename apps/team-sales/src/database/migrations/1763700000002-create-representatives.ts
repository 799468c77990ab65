import { tenantTable } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sales representatives. They outlive their membership, so that their contacts and figures keep an owner. */
export class CreateRepresentatives1763700000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE representatives (
        id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        org_id int NOT NULL REFERENCES organizations,
        key_id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
        membership_id int NOT NULL REFERENCES memberships,
        email text NOT NULL,
        name text NOT NULL,
        search text NOT NULL,
        status text NOT NULL CHECK (status IN ('INVITED', 'ACTIVE', 'INACTIVE')),
        last_seen_on timestamptz,
        created_on timestamptz NOT NULL DEFAULT now(),
        UNIQUE (org_id, email)
      );
      CREATE INDEX representatives_by_membership ON representatives (membership_id)`);
    await tenantTable(runner, 'representatives');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE representatives');
  }
}
