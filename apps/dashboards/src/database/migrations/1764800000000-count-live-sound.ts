import { tenantTable } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What was heard and said in live conversations, and provider failures that no turn reports. Unknown for earlier conversations.
 */
export class CountLiveSound1764800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE session_facts ADD COLUMN is_unheard boolean NOT NULL DEFAULT false, ADD COLUMN heard_seconds int NOT NULL DEFAULT 0,
        ADD COLUMN spoken_seconds int NOT NULL DEFAULT 0, ADD COLUMN provider_errors jsonb`);
    for (const table of ['session_quarters', 'session_days'])
      await runner.query(
        `ALTER TABLE ${table} ${measures.map((name) => `ADD COLUMN ${name} bigint NOT NULL DEFAULT 0`).join(', ')}`,
      );
    await runner.query(`
      CREATE TABLE session_failure_quarters (
        org_id int NOT NULL, quarter timestamptz NOT NULL, agent_id int NOT NULL, role text NOT NULL, provider text NOT NULL,
        kind text NOT NULL, errors bigint NOT NULL,
        PRIMARY KEY (org_id, quarter, agent_id, role, provider, kind)
      ) PARTITION BY RANGE (quarter)`);
    await tenantTable(runner, 'session_failure_quarters');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE session_failure_quarters');
    for (const table of ['session_quarters', 'session_days'])
      await runner.query(`ALTER TABLE ${table} ${measures.map((name) => `DROP COLUMN ${name}`).join(', ')}`);
    await runner.query(`
      ALTER TABLE session_facts DROP COLUMN is_unheard, DROP COLUMN heard_seconds, DROP COLUMN spoken_seconds,
        DROP COLUMN provider_errors`);
  }
}

const measures = ['unheard', 'heard_seconds', 'spoken_seconds'];
