import { tenantTable } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const knowledgeBases = `
CREATE TABLE knowledge_bases (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
  org_id int NOT NULL,
  name text NOT NULL,
  industry_id int NOT NULL,
  agent_type_id int NOT NULL,
  conversational_mode_ids text NOT NULL,
  -- the embedding space that answers searches; null until something is indexed
  space text,
  -- counts changes of what facts are computed from, for readers that cache it
  revision int NOT NULL DEFAULT 1,
  cleared_on timestamptz,
  created_on timestamptz NOT NULL DEFAULT now(),
  updated_on timestamptz NOT NULL DEFAULT now(),
  deleted_on timestamptz
);
CREATE INDEX knowledge_bases_org ON knowledge_bases (org_id)`;

const documents = `
CREATE TABLE documents (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
  org_id int NOT NULL,
  knowledge_base_id int NOT NULL REFERENCES knowledge_bases (id) ON DELETE CASCADE,
  file_name text NOT NULL,
  content_type text NOT NULL,
  size int NOT NULL,
  file_key text NOT NULL,
  sha256 text NOT NULL,
  version int NOT NULL DEFAULT 1,
  indexed_version int,
  status text NOT NULL CHECK (status IN ('QUEUED', 'PROCESSING', 'READY', 'FAILED')),
  reason text,
  stage text NOT NULL CHECK (stage IN ('WAITING', 'PARSING', 'EMBEDDING', 'INDEXING', 'DONE')),
  done int NOT NULL DEFAULT 0,
  total int NOT NULL DEFAULT 0,
  page_count int,
  chunk_count int NOT NULL DEFAULT 0,
  created_on timestamptz NOT NULL DEFAULT now(),
  updated_on timestamptz NOT NULL DEFAULT now(),
  deleted_on timestamptz
);
CREATE INDEX documents_base ON documents (org_id, knowledge_base_id)`;

const faqs = `
CREATE TABLE faqs (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
  org_id int NOT NULL,
  knowledge_base_id int NOT NULL REFERENCES knowledge_bases (id) ON DELETE CASCADE,
  question text NOT NULL,
  answer text NOT NULL,
  -- the question as callers may spell it
  normalized text NOT NULL,
  version int NOT NULL DEFAULT 1,
  indexed_version int,
  created_on timestamptz NOT NULL DEFAULT now(),
  updated_on timestamptz NOT NULL DEFAULT now(),
  deleted_on timestamptz
);
CREATE INDEX faqs_question ON faqs (org_id, knowledge_base_id, md5(normalized))`;

const businessProfiles = `
CREATE TABLE business_profiles (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
  org_id int NOT NULL,
  knowledge_base_id int NOT NULL REFERENCES knowledge_bases (id) ON DELETE CASCADE,
  business_name text NOT NULL,
  info jsonb NOT NULL,
  version int NOT NULL DEFAULT 1,
  indexed_version int,
  created_on timestamptz NOT NULL DEFAULT now(),
  updated_on timestamptz NOT NULL DEFAULT now(),
  deleted_on timestamptz
);
CREATE UNIQUE INDEX business_profiles_one ON business_profiles (org_id, knowledge_base_id) WHERE deleted_on IS NULL`;

const catalogItems = `
CREATE TABLE catalog_items (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
  org_id int NOT NULL,
  knowledge_base_id int NOT NULL REFERENCES knowledge_bases (id) ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('PRODUCT', 'SERVICE')),
  name text NOT NULL,
  price numeric NOT NULL CHECK (price >= 0),
  details jsonb NOT NULL,
  version int NOT NULL DEFAULT 1,
  indexed_version int,
  created_on timestamptz NOT NULL DEFAULT now(),
  updated_on timestamptz NOT NULL DEFAULT now(),
  deleted_on timestamptz
);
CREATE INDEX catalog_items_base ON catalog_items (org_id, knowledge_base_id)`;

const indexJobs = `
CREATE TABLE index_jobs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  org_id int NOT NULL,
  knowledge_base_id int NOT NULL,
  kind text NOT NULL CHECK (kind IN ('DOCUMENT', 'ENTRIES', 'REINDEX', 'DROP')),
  -- the document; 0 for jobs of a whole knowledge base
  document_id int NOT NULL DEFAULT 0,
  -- grows when the job is asked for again while it runs
  asked int NOT NULL DEFAULT 1,
  attempts int NOT NULL DEFAULT 0,
  run_after timestamptz NOT NULL DEFAULT now(),
  leased_until timestamptz,
  UNIQUE (knowledge_base_id, kind, document_id)
);
CREATE INDEX index_jobs_due ON index_jobs (run_after)`;

const tables = ['knowledge_bases', 'documents', 'faqs', 'business_profiles', 'catalog_items', 'index_jobs'];

/** Knowledge, and the jobs that index it. `version` is the saved version, `indexed_version` the searchable one. */
export class CreateKnowledge1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statements of [knowledgeBases, documents, faqs, businessProfiles, catalogItems, indexJobs])
      await runner.query(statements);
    for (const table of tables) await tenantTable(runner, table);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of tables.toReversed()) await runner.query(`DROP TABLE ${table}`);
  }
}
