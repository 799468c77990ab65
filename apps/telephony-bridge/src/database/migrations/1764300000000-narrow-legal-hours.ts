import { tenantTable } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The hours by which organizations narrow the law. */
export class NarrowLegalHours1764300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE legal_hours (
        org_id int NOT NULL,
        -- ISO 3166, or * for all of them
        country text NOT NULL,
        from_minute int NOT NULL,
        to_minute int NOT NULL,
        -- 0 is Sunday
        weekdays int[] NOT NULL,
        -- what was claimed before is not placed any more
        updated_on timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (org_id, country)
      )`);
    await tenantTable(runner, 'legal_hours');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE legal_hours');
  }
}
