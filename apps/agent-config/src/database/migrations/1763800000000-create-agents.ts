import { tenantTable } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Agents, all their versions, and copies of the knowledge bases that they answer from. */
export class CreateAgents1763800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE agents (
        id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        key_id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
        org_id int NOT NULL,
        name text NOT NULL,
        definition jsonb NOT NULL,
        runtime jsonb,
        version int NOT NULL CHECK (version > 0),
        created_on timestamptz NOT NULL,
        updated_on timestamptz NOT NULL,
        deleted_on timestamptz
      );
      CREATE INDEX agents_by_creation ON agents (org_id, created_on, id) WHERE deleted_on IS NULL;
      CREATE INDEX agents_by_update ON agents (org_id, updated_on, id) WHERE deleted_on IS NULL;
      CREATE INDEX agents_by_name ON agents (org_id, lower(name), id) WHERE deleted_on IS NULL;
      CREATE INDEX agents_by_knowledge_base ON agents (org_id, ((definition->>'knowledgeBaseId')::int)) WHERE deleted_on IS NULL;

      CREATE TABLE agent_versions (
        id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        key_id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
        org_id int NOT NULL,
        agent_id int NOT NULL REFERENCES agents,
        version int NOT NULL,
        definition jsonb NOT NULL,
        runtime jsonb,
        changed_fields text[] NOT NULL,
        restored_from int,
        saved_by text,
        created_on timestamptz NOT NULL,
        UNIQUE (agent_id, version)
      );

      CREATE TABLE linked_knowledge_bases (
        org_id int NOT NULL,
        id int NOT NULL,
        key_id uuid NOT NULL,
        summary text,
        PRIMARY KEY (org_id, id)
      )`);
    for (const table of ['agents', 'agent_versions', 'linked_knowledge_bases']) await tenantTable(runner, table);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE linked_knowledge_bases, agent_versions, agents');
  }
}
