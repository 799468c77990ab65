import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The sealed key of the audit chains, and for each chain the seal of its head and of what was written before seals existed. */
export class SealAudit1763733000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE audit_chain_key (is_only boolean PRIMARY KEY CHECK (is_only), sealed text NOT NULL);
      ALTER TABLE audit_heads
        ADD COLUMN seal text,
        ADD COLUMN unsealed_entries int NOT NULL DEFAULT 0,
        ADD COLUMN unsealed_hash text,
        ADD COLUMN unsealed_seal text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE audit_heads
        DROP COLUMN seal, DROP COLUMN unsealed_entries, DROP COLUMN unsealed_hash, DROP COLUMN unsealed_seal;
      DROP TABLE audit_chain_key`);
  }
}
