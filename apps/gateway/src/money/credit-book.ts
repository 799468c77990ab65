import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { type CreditKind, creditKinds, creditsLow } from '@parley/contracts';
import { Coalescer, isPassingFailure, Outbox, prepared, type Statement, TenantScope } from '@parley/database';
import type { EntityManager } from 'typeorm';
import type { Account, Amounts, CreditOperation, CreditOutcome, HeldUnits, Hold, Prices } from './operation';
import { type BookChanges, Books } from './books';
import { HoldQueue } from './hold-queue';
import { RememberedAccounts } from './remembered-accounts';
import { writingOf } from './write-books';

/** An account's initial credits and prices, until they are set otherwise. */
interface AccountTerms {
  readonly initialCredits: Readonly<Record<CreditKind, number>>;
  readonly lowAt: readonly number[];
  readonly prices: Prices;
  /** Prices of organizations with other than the standard ones. */
  readonly organizationPrices: ReadonlyMap<number, Prices>;
}

const openHolds = `
  SELECT h.org_id AS "orgId", h.id, h.kind, h.units::float8 AS units, h.used::float8 AS used, h.reference, h.prices,
    (extract(epoch FROM h.expires_at) * 1000)::float8 AS "expiresAtMs"
  FROM credit_holds h JOIN (SELECT DISTINCT * FROM unnest($1::int[], $2::uuid[])) AS named (org_id, id) USING (org_id, id)`;

// Charge by charge in the order of the index: a plan made while the ledger was short would otherwise read all of an organization's
// lines each time, and is kept.
const knownCharges = `
  SELECT named.org_id AS "orgId", named.id
  FROM (SELECT DISTINCT * FROM unnest($1::int[], $2::uuid[])) AS named (org_id, id)
  CROSS JOIN LATERAL (
    SELECT FROM credit_ledger l WHERE l.org_id = named.org_id AND l.reference = named.id
    ORDER BY l.org_id, l.reference, l.kind LIMIT 1
  ) known`;

const laneCount = 4;
const holdPatienceMs = 5_000;
const limits = { batchMax: 100, waitingMax: 5_000 };

/** What a new organization gets, as configuration says it. */
export abstract class CreditTerms implements AccountTerms {
  abstract readonly initialCredits: AccountTerms['initialCredits'];
  abstract readonly lowAt: AccountTerms['lowAt'];
  /** Operators change them while the gateway runs. */
  abstract prices: Prices;
  abstract organizationPrices: ReadonlyMap<number, Prices>;
  abstract readonly tokensPerTurn: number;
  abstract readonly holdMs: number;
}

/**
 * Where credits move. An operation resolves when Postgres has committed it. Each organization has its lane, and a lane
 * commits up to a hundred operations at a time, so that a busy organization costs one commit and not one each.
 */
@Injectable()
export class CreditBook implements BeforeApplicationShutdown {
  private readonly lanes: Coalescer<CreditOperation, CreditOutcome>[];
  private readonly remembered = new RememberedAccounts();
  private readonly tried = new WeakSet<CreditOperation>();
  private readonly waited = new Map<Promise<unknown>, number>();
  private readonly queue = new HoldQueue((hold) => this.do(hold, holdPatienceMs));

  constructor(
    private readonly tenants: TenantScope,
    private readonly outbox: Outbox,
    private readonly terms: CreditTerms,
  ) {
    this.lanes = Array.from(
      { length: laneCount },
      () =>
        new Coalescer(
          (operations) => this.flush(operations),
          limits,
          ({ orgId }) => orgId,
        ),
    );
  }

  /** Does it once, however often it is asked under the same id. SERVICE_UNAVAILABLE when it is not known to be done in time. */
  do(operation: CreditOperation, patienceMs: number): Promise<CreditOutcome> {
    return this.heeded(operation, this.laneOf(operation).submit(operation, patienceMs));
  }

  /** Holds credits; if others hold what is missing, waits some seconds for their release. */
  holdInTurn(hold: Hold): Promise<CreditOutcome> {
    return this.queue.take(hold);
  }

  /** The same without waiting: it goes with the next commit, or soon. */
  doLater(operation: CreditOperation, patienceMs: number): Promise<CreditOutcome> {
    const done = this.heeded(operation, this.laneOf(operation).submitLater(operation, patienceMs));
    this.waited.set(done, operation.orgId);
    const forget = (): void => void this.waited.delete(done);
    done.then(forget, forget);
    return done;
  }

  /** Resolves when all pending operations without a waiter are done. */
  async caughtUp(orgId?: number): Promise<void> {
    const open = [...this.waited].filter(([, owner]) => orgId === undefined || owner === orgId);
    await Promise.allSettled(open.map(([done]) => done));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.caughtUp();
  }

  /** Wakes holds that wait for returned credits. */
  private heeded({ type, orgId }: CreditOperation, done: Promise<CreditOutcome>): Promise<CreditOutcome> {
    const look = (): void => this.queue.look(orgId);
    if (type !== 'hold') done.then(look, look);
    return done;
  }

  private laneOf({ orgId }: CreditOperation): Coalescer<CreditOperation, CreditOutcome> {
    const lane = this.lanes[orgId % laneCount];
    if (!lane) throw new TypeError(`organization ${orgId} has no lane`);
    return lane;
  }

  /** Whether a hold of so much will hardly be refused. A guess: only `do` decides. */
  isPlentiful(orgId: number, estimate: Amounts): boolean {
    return this.remembered.isPlentiful(orgId, estimate);
  }

  private async flush(operations: CreditOperation[]): Promise<CreditOutcome[]> {
    // A retried operation may have been applied already; only the tables know.
    const isFirst = operations.every((operation) => !this.tried.has(operation));
    for (const operation of operations) this.tried.add(operation);
    return (isFirst ? await this.flushByMemory(operations) : undefined) ?? this.flushByTables(operations);
  }

  /** In one round trip, where all is remembered, nothing is refused and Postgres finds the books unchanged; otherwise nothing. */
  private async flushByMemory(operations: CreditOperation[]): Promise<CreditOutcome[] | undefined> {
    const books = this.remembered.booksFor(operations);
    if (!books) return undefined;
    const outcomes = operations.map((operation) => books.apply(operation));
    const isPlain = outcomes.every(({ outcome }) => outcome === 'done');
    if (!isPlain || books.changes.isEmpty || books.changes.falls.length > 0) return undefined;
    const isWritten = await this.wrote(books.changes).catch((error: unknown) => {
      if (!isPassingFailure(error)) return false;
      this.remembered.doubt(operations);
      throw error;
    });
    if (isWritten) this.note(books);
    else this.remembered.doubt(operations);
    return isWritten ? outcomes : undefined;
  }

  private async wrote(changes: BookChanges): Promise<boolean> {
    const [written] = await this.tenants.acrossTenantsOnce<{ isWritten: boolean }>(why, writingOf(changes, { isGuess: true }));
    return written?.isWritten === true;
  }

  private async flushByTables(operations: CreditOperation[]): Promise<CreditOutcome[]> {
    const { outcomes, books } = await this.tenants.acrossTenantsEndingWith(why, async (manager) => {
      const books = await readBooks(manager, operations, this.terms);
      const outcomes = operations.map((operation) => books.apply(operation));
      const { changes } = books;
      const last = changes.isEmpty ? [] : [writingOf(changes, { isGuess: false }), ...(await this.warningsOf(manager, changes))];
      return { result: { outcomes, books }, last };
    });
    this.note(books);
    return outcomes;
  }

  private note(books: Books): void {
    this.remembered.note(books);
    if (books.changes.entries.length > 0) this.outbox.noteCommitted();
  }

  private async warningsOf(manager: EntityManager, { falls }: BookChanges): Promise<Statement[]> {
    const low = falls.map(({ account: { orgId, kind, available }, threshold }) =>
      this.outbox.addition(manager, creditsLow, { orgId, payload: { kind, available, threshold } }),
    );
    return (await Promise.all(low)).map(({ statement }) => statement);
  }
}

const why = 'one commit settles the charges of many organizations';

/**
 * Locks the accounts of every organization in a batch, in one order for all gateways, and reads what the rules need.
 * The three statements leave together; each sees what the one before it had to wait for.
 */
async function readBooks(manager: EntityManager, operations: readonly CreditOperation[], terms: AccountTerms): Promise<Books> {
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

/** Under which ids an operation has a hold, or a line in the ledger. */
function namesOf(operation: CreditOperation): string[] {
  const reference = operation.type === 'topUp' ? undefined : operation.reference;
  return reference === undefined ? [operation.id] : [operation.id, reference];
}

function lockAccounts(manager: EntityManager, orgIds: number[]): Promise<Account[]> {
  const text = `
    SELECT org_id AS "orgId", kind, available::float8 AS available, held::float8 AS held,
      units_per_thousand AS "unitsPerThousand", low_at::float8[] AS "lowAt"
    FROM credit_accounts WHERE org_id = ANY($1::int[]) ORDER BY org_id, kind FOR UPDATE`;
  return prepared<Account>(manager, { name: 'lock-credit-accounts', text, values: [orgIds] });
}

/** On first sight an organization gets its accounts and, through the ledger, its grant: once, however many gateways see it. */
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
