import type { MigrationInterface, QueryRunner } from 'typeorm';

const entries = ['faqs', 'business_profiles', 'catalog_items'];

/**
 * A knowledge base counts the chunks of its FAQs, profile and catalogue too, and not only those of documents. Row-level
 * security hides every row from a migration that does not say that it concerns all tenants: the one before did not.
 */
export class CountEveryChunk1700000002000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SELECT set_config('parley.across_tenants', 'yes', true)`);
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
