import { tenantTable } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Operators' settings and actions. An `org_id` of zero stands for the whole installation. */
export class CreateOperatorTerms1763950000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE operator_prices (
        org_id int NOT NULL,
        kind text NOT NULL CHECK (kind IN ('TTT_API', 'TTS_API', 'STT_API')),
        units_per_thousand int NOT NULL CHECK (units_per_thousand BETWEEN 0 AND 1000000),
        PRIMARY KEY (org_id, kind)
      );
      CREATE TABLE operator_plans (name text PRIMARY KEY, limits jsonb NOT NULL);
      CREATE TABLE organization_plans (org_id int PRIMARY KEY, name text NOT NULL);
      CREATE TABLE operator_actions (
        id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        org_id int NOT NULL,
        operator text NOT NULL,
        action text NOT NULL,
        request jsonb NOT NULL,
        -- an action that nobody ended stays as it begins
        outcome text NOT NULL DEFAULT 'UNKNOWN',
        created_on timestamptz(3) NOT NULL DEFAULT now()
      )`);
    for (const table of ['operator_prices', 'organization_plans', 'operator_actions']) await tenantTable(runner, table);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE operator_prices, operator_plans, organization_plans, operator_actions');
  }
}
