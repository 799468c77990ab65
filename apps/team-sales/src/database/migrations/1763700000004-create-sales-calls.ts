import { tenantTable } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Calls of sales representatives, and their targets. */
export class CreateSalesCalls1763700000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE sales_calls (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        org_id int NOT NULL REFERENCES organizations,
        key_id uuid NOT NULL,
        representative_id int NOT NULL REFERENCES representatives,
        contact_id bigint REFERENCES contacts ON DELETE SET NULL,
        number text NOT NULL,
        direction text NOT NULL CHECK (direction IN ('OUTBOUND', 'INBOUND')),
        started_at timestamptz NOT NULL,
        duration_seconds int NOT NULL,
        outcome text NOT NULL,
        notes text NOT NULL,
        CONSTRAINT sales_calls_reported_once UNIQUE (org_id, key_id)
      );
      CREATE INDEX sales_calls_by_representative ON sales_calls (representative_id);
      CREATE INDEX sales_calls_by_contact ON sales_calls (contact_id);
      CREATE TABLE sales_targets (
        id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        org_id int NOT NULL REFERENCES organizations,
        key_id uuid NOT NULL DEFAULT gen_random_uuid(),
        representative_id int NOT NULL REFERENCES representatives,
        metric text NOT NULL,
        target int NOT NULL,
        start_date date NOT NULL,
        end_date date NOT NULL,
        UNIQUE (representative_id, metric, start_date, end_date)
      )`);
    for (const table of ['sales_calls', 'sales_targets']) await tenantTable(runner, table);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE sales_targets, sales_calls');
  }
}
