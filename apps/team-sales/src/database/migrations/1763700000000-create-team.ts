import { tenantTable } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Organizations and users, memberships and invitations. */
export class CreateTeam1763700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE organizations (
        org_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        key_id uuid NOT NULL UNIQUE,
        name text NOT NULL,
        timezone text NOT NULL,
        default_region text NOT NULL,
        created_on timestamptz NOT NULL DEFAULT now()
      );
      -- A person belongs to no organization, so this table has no tenant; it is reached through memberships only.
      CREATE TABLE users (
        id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        email text NOT NULL UNIQUE CHECK (email = lower(email)),
        name text NOT NULL,
        created_on timestamptz NOT NULL DEFAULT now()
      );
      CREATE TABLE memberships (
        id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        org_id int NOT NULL REFERENCES organizations,
        invite_key_id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
        email text NOT NULL CHECK (email = lower(email)),
        search text NOT NULL,
        status text NOT NULL CHECK (status IN ('PENDING', 'ACCEPTED', 'REVOKED')),
        role_type_id int NOT NULL CHECK (role_type_id BETWEEN 1 AND 4),
        user_type text NOT NULL CHECK (user_type IN ('Web', 'Mobile App')),
        agent_access_scope text NOT NULL CHECK (agent_access_scope IN ('ALL', 'RESTRICTED')),
        agent_ids int[] NOT NULL DEFAULT '{}',
        permissions jsonb NOT NULL DEFAULT '{}',
        invited_by text NOT NULL,
        token_hash bytea UNIQUE,
        expires_at timestamptz NOT NULL,
        accepted_on timestamptz,
        member_key_id uuid UNIQUE,
        user_id int REFERENCES users,
        imei text,
        imei_bound_on timestamptz,
        created_on timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT accepted_has_member CHECK (status <> 'ACCEPTED' OR (user_id IS NOT NULL AND member_key_id IS NOT NULL))
      );
      CREATE UNIQUE INDEX memberships_one_live_per_email ON memberships (org_id, email) WHERE status <> 'REVOKED';
      CREATE UNIQUE INDEX memberships_one_per_user ON memberships (org_id, user_id) WHERE status = 'ACCEPTED';
      CREATE UNIQUE INDEX memberships_one_per_device ON memberships (org_id, imei) WHERE status = 'ACCEPTED' AND imei IS NOT NULL;
      CREATE INDEX memberships_of_user ON memberships (user_id) WHERE status = 'ACCEPTED'`);
    await tenantTable(runner, 'organizations');
    await tenantTable(runner, 'memberships');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE memberships, users, organizations');
  }
}
