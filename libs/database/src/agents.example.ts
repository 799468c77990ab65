import { Column, Entity, PrimaryGeneratedColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import type { SchemaDefinition } from './migrate-schema';
import { tenantTable } from './tenancy/roles';

/** The table of this library's specs: a service's schema in miniature. */
@Entity({ name: 'agents' })
export class Agent {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('int')
  orgId: number;

  @Column('text')
  displayName: string;
}

class CreateAgents1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE agents (
        id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        org_id int NOT NULL,
        display_name text NOT NULL,
        CONSTRAINT agents_name_unique UNIQUE (org_id, display_name)
      )`);
    await tenantTable(runner, 'agents');
  }

  async down(): Promise<void> {}
}

export const agentsSchema: SchemaDefinition = {
  schema: 'agents_example',
  entities: [Agent],
  migrations: [CreateAgents1700000000000],
};
