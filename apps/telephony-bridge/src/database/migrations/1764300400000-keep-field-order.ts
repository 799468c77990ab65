import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The fields of a result schema stay in the order that they were sent in, which is that of the export's columns. */
export class KeepFieldOrder1764300400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE campaigns ALTER COLUMN result_schema TYPE json');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE campaigns ALTER COLUMN result_schema TYPE jsonb');
  }
}
