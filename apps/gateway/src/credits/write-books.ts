import type { Statement } from '@parley/database';
import type { BookChanges } from './book-changes';

/** What a batch changed: accounts, holds and ledger in one statement, so that they agree at every instant; none if nothing did. */
export function writingOf(changes: BookChanges): Statement[] {
  if (changes.isEmpty) return [];
  const values = [...accountColumns(changes), ...holdColumns(changes), ...entryColumns(changes)];
  return [{ name: 'write-credit-books', text: statement, values }];
}

const statement = `
  WITH standing AS (
    UPDATE credit_accounts a SET available = s.available, held = s.held
    FROM unnest($1::int[], $2::text[], $3::bigint[], $4::bigint[]) AS s (org_id, kind, available, held)
    WHERE a.org_id = s.org_id AND a.kind = s.kind
  ), dropped AS (
    DELETE FROM credit_holds h USING unnest($5::int[], $6::uuid[], $7::text[]) AS d (org_id, id, kind)
    WHERE h.org_id = d.org_id AND h.id = d.id AND h.kind = d.kind
  ), kept AS (
    INSERT INTO credit_holds (org_id, id, kind, units, expires_at)
    SELECT org_id, id, kind, units, to_timestamp(expires_at_ms / 1000)
    FROM unnest($8::int[], $9::uuid[], $10::text[], $11::bigint[], $12::float8[]) AS k (org_id, id, kind, units, expires_at_ms)
    ON CONFLICT (org_id, id, kind) DO UPDATE SET expires_at = EXCLUDED.expires_at
  )
  INSERT INTO credit_ledger
    (org_id, kind, entry, units, unpaid, balance_after, reference, note, integration_key, agent_id, agent_key, request_id)
  SELECT org_id, kind, entry, units, unpaid, balance_after, reference, note, integration_key, agent_id, agent_key, request_id
  FROM unnest($13::int[], $14::text[], $15::text[], $16::bigint[], $17::bigint[], $18::bigint[], $19::uuid[], $20::text[],
      $21::text[], $22::int[], $23::uuid[], $24::text[])
    WITH ORDINALITY AS e (org_id, kind, entry, units, unpaid, balance_after, reference, note, integration_key, agent_id,
      agent_key, request_id, position)
  ORDER BY position`;

function accountColumns({ accounts }: BookChanges): unknown[][] {
  return [
    accounts.map(({ orgId }) => orgId),
    accounts.map(({ kind }) => kind),
    accounts.map(({ available }) => available),
    accounts.map(({ held }) => held),
  ];
}

function holdColumns({ droppedHolds, keptHolds }: BookChanges): unknown[][] {
  return [
    droppedHolds.map(({ orgId }) => orgId),
    droppedHolds.map(({ id }) => id),
    droppedHolds.map(({ kind }) => kind),
    keptHolds.map(({ orgId }) => orgId),
    keptHolds.map(({ id }) => id),
    keptHolds.map(({ kind }) => kind),
    keptHolds.map(({ units }) => units),
    keptHolds.map(({ expiresAtMs }) => expiresAtMs),
  ];
}

function entryColumns({ entries }: BookChanges): unknown[][] {
  return [
    entries.map(({ account }) => account.orgId),
    entries.map(({ account }) => account.kind),
    entries.map(({ entry }) => entry),
    entries.map(({ units }) => units),
    entries.map(({ unpaid }) => unpaid),
    entries.map(({ account }) => account.available + account.held),
    entries.map(({ id }) => id),
    entries.map(({ note }) => note),
    entries.map(({ spender }) => spender.keyId ?? null),
    entries.map(({ spender }) => spender.agentId ?? null),
    entries.map(({ spender }) => spender.agentKeyId ?? null),
    entries.map(({ spender }) => spender.requestId ?? null),
  ];
}
