import { Injectable } from '@nestjs/common';
import { creditsLow, usageRecorded } from '@parley/contracts';
import { Coalescer, Outbox, type Statement, TenantScope } from '@parley/database';
import type { EntityManager } from 'typeorm';
import type { BookChanges } from './book-changes';
import type { Amounts, CreditOperation, CreditOutcome } from './operation';
import { type AccountTerms, readBooks } from './read-books';
import { Standings } from './standings';
import { summedUsage } from './summed-usage';
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
    const why = 'one commit settles the charges of many organizations';
    const { outcomes, accounts } = await this.tenants.acrossTenantsEndingWith(why, async (manager) => {
      const books = await readBooks(manager, operations, this.terms);
      const outcomes = operations.map((operation) => books.apply(operation));
      const last = [...writingOf(books.changes), ...(await this.tellingOf(manager, books.changes))];
      return { result: { outcomes, accounts: books.changes.accounts }, last };
    });
    this.standings.note(accounts);
    return outcomes;
  }

  private async tellingOf(manager: EntityManager, { falls, entries }: BookChanges): Promise<Statement[]> {
    const low = falls.map(({ account: { orgId, kind, available }, threshold }) =>
      this.outbox.addition(manager, creditsLow, { orgId, payload: { kind, available, threshold } }),
    );
    const used = summedUsage(entries).map(({ orgId, ...payload }) =>
      this.outbox.addition(manager, usageRecorded, { orgId, payload, isUrgent: false }),
    );
    return (await Promise.all([...low, ...used])).map(({ statement }) => statement);
  }
}
