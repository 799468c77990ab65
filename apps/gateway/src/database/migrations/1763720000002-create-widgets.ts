import { tenantTable } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Widgets, and the tokens that let browsers connect without a key. */
export class CreateWidgets1763720000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE widgets (
        id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        org_id int NOT NULL,
        key_id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
        public_id text NOT NULL UNIQUE,
        name text NOT NULL,
        agent_key_id uuid NOT NULL,
        agent_id int NOT NULL,
        allowed_origins text[] NOT NULL,
        is_active boolean NOT NULL,
        created_on timestamptz NOT NULL DEFAULT now(),
        updated_on timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX widgets_of_organization ON widgets (org_id, id);
      CREATE TABLE entry_tokens (
        hash bytea PRIMARY KEY,
        org_id int NOT NULL,
        entry jsonb NOT NULL,
        expires_at timestamptz NOT NULL,
        used_on timestamptz
      );
      CREATE INDEX entry_tokens_age ON entry_tokens (expires_at)`);
    await tenantTable(runner, 'widgets');
    await tenantTable(runner, 'entry_tokens');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE widgets, entry_tokens');
  }
}
