import { type CreditKind, creditKinds } from '@parley/contracts';
import { prepared } from '@parley/database';
import { LRUCache } from 'lru-cache';
import type { EntityManager } from 'typeorm';
import { Books, kindsOf, unitsOf } from './books';
import { type CreditAccount, type Amounts, commonHoldOf, type CreditOperation, type HeldUnits, type Prices } from './operation';

/** An account's initial credits and prices, until others are set. */
export interface AccountTerms {
  readonly initialCredits: Readonly<Record<CreditKind, number>>;
  readonly lowAt: readonly number[];
  readonly prices: Prices;
  /** For organizations with prices of their own. */
  readonly organizationPrices: ReadonlyMap<number, Prices>;
}

const openHolds = `
  SELECT h.org_id AS "orgId", h.id, h.kind, h.units::float8 AS units, h.used::float8 AS used, h.reference, h.prices,
    (extract(epoch FROM h.expires_at) * 1000)::float8 AS "expiresAtMs"
  FROM credit_holds h JOIN (SELECT DISTINCT * FROM unnest($1::int[], $2::uuid[])) AS named (org_id, id) USING (org_id, id)`;

// Looks up each charge by the index: a plan cached while the ledger was short would otherwise read all of an organization's lines
// every time.
const knownCharges = `
  SELECT named.org_id AS "orgId", named.id
  FROM (SELECT DISTINCT * FROM unnest($1::int[], $2::uuid[])) AS named (org_id, id)
  CROSS JOIN LATERAL (
    SELECT FROM credit_ledger l WHERE l.org_id = named.org_id AND l.reference = named.id
    ORDER BY l.org_id, l.reference, l.kind LIMIT 1
  ) known`;

/**
 * Locks the accounts of every organization in a batch, in the same order in every gateway, and reads what the rules need. The
 * three statements are sent together; each sees what the previous one waited for.
 */
export async function readBooks(
  manager: EntityManager,
  operations: readonly CreditOperation[],
  terms: AccountTerms,
): Promise<Books> {
  const orgIds = [...new Set(operations.map(({ orgId }) => orgId))];
  const named = operations.flatMap((operation) => namesOf(operation).map((id) => ({ orgId: operation.orgId, id })));
  const charges = [named.map(({ orgId }) => orgId), named.map(({ id }) => id)];
  const [accounts, holds, charged] = await Promise.all([
    lockAccounts(manager, orgIds),
    prepared<HeldUnits>(manager, { name: 'read-credit-holds', text: openHolds, values: charges }),
    prepared<{ orgId: number; id: string }>(manager, { name: 'read-known-charges', text: knownCharges, values: charges }),
  ]);
  if (accounts.length === orgIds.length * creditKinds.length) return new Books(accounts, holds, charged);
  await openAccounts(manager, orgIds, terms);
  return new Books(await lockAccounts(manager, orgIds), holds, charged);
}

/** The ids under which an operation may have a hold, its own or a common one, or a line in the ledger. */
function namesOf(operation: CreditOperation): string[] {
  const { type, id } = operation;
  if (type === 'topUp') return [id];
  const common = type === 'settle' || (type === 'hold' && !operation.isNew) ? [commonHoldOf(id)] : [];
  return [id, ...common, ...(operation.reference === undefined ? [] : [operation.reference])];
}

function lockAccounts(manager: EntityManager, orgIds: number[]): Promise<CreditAccount[]> {
  const text = `
    SELECT org_id AS "orgId", kind, available::float8 AS available, held::float8 AS held,
      units_per_thousand AS "unitsPerThousand", low_at::float8[] AS "lowAt"
    FROM credit_accounts WHERE org_id = ANY($1::int[]) ORDER BY org_id, kind FOR UPDATE`;
  return prepared<CreditAccount>(manager, { name: 'lock-credit-accounts', text, values: [orgIds] });
}

/**
 * Opens an organization's accounts when it is first seen, and grants its initial credits through the ledger: once, however many
 * gateways see it.
 */
async function openAccounts(manager: EntityManager, orgIds: number[], terms: AccountTerms): Promise<void> {
  const { initialCredits, lowAt, prices, organizationPrices } = terms;
  const accounts = orgIds.flatMap((orgId) =>
    creditKinds.map((kind) => ({ orgId, kind, price: (organizationPrices.get(orgId) ?? prices)[kind] })),
  );
  await manager.query(
    `WITH opened AS (
       INSERT INTO credit_accounts (org_id, kind, available, units_per_thousand, low_at)
       SELECT org_id, kind, units, price, $5::bigint[]
       FROM unnest($1::int[], $2::text[], $3::bigint[], $4::int[]) AS start (org_id, kind, units, price)
       ORDER BY org_id, kind ON CONFLICT DO NOTHING
       RETURNING org_id, kind, available
     )
     INSERT INTO credit_ledger (org_id, kind, entry, units, balance_after, reference, note)
     SELECT org_id, kind, 'GRANT', available, available, gen_random_uuid(), 'Initial credits' FROM opened WHERE available > 0`,
    [
      accounts.map(({ orgId }) => orgId),
      accounts.map(({ kind }) => kind),
      accounts.map(({ kind }) => initialCredits[kind]),
      accounts.map(({ price }) => price),
      lowAt,
    ],
  );
}

/** An account must have this many times the estimate, so that other gateways hardly use it up before this hold is written. */
const plentifulTimesMin = 100;
/** A balance read longer ago says nothing about what other gateways have spent since. */
const plentifulForMs = 10_000;
/** Another gateway that works for this organization will probably change it again, so its accounts are read anew for this long. */
const rereadForMs = 1_000;
const organizationsMax = 3_000;
/** Open charges cached per organization; beyond this, they are looked up when they end. */
const chargesMax = 5_000;

interface Remembered {
  readonly accounts: Map<CreditKind, CreditAccount>;
  /** The holds of charges that this gateway opened; none of its own for a charge under a common hold. */
  readonly charges: Map<string, HeldUnits[]>;
  readonly asOfMs: number;
  readonly invalidUntilMs: number;
}

/**
 * The accounts as this gateway last wrote them. Other gateways write them too, so a change based on this copy is written only if
 * Postgres finds the accounts unchanged.
 */
export class RememberedAccounts {
  private readonly known = new LRUCache<number, Remembered>({ max: organizationsMax });

  /** Caches books that were committed. */
  note(books: Books): void {
    const asOfMs = performance.now();
    for (const [orgId, accounts] of Map.groupBy(books.current, (account) => account.orgId)) {
      const { charges = new Map<string, HeldUnits[]>(), invalidUntilMs = 0 } = this.known.get(orgId) ?? {};
      this.known.set(orgId, {
        accounts: new Map(accounts.map((account) => [account.kind, account])),
        charges,
        asOfMs,
        invalidUntilMs,
      });
    }
    this.noteHolds(books);
  }

  /** The books for some operations; undefined unless everything they need is cached. */
  booksFor(operations: readonly CreditOperation[]): Books | undefined {
    const accounts = new Map<number, CreditAccount[]>();
    // A batch may end many charges under one common hold.
    const holds = new Set<HeldUnits>();
    for (const operation of operations) {
      const remembered = this.known.get(operation.orgId);
      const open = remembered?.charges.get(operation.id);
      if (!remembered || remembered.invalidUntilMs > performance.now() || !isDecidedBy(operation, open)) return undefined;
      const common = operation.type === 'settle' ? remembered.charges.get(commonHoldOf(operation.id)) : undefined;
      if (operation.type === 'settle' && open?.length === 0 && !common) return undefined;
      for (const part of [...(open ?? []), ...(common ?? [])]) holds.add(part);
      accounts.set(operation.orgId, [...remembered.accounts.values()]);
    }
    return new Books([...accounts.values()].flat(), [...holds], []);
  }

  /** Other gateways changed these accounts, or the outcome of a change is unknown: the next changes read them again. */
  invalidate(operations: readonly CreditOperation[]): void {
    const invalidUntilMs = performance.now() + rereadForMs;
    for (const { orgId } of operations) {
      const remembered = this.known.get(orgId);
      if (remembered) this.known.set(orgId, { ...remembered, charges: new Map(), invalidUntilMs });
    }
  }

  /** Whether the organization recently had so much more than the estimate that its hold is very unlikely to be refused. */
  isPlentiful(orgId: number, estimate: Amounts): boolean {
    const remembered = this.known.get(orgId);
    if (!remembered || performance.now() - remembered.asOfMs > plentifulForMs) return false;
    return kindsOf(estimate).every(([kind, amount]) => {
      const account = remembered.accounts.get(kind);
      return account !== undefined && account.available >= plentifulTimesMin * unitsOf(amount, account);
    });
  }

  /** How many charges of the organization are open here. */
  openCharges(orgId: number): number {
    return this.known.get(orgId)?.charges.size ?? 0;
  }

  /** Caches a charge under a common hold, which nobody else can have ended as long as the accounts do not change. */
  noteShare(orgId: number, id: string): void {
    const charges = this.known.get(orgId)?.charges;
    if (charges && charges.size < chargesMax) charges.set(id, []);
  }

  /** Whether a common hold is cached, and was admitted at the prices that the organization has now. */
  commonHold(orgId: number, id: string): 'CURRENT' | 'OUTDATED' | 'UNKNOWN' {
    const remembered = this.known.get(orgId);
    const [part] = remembered?.charges.get(id) ?? [];
    if (!remembered || !part) return 'UNKNOWN';
    const isCurrent = creditKinds.every((kind) => part.prices?.[kind] === remembered.accounts.get(kind)?.unitsPerThousand);
    return isCurrent ? 'CURRENT' : 'OUTDATED';
  }

  forgetShare(orgId: number, id: string): void {
    this.known.get(orgId)?.charges.delete(id);
  }

  private noteHolds({ changes }: Books): void {
    for (const { orgId, id } of changes.droppedHolds) this.known.get(orgId)?.charges.delete(id);
    for (const [id, parts] of Map.groupBy(changes.keptHolds, (part) => part.id)) {
      const charges = this.known.get(parts[0]?.orgId ?? 0)?.charges;
      if (charges && charges.size < chargesMax) charges.set(id, parts);
    }
  }
}

/**
 * Whether the cached books decide an operation: a new charge needs no look-up, and a cached one is fully known, unless another
 * attempt may have been charged for its key. A charge whose hold is open has no line in the ledger yet.
 */
function isDecidedBy(operation: CreditOperation, open: readonly HeldUnits[] | undefined): boolean {
  if (operation.type === 'hold' && open)
    return open.length > 0 && !operation.isNew && operation.reference === undefined && open.every(({ reference }) => !reference);
  if (operation.type === 'hold') return operation.isNew === true;
  if (operation.type === 'settle' && operation.reference !== undefined) return false;
  return open !== undefined && (operation.type === 'settle' || (operation.type === 'release' && !operation.onlyExpired));
}
