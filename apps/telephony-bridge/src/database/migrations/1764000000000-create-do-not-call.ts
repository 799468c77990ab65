import { tenantTable } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The numbers that are not called. */
export class CreateDoNotCall1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE do_not_call (
        id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        key_id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
        org_id int NOT NULL,
        number text NOT NULL,
        reason text NOT NULL,
        created_on timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT do_not_call_once UNIQUE (org_id, number)
      );
      CREATE INDEX do_not_call_by_time ON do_not_call (org_id, created_on, id)`);
    await tenantTable(runner, 'do_not_call');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE do_not_call');
  }
}
