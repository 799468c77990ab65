import { tenantTable } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A widget's daily allowance, its visitors' variables, and its usage. */
export class LimitWidgets1763900200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE widgets ADD COLUMN daily_credits int NOT NULL DEFAULT 200000, ADD COLUMN variables text[] NOT NULL DEFAULT '{}';
      CREATE TABLE widget_days (
        org_id int NOT NULL,
        widget_key uuid NOT NULL,
        day date NOT NULL,
        units bigint NOT NULL CHECK (units >= 0),
        PRIMARY KEY (org_id, widget_key, day)
      )`);
    await tenantTable(runner, 'widget_days');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE widget_days; ALTER TABLE widgets DROP COLUMN daily_credits, DROP COLUMN variables');
  }
}

/** What is reserved of a widget's daily budget for each open charge of a visitor. */
export class HoldWidgetDays1764800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE widget_holds (
        org_id int NOT NULL,
        charge_id uuid NOT NULL,
        widget_key uuid NOT NULL,
        day date NOT NULL,
        units bigint NOT NULL CHECK (units >= 0),
        -- of the widget when its visitor asked
        daily_credits int NOT NULL,
        PRIMARY KEY (org_id, charge_id)
      );
      CREATE INDEX widget_holds_of_day ON widget_holds (org_id, widget_key, day)`);
    await tenantTable(runner, 'widget_holds');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE widget_holds');
  }
}
