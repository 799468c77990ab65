import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  type BodyOf,
  type CreditKind,
  creditKinds,
  type exportCreditUsage,
  Fault,
  type getCreditBalance,
  type listCreditUsage,
  readAgentRuntime,
  type setCreditAlerts,
  type topUpCredits,
} from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, organizationOf, ServiceBus } from '@parley/messaging';
import { firstInstant, firstInstantAfter, OrganizationTimeZones } from '@parley/service-kit';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { Archive } from '../archive/archive';
import { CreditBook } from './credit-book';
import type { TopUp } from './operation';

type Balance = z.input<(typeof getCreditBalance)['reply']>['balances'][number];

const unitNames = { TTT_API: 'tokens', TTS_API: 'characters', STT_API: 'audioSeconds' } as const;
const patienceMs = 8_000;
const exportedAtOnce = 500;
/** No charge has this id: releasing it creates the accounts of an organization that has none yet. */
const noCharge = '00000000-0000-0000-0000-000000000000';

/** The requests of members and operators about credits. */
@Injectable()
export class CreditsService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly book: CreditBook,
    private readonly bus: ServiceBus,
    private readonly archive: Archive,
    private readonly timeZones: OrganizationTimeZones,
  ) {}

  async balances(orgId: number): Promise<Balance[]> {
    await this.book.caughtUp(orgId);
    const rows = await this.accounts(orgId);
    if (rows.length === creditKinds.length) return rows;
    await this.open(orgId);
    return this.accounts(orgId);
  }

  async topUp({ kind, units, note, reference = randomUUID() }: BodyOf<typeof topUpCredits>, call: Call): Promise<Balance> {
    const orgId = organizationOf(call);
    const spender = { keyId: call.principal?.keyId, requestId: call.requestId };
    const { outcome } = await this.book.do({ type: 'topUp', orgId, id: reference, kind, units, note, spender }, patienceMs);
    if (outcome === 'repeated') await this.requireSameTopUp({ orgId, id: reference, kind, units });
    if (outcome === 'full') throw new Fault('CONFLICT', { message: 'The balance would exceed the maximum of an account.' });
    return this.balanceOf(orgId, kind);
  }

  /** A reference that was used for another top-up adds nothing, which its sender must not take for success. */
  private async requireSameTopUp({ orgId, id, kind, units }: Pick<TopUp, 'orgId' | 'id' | 'kind' | 'units'>): Promise<void> {
    const made: { kind: string; units: string }[] = await this.tenants.read(orgId, (manager) =>
      manager.query('SELECT kind, units FROM credit_ledger WHERE org_id = $1 AND reference = $2', [orgId, id]),
    );
    if (made.some((each) => each.kind === kind && Number(each.units) === units) || made.length === 0) return;
    throw new Fault('CONFLICT', { message: 'This reference was used for another top-up: use one reference for each.' });
  }

  async setAlerts({ kind, lowAt }: BodyOf<typeof setCreditAlerts>, orgId: number): Promise<void> {
    await this.change(orgId, 'UPDATE credit_accounts SET low_at = $3 WHERE org_id = $1 AND kind = $2', [kind, lowAt]);
  }

  async usage(body: BodyOf<typeof listCreditUsage>, call: Call) {
    const filter = await this.filterOf(body, call);
    const [page, begin] = await Promise.all([
      this.tenants.read(filter.orgId, (manager) => readUsagePage(manager, filter, body)),
      this.archive.beginOf(filter.orgId, filter.from),
    ]);
    if (page.totalCount === 0) await this.requireKnown(filter);
    return { ...page, archivedBefore: begin?.toISOString() ?? null };
  }

  /**
   * Every matching line, archived ones included, oldest first, in batches of a few hundred; at least one batch, which may be
   * empty.
   */
  async *allUsage(body: BodyOf<typeof exportCreditUsage>, call: Call): AsyncGenerator<UsageRow[]> {
    const filter = await this.filterOf(body, call);
    const { orgId } = filter;
    for (let after = 0; ;) {
      const rows = await this.tenants.read(orgId, (manager) => readUsageAfter(manager, filter, after, exportedAtOnce));
      if (after === 0 && rows.length === 0) await this.requireKnown(filter);
      // Read after the table: a line that was no longer in it is in the archive by now.
      const last = await this.archive.lastOf(orgId);
      if (last > after) {
        yield* this.archivedUsage(filter, { after, last });
        after = last;
        continue;
      }
      yield rows;
      if (rows.length < exportedAtOnce) return;
      after = rows.at(-1)?.CreditEntryID ?? after;
    }
  }

  private async *archivedUsage(filter: UsageFilter, stretch: { readonly after: number; readonly last: number }) {
    const { orgId, from, until } = filter;
    let batch: unknown[] = [];
    const fitting = (): Promise<UsageRow[]> => this.tenants.read(orgId, (manager) => fittingOf(manager, filter, batch));
    for await (const line of this.archive.archived(orgId, { ...stretch, from, until })) {
      batch.push(line);
      if (batch.length < exportedAtOnce) continue;
      yield await fitting();
      batch = [];
    }
    if (batch.length > 0) yield await fitting();
  }

  private async filterOf({ startDate, endDate, ...rest }: BodyOf<typeof exportCreditUsage>, call: Call): Promise<UsageFilter> {
    const orgId = organizationOf(call);
    const { agentIds = null, memberId = null } = call.principal ?? {};
    await this.book.caughtUp(orgId);
    const timeZone = await this.timeZones.forDates([startDate, endDate], call);
    const from = startDate ? firstInstant(startDate, timeZone) : null;
    const until = endDate ? firstInstantAfter(endDate, timeZone) : null;
    const filter = { ...rest, orgId, from, until, agentIds, memberId };
    if (filter.from && filter.until && filter.from >= filter.until) {
      const details = [{ field: 'startDate', message: 'must not be after endDate' }];
      throw new Fault('VALIDATION_FAILED', { message: 'startDate must not be after endDate', details });
    }
    return filter;
  }

  /** An agent or key that appears in the ledger is known. Any other must exist, or have existed. */
  private async requireKnown({ orgId, AgentKeyID, IntegrationKeyID, agentIds, memberId }: UsageFilter): Promise<void> {
    if (AgentKeyID) await this.bus.ask(readAgentRuntime, { AgentKeyID, mayBeDeleted: true });
    if (!IntegrationKeyID) return;
    const found: unknown[] = await this.tenants.read(orgId, (manager) =>
      manager.query(
        `SELECT FROM integration_keys
         WHERE org_id = $1 AND key_id = $2 AND ($3::int[] IS NULL OR agent_id = ANY($3) OR member_id = $4)`,
        [orgId, IntegrationKeyID, agentIds, memberId],
      ),
    );
    if (found.length === 0) throw new Fault('NOT_FOUND', { message: 'There is no such key.' });
  }

  private async balanceOf(orgId: number, kind: CreditKind): Promise<Balance> {
    const balance = (await this.accounts(orgId)).find((account) => account.kind === kind);
    if (!balance) throw new Fault('INTERNAL', { cause: new Error(`no account for ${kind}`) });
    return balance;
  }

  private accounts(orgId: number): Promise<Balance[]> {
    return this.tenants.read(orgId, async (manager) => {
      const rows: Omit<Balance, 'unit' | 'balance'>[] = await manager.query(
        `SELECT kind, available::float8 AS available, held::float8 AS held,
           units_per_thousand AS "unitsPerThousand", low_at::float8[] AS "lowAt"
         FROM credit_accounts WHERE org_id = $1 ORDER BY kind DESC`,
        [orgId],
      );
      return rows.map(({ available, ...account }) => {
        return { ...account, available, unit: unitNames[account.kind], balance: available + account.held };
      });
    });
  }

  private async open(orgId: number): Promise<void> {
    await this.book.do({ type: 'release', orgId, id: noCharge, onlyExpired: true }, patienceMs);
  }

  private async change(orgId: number, statement: string, values: unknown[]): Promise<void> {
    await this.balances(orgId);
    await this.tenants.run(orgId, (manager) => manager.query(statement, [orgId, ...values]));
  }
}

type ListRequest = z.output<(typeof listCreditUsage)['request']>;

/** Which lines of the ledger. Days have been converted to instants. */
type UsageFilter = Omit<z.output<(typeof exportCreditUsage)['request']>, 'startDate' | 'endDate'> & {
  readonly orgId: number;
  readonly from: Date | null;
  /** The first instant after the period. */
  readonly until: Date | null;
  /** For a member restricted to some agents: shows the lines of these, and of the member's own keys. */
  readonly agentIds: readonly number[] | null;
  readonly memberId: string | null;
};

/** Which page, and its order. */
type UsagePage = Pick<ListRequest, 'pageNo' | 'pageSize' | 'sortColumn' | 'sortOrder'>;

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

/** Lines identify an agent by UUID or by number; the agent's keys link the two. */
const linesIn = (ledger: string): string => `
  FROM ${ledger} l LEFT JOIN integration_keys k ON k.org_id = l.org_id AND k.key_id::text = l.integration_key
  WHERE l.org_id = $6 AND ($1::text IS NULL OR l.kind = $1)
    AND ($2::timestamptz IS NULL OR l.created_at >= $2) AND ($3::timestamptz IS NULL OR l.created_at < $3)
    AND ($4::uuid IS NULL OR coalesce(l.agent_key, k.agent_key_id) = $4)
    AND ($5::text IS NULL OR l.integration_key = $5)
    AND ($7::int[] IS NULL OR coalesce(l.agent_id, k.agent_id) = ANY($7) OR k.member_id = $8)`;

const lines = linesIn('credit_ledger');

const columns = `
  l.key AS "CreditEntryKeyID", l.seq AS "CreditEntryID", l.kind, l.entry, l.units, l.unpaid AS "unpaidUnits",
  l.balance_after AS "balanceAfter", coalesce(l.agent_key, k.agent_key_id) AS "AgentKeyID",
  coalesce(l.agent_id, k.agent_id) AS "AgentID", k.key_id AS "IntegrationKeyID", k.id AS "IntegrationID",
  l.request_id AS "requestId", l.note, l.created_at AS "createdAt"`;

/** Counting stops here: counting every line took longer than reading the page. */
const countedMax = 100_000;

/** One page of the ledger in a total order, and the number of lines, counted up to a hundred thousand. */
async function readUsagePage(
  manager: EntityManager,
  filter: UsageFilter,
  page: UsagePage,
): Promise<{ rows: UsageRow[]; totalCount: number }> {
  const { pageNo, pageSize, sortColumn, sortOrder } = page;
  const order = `${sortColumns[sortColumn]} ${sortOrder}, l.seq ${sortOrder}`;
  const values = valuesOf(filter);
  const [rows, counted] = await Promise.all([
    manager.query<unknown>(`SELECT ${columns} ${lines} ORDER BY ${order} LIMIT $9 OFFSET $10`, [
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

/** The lines after a given one, oldest first: an export walks the ledger without loading all of it. */
async function readUsageAfter(manager: EntityManager, filter: UsageFilter, after: number, limit: number): Promise<UsageRow[]> {
  const rows: unknown[] = await manager.query(`SELECT ${columns} ${lines} AND l.seq > $9 ORDER BY l.seq LIMIT $10`, [
    ...valuesOf(filter),
    after,
    limit,
  ]);
  return z.array(Row).parse(rows);
}

/** The archived lines that match. */
async function fittingOf(manager: EntityManager, filter: UsageFilter, archived: readonly unknown[]): Promise<UsageRow[]> {
  const ledger = 'jsonb_populate_recordset(NULL::credit_ledger, $9)';
  const rows: unknown[] = await manager.query(`SELECT ${columns} ${linesIn(ledger)} ORDER BY l.seq`, [
    ...valuesOf(filter),
    JSON.stringify(archived),
  ]);
  return z.array(Row).parse(rows);
}

function valuesOf({ orgId, kind, from, until, AgentKeyID, IntegrationKeyID, agentIds, memberId }: UsageFilter): unknown[] {
  return [kind ?? null, from, until, AgentKeyID ?? null, IntegrationKeyID?.toLowerCase() ?? null, orgId, agentIds, memberId];
}
