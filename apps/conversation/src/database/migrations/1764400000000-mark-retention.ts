import { tenantTable } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The conversation of each agent up to which the text is deleted, so that sweeps do not read them again. */
export class MarkRetention1764400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE retention_marks (
        org_id int NOT NULL,
        agent_id int NOT NULL,
        created_on timestamptz NOT NULL DEFAULT '-infinity',
        session_id bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (org_id, agent_id)
      )`);
    await tenantTable(runner, 'retention_marks');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE retention_marks');
  }
}
