import { tenantTable } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The audit log, the head of each organization's chain, and attempts without an outcome so far. */
export class CreateAudit1763720000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE audit_entries (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        org_id int NOT NULL,
        key_id uuid NOT NULL UNIQUE,
        action text NOT NULL,
        member_id uuid,
        integration_key_id uuid,
        integration_id int,
        subject text NOT NULL,
        before jsonb,
        after jsonb,
        request_id text NOT NULL,
        outcome text NOT NULL,
        previous_hash text NOT NULL,
        hash text NOT NULL,
        created_on timestamptz(3) NOT NULL,
        CONSTRAINT audit_entries_do_not_fork UNIQUE (org_id, previous_hash)
      );
      CREATE INDEX audit_entries_of_organization ON audit_entries (org_id, id);
      CREATE TABLE audit_heads (org_id int PRIMARY KEY, hash text NOT NULL, entries int NOT NULL);
      CREATE TABLE audit_intents (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        org_id int NOT NULL,
        attempt jsonb NOT NULL,
        begun_on timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX audit_intents_age ON audit_intents (begun_on);

      CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'the audit log takes new lines only';
      END $$;
      CREATE TRIGGER audit_entries_stay BEFORE UPDATE OR DELETE ON audit_entries FOR EACH ROW EXECUTE FUNCTION refuse_change();
      CREATE TRIGGER audit_entries_stay_all BEFORE TRUNCATE ON audit_entries EXECUTE FUNCTION refuse_change();
      REVOKE UPDATE, DELETE, TRUNCATE ON audit_entries FROM PUBLIC, CURRENT_USER`);
    for (const table of ['audit_entries', 'audit_heads', 'audit_intents']) await tenantTable(runner, table);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE audit_entries, audit_heads, audit_intents; DROP FUNCTION refuse_change');
  }
}

/**
 * The sealed key of the audit chains; for each chain, the seal of its head and of the lines written before sealing was
 * introduced.
 */
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
