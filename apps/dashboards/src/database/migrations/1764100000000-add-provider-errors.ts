import { tenantTable } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which providers failed in turns. These are few, so no sums by day are needed. */
export class AddProviderErrors1764100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE turn_facts ADD COLUMN provider_errors jsonb');
    await runner.query(`
      CREATE TABLE failure_quarters (
        org_id int NOT NULL, quarter timestamptz NOT NULL, agent_id int NOT NULL, role text NOT NULL, provider text NOT NULL,
        kind text NOT NULL, errors bigint NOT NULL,
        PRIMARY KEY (org_id, quarter, agent_id, role, provider, kind)
      ) PARTITION BY RANGE (quarter)`);
    await tenantTable(runner, 'failure_quarters');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE failure_quarters; ALTER TABLE turn_facts DROP COLUMN provider_errors');
  }
}
