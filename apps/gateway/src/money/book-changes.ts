import { type CreditKind, usageRecorded } from '@parley/contracts';
import { outboxColumns, outboxRow, type Statement } from '@parley/database';
import type { CreditAccount, HeldUnits, Prices, Spender } from './operation';

/** A ledger line, with the account's state after it. */
export interface LedgerEntry {
  readonly account: CreditAccount;
  readonly id: string;
  readonly entry: 'CHARGE' | 'TOP_UP';
  readonly units: number;
  /** Usage beyond the hold that the balance could not cover. */
  readonly unpaid: number;
  readonly note: string;
  readonly spender: Spender;
}

/** A balance that fell below a threshold. */
interface CrossedThreshold {
  readonly account: CreditAccount;
  readonly threshold: number;
}

/** The net changes of a batch of operations: each account and hold appears once. */
export class BookChanges {
  readonly entries: LedgerEntry[] = [];
  readonly thresholdsCrossed: CrossedThreshold[] = [];
  private readonly changed = new Map<string, CreditAccount>();
  private readonly before = new Map<string, CreditAccount>();
  private readonly kept = new Map<string, HeldUnits>();
  private readonly dropped = new Map<string, HeldUnits>();
  private readonly keptBefore = new Map<string, HeldUnits>();

  get accounts(): CreditAccount[] {
    return [...this.changed.values()];
  }

  /** These accounts as they were before, and others that must not have changed. */
  get accountsBefore(): CreditAccount[] {
    return [...this.before.values()];
  }

  get keptHolds(): HeldUnits[] {
    return [...this.kept.values()];
  }

  get droppedHolds(): HeldUnits[] {
    return [...this.dropped.values()];
  }

  /** Of the kept holds that were open before, how they were. */
  get holdsBefore(): HeldUnits[] {
    return [...this.keptBefore.values()];
  }

  get isEmpty(): boolean {
    return this.changed.size + this.kept.size + this.dropped.size + this.entries.length === 0;
  }

  enter(entry: LedgerEntry): void {
    this.entries.push(entry);
  }

  setBalance(after: CreditAccount, before: CreditAccount): void {
    this.changed.set(accountOf(after), after);
    this.expect(before);
  }

  /** What was decided depends on this account, though it stays as it is. */
  expect(account: CreditAccount): void {
    if (!this.before.has(accountOf(account))) this.before.set(accountOf(account), account);
  }

  keep(parts: readonly HeldUnits[], before: readonly HeldUnits[]): void {
    for (const part of before) if (!this.kept.has(partOf(part))) this.keptBefore.set(partOf(part), part);
    for (const part of parts) this.kept.set(partOf(part), part);
  }

  /** The hold may have been made in this same batch: removing a missing one does no harm. */
  drop(parts: readonly HeldUnits[]): void {
    for (const part of parts) {
      this.kept.delete(partOf(part));
      this.keptBefore.delete(partOf(part));
      this.dropped.set(partOf(part), part);
    }
  }

  /** Records the lowest threshold crossed between two states of an account. Holds do not count, only spending. */
  noteThreshold(before: CreditAccount, after: CreditAccount): void {
    const from = before.available + before.held;
    const to = after.available + after.held;
    const crossed = after.lowAt.filter((threshold) => from >= threshold && to < threshold);
    if (crossed.length > 0) this.thresholdsCrossed.push({ account: after, threshold: Math.min(...crossed) });
  }
}

const accountOf = ({ orgId, kind }: CreditAccount): string => `${orgId} ${kind}`;
const partOf = ({ orgId, id, kind }: HeldUnits): string => `${orgId} ${id} ${kind}`;

interface WrittenUsage {
  readonly orgId: number;
  readonly kind: CreditKind;
  readonly AgentID: number | null;
  readonly units: number;
  readonly requests: number;
}

interface Writing {
  /** The books were not locked: nothing is written unless they are still what the changes were computed from. */
  readonly isGuess: boolean;
}

/**
 * Writes a batch's changes: accounts, holds, ledger lines and events in one statement, so that they always agree. The statement
 * returns whether it wrote.
 */
export function writingOf(changes: BookChanges, { isGuess }: Writing): Statement {
  const values = [
    ...accountColumns(changes.accounts),
    ...holdColumns(changes),
    ...entryColumns(changes),
    ...usageColumns(changes),
  ];
  const used = listed(changes.keptHolds, (part) => part.used);
  const references = changes.keptHolds.map(({ reference }) => reference ?? null);
  const expected = expectedColumns(changes, isGuess);
  const usedBefore = isGuess ? usedBeforeColumn(changes) : '{}';
  const prices = pricesColumn(changes.keptHolds);
  return { name: 'write-credit-books', text: statement, values: [...values, ...expected, used, references, prices, usedBefore] };
}

// Locks the accounts first, in the same order in every gateway, and then the holds, like the statement that reads the books.
const statement = `
  WITH unchanged AS MATERIALIZED (
    SELECT FROM credit_accounts a
    JOIN unnest($30::int[], $31::text[], $32::bigint[], $33::bigint[], $34::int[], $35::text[])
      AS e (org_id, kind, available, held, units_per_thousand, low_at) USING (org_id, kind)
    WHERE a.available = e.available AND a.held = e.held AND a.units_per_thousand = e.units_per_thousand AND a.low_at::text = e.low_at
    ORDER BY a.org_id, a.kind FOR UPDATE OF a
  ), open AS MATERIALIZED (
    SELECT FROM credit_holds h
    JOIN unnest($36::int[], $37::uuid[], $38::text[], $39::bigint[], $43::float8[]) AS e (org_id, id, kind, units, used)
      USING (org_id, id, kind)
    WHERE h.units = e.units AND (e.used IS NULL OR h.used = e.used) AND (SELECT count(*) FROM unchanged) = cardinality($30)
    FOR UPDATE OF h
  ), checked AS MATERIALIZED (
    SELECT (SELECT count(*) FROM unchanged) = cardinality($30) AND (SELECT count(*) FROM open) = cardinality($36) AS "isWritten"
  ), standing AS (
    UPDATE credit_accounts a SET available = s.available, held = s.held
    FROM unnest($1::int[], $2::text[], $3::bigint[], $4::bigint[]) AS s (org_id, kind, available, held)
    WHERE a.org_id = s.org_id AND a.kind = s.kind AND (SELECT "isWritten" FROM checked)
  ), dropped AS (
    DELETE FROM credit_holds h USING unnest($5::int[], $6::uuid[], $7::text[]) AS d (org_id, id, kind)
    WHERE h.org_id = d.org_id AND h.id = d.id AND h.kind = d.kind AND (SELECT "isWritten" FROM checked)
  ), kept AS (
    INSERT INTO credit_holds (org_id, id, kind, units, used, expires_at, reference, prices)
    SELECT org_id, id, kind, units, used, to_timestamp(expires_at_ms / 1000), reference, prices
    FROM unnest($8::int[], $9::uuid[], $10::text[], $11::bigint[], $12::float8[], $40::bigint[], $41::uuid[], $42::jsonb[])
      AS k (org_id, id, kind, units, expires_at_ms, used, reference, prices)
    WHERE (SELECT "isWritten" FROM checked)
    ON CONFLICT (org_id, id, kind) DO UPDATE
    SET units = EXCLUDED.units, used = EXCLUDED.used, expires_at = EXCLUDED.expires_at
  ), entered AS (
    INSERT INTO credit_ledger
      (org_id, kind, entry, units, unpaid, balance_after, reference, note, integration_key, agent_id, agent_key, request_id)
    SELECT org_id, kind, entry, units, unpaid, balance_after, reference, note, integration_key, agent_id, agent_key, request_id
    FROM unnest($13::int[], $14::text[], $15::text[], $16::bigint[], $17::bigint[], $18::bigint[], $19::uuid[], $20::text[],
        $21::text[], $22::int[], $23::uuid[], $24::text[])
      WITH ORDINALITY AS e (org_id, kind, entry, units, unpaid, balance_after, reference, note, integration_key, agent_id,
        agent_key, request_id, position)
    WHERE (SELECT "isWritten" FROM checked)
    ORDER BY position
  ), told AS (
    INSERT INTO ${outboxColumns}
    SELECT * FROM unnest($25::uuid[], $26::text[], $27::int[], $28::json[], $29::int[]) WHERE (SELECT "isWritten" FROM checked)
  )
  SELECT "isWritten" FROM checked`;

/**
 * Numbers, or words of ours without a quote, as Postgres writes an array. Of an array pg would copy and quote each element, which
 * takes nearly as long as deciding the batch.
 */
function listed<Row>(rows: readonly Row[], valueOf: (row: Row) => number | CreditKind | LedgerEntry['entry'] | null): string {
  let text = '';
  for (const row of rows) text += `${text === '' ? '' : ','}${valueOf(row) ?? 'NULL'}`;
  return `{${text}}`;
}

function accountColumns(accounts: readonly CreditAccount[]): unknown[] {
  return [
    listed(accounts, ({ orgId }) => orgId),
    listed(accounts, ({ kind }) => kind),
    listed(accounts, ({ available }) => available),
    listed(accounts, ({ held }) => held),
  ];
}

function holdColumns({ droppedHolds, keptHolds }: BookChanges): unknown[] {
  return [
    listed(droppedHolds, ({ orgId }) => orgId),
    droppedHolds.map(({ id }) => id),
    listed(droppedHolds, ({ kind }) => kind),
    listed(keptHolds, ({ orgId }) => orgId),
    keptHolds.map(({ id }) => id),
    listed(keptHolds, ({ kind }) => kind),
    listed(keptHolds, ({ units }) => units),
    listed(keptHolds, ({ expiresAtMs }) => expiresAtMs),
  ];
}

/** Most holds of a batch are of one organization, whose prices are one object. */
function pricesColumn(holds: readonly HeldUnits[]): (string | null)[] {
  let last: { readonly prices: Prices; readonly text: string } | undefined;
  return holds.map(({ prices }) => {
    if (!prices) return null;
    if (last?.prices !== prices) last = { prices, text: JSON.stringify(prices) };
    return last.text;
  });
}

function entryColumns({ entries }: BookChanges): unknown[] {
  return [
    listed(entries, ({ account }) => account.orgId),
    listed(entries, ({ account }) => account.kind),
    listed(entries, ({ entry }) => entry),
    listed(entries, ({ units }) => units),
    listed(entries, ({ unpaid }) => unpaid),
    listed(entries, ({ account }) => account.available + account.held),
    entries.map(({ id }) => id),
    entries.map(({ note }) => note),
    entries.map(({ spender }) => spender.keyId ?? null),
    listed(entries, ({ spender }) => spender.agentId ?? null),
    entries.map(({ spender }) => spender.agentKeyId ?? null),
    entries.map(({ spender }) => spender.requestId ?? null),
  ];
}

/** The columns of `outboxColumns`. These events are not urgent: they are published at the next poll. */
function usageColumns({ entries }: BookChanges): unknown[] {
  const rows = summedUsage(entries).map(({ orgId, ...payload }) => outboxRow(usageRecorded, { orgId, payload }).values);
  return [0, 1, 2, 3, 4].map((column) => rows.map((row) => row[column]));
}

/** Of the holds in `expectedColumns`: what was noted under a dropped one does not matter any more. */
function usedBeforeColumn({ droppedHolds, holdsBefore }: BookChanges): string {
  return listed([...droppedHolds.map(() => null), ...holdsBefore.map(({ used }) => used)], (used) => used);
}

/** The accounts and the holds as the changes assume them; empty if the books are locked. */
function expectedColumns({ accountsBefore, droppedHolds, holdsBefore }: BookChanges, isGuess: boolean): unknown[] {
  const accounts = isGuess ? accountsBefore : [];
  const holds = isGuess ? [...droppedHolds, ...holdsBefore] : [];
  return [
    ...accountColumns(accounts),
    listed(accounts, ({ unitsPerThousand }) => unitsPerThousand),
    accounts.map(({ lowAt }) => `{${lowAt.join(',')}}`),
    listed(holds, ({ orgId }) => orgId),
    holds.map(({ id }) => id),
    listed(holds, ({ kind }) => kind),
    listed(holds, ({ units }) => units),
  ];
}

/** The charges of one commit by organization, kind and agent: one event for each, not one per request. */
function summedUsage(entries: readonly LedgerEntry[]): WrittenUsage[] {
  const sums = new Map<string, WrittenUsage>();
  for (const { entry, units, account, spender } of entries) {
    if (entry !== 'CHARGE') continue;
    const { orgId, kind } = account;
    const AgentID = spender.agentId ?? null;
    const name = `${orgId} ${kind} ${AgentID}`;
    const sum = sums.get(name) ?? { orgId, kind, AgentID, units: 0, requests: 0 };
    sums.set(name, { ...sum, units: sum.units - units, requests: sum.requests + 1 });
  }
  return [...sums.values()];
}
