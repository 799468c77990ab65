import { tenantTable } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sealed secrets, and the organizations' own provider keys. */
export class CreateSecrets1763800200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE secrets (
        id uuid PRIMARY KEY,
        org_id int NOT NULL,
        sealed text NOT NULL
      );

      CREATE TABLE provider_keys (
        id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        key_id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
        org_id int NOT NULL,
        provider_kind text NOT NULL CHECK (provider_kind IN ('LLM', 'VOICE', 'TRANSCRIBE')),
        provider_id int NOT NULL,
        secret_id uuid NOT NULL REFERENCES secrets,
        last_four text NOT NULL,
        base_url text,
        last_tested_on timestamptz,
        is_working boolean,
        created_on timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT provider_keys_one_each UNIQUE (org_id, provider_kind, provider_id)
      )`);
    for (const table of ['secrets', 'provider_keys']) await tenantTable(runner, table);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE provider_keys, secrets');
  }
}
