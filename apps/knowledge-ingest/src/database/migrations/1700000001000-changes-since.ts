import { inBatches, step } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Remembers the upload that searches see while a replacement is read, and if it cannot be read. */
export class KeepServedFiles1700000001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE documents ADD COLUMN served jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE documents DROP COLUMN served');
  }
}

const entries = ['faqs', 'business_profiles', 'catalog_items'];

const oneEach = { change: 'chunk_count = 1', where: 'indexed_version IS NOT NULL' };

const counts = {
  faqs: oneEach,
  catalog_items: oneEach,
  // One chunk for the business, one for its contacts and one for its hours, where present.
  business_profiles: {
    change: `chunk_count = 1
      + (concat(info ->> 'office_address', info ->> 'support_phone', info ->> 'support_email', info ->> 'website_url') <> '')::int
      + (jsonb_array_length(info -> 'working_hours') > 0)::int`,
    where: 'indexed_version IS NOT NULL',
  },
  documents: {
    change: `served = json_build_object(
      'fileKey', file_key, 'fileName', file_name, 'contentType', content_type, 'size', size, 'sha256', sha256)`,
    where: 'indexed_version = version AND served IS NULL',
  },
};

/**
 * A knowledge base counts the chunks of its FAQs, profile and catalogue too, not only those of documents. With row-level security
 * forced, even the table's owner sees no rows until a policy allows it, which the previous migration forgot.
 */
export class CountEveryChunk1700000002000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await step(runner, async () => {
      for (const table of entries)
        await runner.query(`ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS chunk_count int NOT NULL DEFAULT 0`);
    });
    for (const [table, { change, where }] of Object.entries(counts))
      await inBatches(runner, { table }, (within) => `UPDATE ${table} SET ${change} WHERE ${where} AND ${within}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of entries) await runner.query(`ALTER TABLE ${table} DROP COLUMN chunk_count`);
  }
}

/** Shows builders which bases are asked in another script than they are written in. */
export class NoteQuestionsAcrossScripts1700000003000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE knowledge_bases ADD COLUMN asked_across_on timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE knowledge_bases DROP COLUMN asked_across_on');
  }
}

/** Keeps the wordings of a question together, so that they have one answer. Those that were imported before are linked by the next import. */
export class LinkWordings1700000004000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE faqs ADD COLUMN wordings_of uuid');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE faqs DROP COLUMN wordings_of');
  }
}
