import type { exportCreditUsage, listCreditUsage } from '@parley/contracts';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

type ListRequest = z.output<(typeof listCreditUsage)['request']>;

/** Which lines of the ledger; days are instants already. */
export type UsageFilter = Omit<z.output<(typeof exportCreditUsage)['request']>, 'startDate' | 'endDate'> & {
  readonly orgId: number;
  readonly from: Date | null;
  /** The first instant that is too late. */
  readonly until: Date | null;
};

/** How a page is cut. */
export type UsagePage = Pick<ListRequest, 'pageNo' | 'pageSize' | 'sortColumn' | 'sortOrder'>;

const Row = z
  .object({
    CreditEntryKeyID: z.string(),
    CreditEntryID: z.coerce.number(),
    kind: z.enum(['TTT_API', 'TTS_API', 'STT_API']),
    entry: z.enum(['GRANT', 'TOP_UP', 'CHARGE', 'ADJUSTMENT']),
    units: z.coerce.number(),
    unpaidUnits: z.coerce.number(),
    balanceAfter: z.coerce.number(),
    AgentKeyID: z.string().nullable(),
    AgentID: z.int().nullable(),
    IntegrationKeyID: z.string().nullable(),
    IntegrationID: z.int().nullable(),
    requestId: z.string().nullable(),
    note: z.string(),
    createdAt: z.date(),
  })
  .transform(({ createdAt, ...row }) => ({ ...row, CreatedOn: createdAt.toISOString() }));
export type UsageRow = z.output<typeof Row>;

const sortColumns = { CreatedOn: 'l.seq', units: 'l.units', kind: 'l.kind' } as const;

/** An agent is known by its UUID on some lines and by its number on others: a key of the agent tells that both are one. */
const lines = `
  FROM credit_ledger l LEFT JOIN integration_keys k ON k.org_id = l.org_id AND k.key_id::text = l.integration_key
  WHERE l.org_id = $6 AND ($1::text IS NULL OR l.kind = $1)
    AND ($2::timestamptz IS NULL OR l.created_at >= $2) AND ($3::timestamptz IS NULL OR l.created_at < $3)
    AND ($4::uuid IS NULL OR coalesce(l.agent_key, k.agent_key_id) = $4)
    AND ($5::text IS NULL OR l.integration_key = $5)`;

const columns = `
  l.key AS "CreditEntryKeyID", l.seq AS "CreditEntryID", l.kind, l.entry, l.units, l.unpaid AS "unpaidUnits",
  l.balance_after AS "balanceAfter", coalesce(l.agent_key, k.agent_key_id) AS "AgentKeyID",
  coalesce(l.agent_id, k.agent_id) AS "AgentID", k.key_id AS "IntegrationKeyID", k.id AS "IntegrationID",
  l.request_id AS "requestId", l.note, l.created_at AS "createdAt"`;

/** A longer ledger is as long as this: to count every line of it took longer than to read the page. */
const countedMax = 100_000;

/** One page of the ledger in a total order, and how many lines there are in all, counted to a hundred thousand. */
export async function readUsagePage(
  manager: EntityManager,
  filter: UsageFilter,
  page: UsagePage,
): Promise<{ rows: UsageRow[]; totalCount: number }> {
  const { pageNo, pageSize, sortColumn, sortOrder } = page;
  const order = `${sortColumns[sortColumn]} ${sortOrder}, l.seq ${sortOrder}`;
  const values = valuesOf(filter);
  const [rows, counted] = await Promise.all([
    manager.query(`SELECT ${columns} ${lines} ORDER BY ${order} LIMIT $7 OFFSET $8`, [
      ...values,
      pageSize,
      (pageNo - 1) * pageSize,
    ]),
    manager.query<{ total: number }[]>(
      `SELECT count(*)::int AS total FROM (SELECT ${lines} LIMIT ${countedMax}) counted`,
      values,
    ),
  ]);
  return { rows: z.array(Row).parse(rows), totalCount: counted[0]?.total ?? 0 };
}

/** The next lines after one, oldest first: an export walks the ledger without holding it. */
export async function readUsageAfter(
  manager: EntityManager,
  filter: UsageFilter,
  after: number,
  limit: number,
): Promise<UsageRow[]> {
  const rows: unknown[] = await manager.query(`SELECT ${columns} ${lines} AND l.seq > $7 ORDER BY l.seq LIMIT $8`, [
    ...valuesOf(filter),
    after,
    limit,
  ]);
  return z.array(Row).parse(rows);
}

function valuesOf({ orgId, kind, from, until, AgentKeyID, IntegrationKeyID }: UsageFilter): unknown[] {
  return [kind ?? null, from, until, AgentKeyID ?? null, IntegrationKeyID?.toLowerCase() ?? null, orgId];
}
