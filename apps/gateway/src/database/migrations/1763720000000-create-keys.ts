import { tenantTable } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** API keys. Only a hash of each secret is stored. */
export class CreateKeys1763720000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE integration_keys (
        id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        org_id int NOT NULL,
        key_id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
        name text NOT NULL,
        kind text NOT NULL CHECK (kind IN ('agt', 'ext', 'wsk')),
        hash bytea NOT NULL CONSTRAINT integration_keys_hash UNIQUE,
        last_four text NOT NULL,
        agent_key_id uuid,
        agent_id int,
        member_id uuid,
        allowed_ips text[] NOT NULL DEFAULT '{}',
        expires_at timestamptz,
        rotated_on timestamptz,
        revoked_on timestamptz,
        last_used_on timestamptz,
        created_on timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT agent_key_names_its_agent CHECK ((kind = 'agt') = (agent_id IS NOT NULL AND agent_key_id IS NOT NULL)),
        CONSTRAINT workspace_key_names_its_member CHECK ((kind = 'wsk') = (member_id IS NOT NULL))
      );
      CREATE INDEX integration_keys_of_organization ON integration_keys (org_id, id);
      CREATE INDEX integration_keys_of_agent ON integration_keys (org_id, agent_id) WHERE kind = 'agt' AND revoked_on IS NULL;
      CREATE INDEX integration_keys_of_member ON integration_keys (org_id, member_id) WHERE kind = 'wsk' AND revoked_on IS NULL`);
    await tenantTable(runner, 'integration_keys');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE integration_keys');
  }
}
