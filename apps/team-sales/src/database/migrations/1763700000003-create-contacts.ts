import { tenantTable } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Customers, their representatives, and the files they were uploaded in. */
export class CreateContacts1763700000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE contacts (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        org_id int NOT NULL REFERENCES organizations,
        key_id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
        name text NOT NULL,
        number text NOT NULL,
        email text NOT NULL,
        city text NOT NULL,
        state text NOT NULL,
        country text NOT NULL,
        search text NOT NULL,
        created_on timestamptz NOT NULL DEFAULT now(),
        updated_on timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT contacts_one_per_number UNIQUE (org_id, number)
      );
      CREATE INDEX contacts_by_age ON contacts (org_id, created_on, id);
      CREATE TABLE contact_mappings (
        org_id int NOT NULL REFERENCES organizations,
        representative_id int NOT NULL REFERENCES representatives,
        contact_id bigint NOT NULL REFERENCES contacts ON DELETE CASCADE,
        mapped_on timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (representative_id, contact_id)
      );
      CREATE INDEX contact_mappings_by_contact ON contact_mappings (contact_id);
      CREATE TABLE contact_uploads (
        id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        org_id int NOT NULL REFERENCES organizations,
        key_id uuid NOT NULL,
        representative_id int NOT NULL REFERENCES representatives,
        file_key text NOT NULL,
        status text NOT NULL CHECK (status IN ('PROCESSING', 'DONE', 'FAILED')),
        row_count int NOT NULL DEFAULT 0,
        created_count int NOT NULL DEFAULT 0,
        updated_count int NOT NULL DEFAULT 0,
        unchanged_count int NOT NULL DEFAULT 0,
        assigned_count int NOT NULL DEFAULT 0,
        error_count int NOT NULL DEFAULT 0,
        errors jsonb NOT NULL DEFAULT '[]',
        reason text,
        alive_at timestamptz NOT NULL DEFAULT now(),
        created_on timestamptz NOT NULL DEFAULT now(),
        UNIQUE (org_id, key_id)
      )`);
    for (const table of ['contacts', 'contact_mappings', 'contact_uploads']) await tenantTable(runner, table);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE contact_uploads, contact_mappings, contacts');
  }
}
