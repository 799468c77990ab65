import { withEveryRow } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const entries = ['faqs', 'business_profiles', 'catalog_items'];
const counted = [...entries, 'documents'];

/**
 * A knowledge base counts the chunks of its FAQs, profile and catalogue too, and not only those of documents. Row-level
 * security hides every row from the owner of a table, too, until it is told otherwise: the migration before forgot.
 */
export class CountEveryChunk1700000002000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await withEveryRow(runner, counted, () => this.count(runner));
  }

  private async count(runner: QueryRunner): Promise<void> {
    for (const table of entries) await runner.query(`ALTER TABLE ${table} ADD COLUMN chunk_count int NOT NULL DEFAULT 0`);
    for (const table of ['faqs', 'catalog_items'])
      await runner.query(`UPDATE ${table} SET chunk_count = 1 WHERE indexed_version IS NOT NULL`);
    // One for the business, one for how to reach it and one for its hours, where there are any.
    await runner.query(`
      UPDATE business_profiles SET chunk_count = 1
        + (concat(info ->> 'office_address', info ->> 'support_phone', info ->> 'support_email', info ->> 'website_url')
            <> '')::int
        + (jsonb_array_length(info -> 'working_hours') > 0)::int
      WHERE indexed_version IS NOT NULL`);
    await runner.query(`
      UPDATE documents SET served = json_build_object(
        'fileKey', file_key, 'fileName', file_name, 'contentType', content_type, 'size', size, 'sha256', sha256
      ) WHERE indexed_version = version AND served IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of entries) await runner.query(`ALTER TABLE ${table} DROP COLUMN chunk_count`);
  }
}
