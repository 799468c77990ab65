import { Injectable } from '@nestjs/common';
import { creditsLow } from '@parley/contracts';
import { Coalescer, isPassingFailure, Outbox, type Statement, TenantScope } from '@parley/database';
import type { EntityManager } from 'typeorm';
import type { BookChanges } from './book-changes';
import type { Amounts, CreditOperation, CreditOutcome } from './operation';
import { type AccountTerms, readBooks } from './read-books';
import { Standings } from './standings';
import { writingOf } from './write-books';

const laneCount = 4;
const limits = { batchMax: 100, waitingMax: 5_000 };

/** What a new organization gets, as configuration says it. */
export abstract class CreditTerms implements AccountTerms {
  abstract readonly initialCredits: AccountTerms['initialCredits'];
  abstract readonly lowAt: AccountTerms['lowAt'];
  abstract readonly tokensPerTurn: number;
  abstract readonly holdMs: number;
}

/**
 * Where credits move. An operation resolves when Postgres has committed it. Each organization has its lane, and a lane
 * commits up to a hundred operations at a time, so that a busy organization costs one commit and not one each.
 */
@Injectable()
export class CreditBook {
  private readonly lanes: Coalescer<CreditOperation, CreditOutcome>[];
  private readonly standings = new Standings();
  private readonly tried = new WeakSet<CreditOperation>();

  constructor(
    private readonly tenants: TenantScope,
    private readonly outbox: Outbox,
    private readonly terms: CreditTerms,
  ) {
    this.lanes = Array.from({ length: laneCount }, () => new Coalescer((operations) => this.flush(operations), limits));
  }

  /** Does it once, however often it is asked under the same id. SERVICE_UNAVAILABLE when it is not known to be done in time. */
  do(operation: CreditOperation, patienceMs: number): Promise<CreditOutcome> {
    const lane = this.lanes[operation.orgId % laneCount];
    if (!lane) throw new TypeError(`organization ${operation.orgId} has no lane`);
    return lane.submit(operation, patienceMs);
  }

  /** Whether a hold of so much will hardly be refused. A guess: only `do` decides. */
  isPlentiful(orgId: number, estimate: Amounts): boolean {
    return this.standings.isPlentiful(orgId, estimate);
  }

  private async flush(operations: CreditOperation[]): Promise<CreditOutcome[]> {
    // What was tried before may have been done: whether it was, only the tables know.
    const isFirst = operations.every((operation) => !this.tried.has(operation));
    for (const operation of operations) this.tried.add(operation);
    return (isFirst ? await this.flushByMemory(operations) : undefined) ?? this.flushByTables(operations);
  }

  /** In one round trip, where all is remembered, nothing is refused and Postgres finds the books unchanged; otherwise nothing. */
  private async flushByMemory(operations: CreditOperation[]): Promise<CreditOutcome[] | undefined> {
    const books = this.standings.booksFor(operations);
    if (!books) return undefined;
    const outcomes = operations.map((operation) => books.apply(operation));
    const isPlain = outcomes.every(({ outcome }) => outcome === 'done');
    if (!isPlain || books.changes.isEmpty || books.changes.falls.length > 0) return undefined;
    const isWritten = await this.wrote(books.changes).catch((error: unknown) => {
      if (!isPassingFailure(error)) return false;
      this.standings.doubt(operations);
      throw error;
    });
    if (isWritten) this.standings.note(books);
    else this.standings.doubt(operations);
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
    this.standings.note(books);
    return outcomes;
  }

  private async warningsOf(manager: EntityManager, { falls }: BookChanges): Promise<Statement[]> {
    const low = falls.map(({ account: { orgId, kind, available }, threshold }) =>
      this.outbox.addition(manager, creditsLow, { orgId, payload: { kind, available, threshold } }),
    );
    return (await Promise.all(low)).map(({ statement }) => statement);
  }
}

const why = 'one commit settles the charges of many organizations';
