import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The upload that searches see stays known while a replacement is read, and when the replacement cannot be read. */
export class KeepServedFiles1700000001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE documents ADD COLUMN served jsonb');
    await runner.query(`
      UPDATE documents SET served = json_build_object(
        'fileKey', file_key, 'fileName', file_name, 'contentType', content_type, 'size', size, 'sha256', sha256
      ) WHERE indexed_version = version`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE documents DROP COLUMN served');
  }
}
