import { tenantTable } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Accounts, holds and the ledger. For each account granted = available + held + charged; constraints keep every statement from
 * going below zero or charging twice.
 */
export class CreateCredits1763730000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(accounts);
    await runner.query(ledger);
    await runner.query(appendOnly);
    for (const table of ['credit_accounts', 'credit_holds', 'credit_ledger']) await tenantTable(runner, table);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE credit_ledger, credit_holds, credit_accounts; DROP FUNCTION refuse_ledger_change()');
  }
}

/** Usage already known under a hold, so that it is charged even if the gateway dies. */
export class NoteUsedCredits1763900100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE credit_holds ADD COLUMN used bigint NOT NULL DEFAULT 0 CHECK (used >= 0)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE credit_holds DROP COLUMN used');
  }
}

/** The Idempotency-Key's charge that a hold belongs to, so that a dead gateway's attempt is charged under it. */
export class NameKeysOfHolds1764900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE credit_holds ADD COLUMN reference uuid');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE credit_holds DROP COLUMN reference');
  }
}

/** The prices when a charge was admitted: a price change does not affect work in progress. Older gateways write none. */
export class KeepPricesOfHolds1764910000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE credit_holds ADD COLUMN prices jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE credit_holds DROP COLUMN prices');
  }
}

const accounts = `
  CREATE TABLE credit_accounts (
    org_id int NOT NULL,
    kind text NOT NULL CHECK (kind IN ('TTT_API', 'TTS_API', 'STT_API')),
    available bigint NOT NULL CHECK (available >= 0),
    held bigint NOT NULL DEFAULT 0 CHECK (held >= 0),
    units_per_thousand int NOT NULL DEFAULT 1000 CHECK (units_per_thousand BETWEEN 0 AND 1000000),
    low_at bigint[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (org_id, kind)
  ) WITH (fillfactor = 50);
  CREATE TABLE credit_holds (
    org_id int NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL,
    units bigint NOT NULL CHECK (units >= 0),
    expires_at timestamptz NOT NULL,
    -- no index by expiry: the table has only what is open now, and every index is paid by every call
    PRIMARY KEY (org_id, id, kind)
  )`;

const ledger = `
  CREATE TABLE credit_ledger (
    seq bigint GENERATED ALWAYS AS IDENTITY,
    key uuid NOT NULL DEFAULT gen_random_uuid(),
    org_id int NOT NULL,
    kind text NOT NULL,
    entry text NOT NULL CHECK (entry IN ('GRANT', 'TOP_UP', 'CHARGE', 'ADJUSTMENT')),
    units bigint NOT NULL,
    unpaid bigint NOT NULL DEFAULT 0 CHECK (unpaid >= 0),
    balance_after bigint NOT NULL CHECK (balance_after >= 0),
    -- the charge that this line settles: a second settlement of it cannot be written
    reference uuid NOT NULL,
    note text NOT NULL DEFAULT '',
    integration_key text,
    agent_id int,
    agent_key uuid,
    request_id text,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (org_id, seq),
    CONSTRAINT credit_ledger_once UNIQUE (org_id, reference, kind)
  );
  CREATE INDEX credit_ledger_time ON credit_ledger USING brin (created_at)`;

const appendOnly = `
  CREATE FUNCTION refuse_ledger_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'the credit ledger is append-only'; END $$;
  CREATE TRIGGER credit_ledger_append_only BEFORE UPDATE OR DELETE ON credit_ledger
    FOR EACH ROW EXECUTE FUNCTION refuse_ledger_change();
  CREATE TRIGGER credit_ledger_no_truncate BEFORE TRUNCATE ON credit_ledger
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_ledger_change()`;
