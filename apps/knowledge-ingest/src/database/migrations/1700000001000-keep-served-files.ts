import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The upload that searches see stays known while a replacement is read, and when the replacement cannot be read. */
export class KeepServedFiles1700000001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE documents ADD COLUMN served jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE documents DROP COLUMN served');
  }
}
