import { tenantTable } from '@parley/database';
import type { Migration } from '@parley/database';
import type { QueryRunner } from 'typeorm';

/**
 * Where archived lines of the ledger and the audit log are, and the sum of each month of a ledger. Both tables remain
 * append-only: a line is deleted only once the archive contains it.
 */
export class ArchiveOldLines1764700000000 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(tables);
    for (const table of ['archived_parts', 'credit_months']) await tenantTable(runner, table);
    await runner.query(
      refusals('refuse_ledger_change', { book: 'ledger', id: 'seq', words: 'the credit ledger is append-only' }),
    );
    await runner.query(refusals('refuse_change', { book: 'audit', id: 'id', words: 'the audit log takes new lines only' }));
    await runner.query('GRANT DELETE ON audit_entries TO CURRENT_USER');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE archived_parts, credit_months');
  }
}

/** Both books may be emptied of an organization while it is erased. */
export class EraseBooksOfDeleted1764930000000 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      refusals('refuse_ledger_change', { book: 'ledger', id: 'seq', words: 'the credit ledger is append-only', isErased }),
    );
    await runner.query(
      refusals('refuse_change', { book: 'audit', id: 'id', words: 'the audit log takes new lines only', isErased }),
    );
  }

  async down(): Promise<void> {
    // The older functions refuse more, and nobody needs them back.
  }
}

const isErased = `EXISTS (
  SELECT FROM deleted_organizations WHERE org_id = OLD.org_id AND erasing_since IS NOT NULL AND done_on IS NULL)`;

const tables = `
  CREATE TABLE archived_parts (
    org_id int NOT NULL,
    book text NOT NULL CHECK (book IN ('audit', 'ledger')),
    first bigint NOT NULL,
    last bigint NOT NULL CHECK (last >= first),
    month date NOT NULL,
    lines int NOT NULL CHECK (lines > 0),
    file_key text NOT NULL,
    -- of the lines without what ends them, as they are in the file once it is unpacked
    sha256 text NOT NULL,
    archived_on timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (org_id, book, first)
  );
  CREATE TABLE credit_months (
    org_id int NOT NULL,
    kind text NOT NULL,
    month date NOT NULL,
    granted bigint NOT NULL,
    charged bigint NOT NULL,
    unpaid bigint NOT NULL,
    lines bigint NOT NULL,
    -- what the next line goes on from
    balance_after bigint NOT NULL CHECK (balance_after >= 0),
    PRIMARY KEY (org_id, kind, month)
  )`;

interface Refusal {
  readonly book: string;
  readonly id: string;
  readonly words: string;
  readonly isErased?: string;
}

function refusals(name: string, { book, id, words, isErased = 'false' }: Refusal): string {
  return `
    CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
      IF TG_OP = 'DELETE' AND ((
        SELECT last >= OLD.${id} FROM archived_parts
        WHERE org_id = OLD.org_id AND book = '${book}' AND first <= OLD.${id} ORDER BY first DESC LIMIT 1
      ) OR ${isErased}) THEN
        RETURN OLD;
      END IF;
      RAISE EXCEPTION '${words}';
    END $$`;
}
