import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { readPaidTurns, type ReplyOf } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { ServiceBus } from '@parley/messaging';
import { Logger, RegularTasks } from '@parley/service-kit';
import { CreditBook } from './credit-book';
import { type Amounts, commonHoldOf, lastChargeUnder, type Release } from './operation';

const everyMs = 5_000;
const holdsMax = 1_000;
const patienceMs = 5_000;

type PaidTurn = ReplyOf<typeof readPaidTurns>['turns'][number];

interface Expired {
  readonly orgId: number;
  readonly id: string;
  readonly isOfTurn: boolean;
  readonly reference: string | null;
}

// Only turns spend tokens, so a hold of them belongs to a turn.
const expiredHolds = `
  SELECT org_id AS "orgId", id, bool_or(kind = 'TTT_API') AS "isOfTurn", max(reference::text) AS reference FROM credit_holds
  WHERE (org_id, id) IN (SELECT org_id, id FROM credit_holds WHERE expires_at <= now() LIMIT $1) GROUP BY org_id, id`;

/**
 * Ends the holds of crashed gateways: usage in a turn's record is charged, and the rest is released. Any number of sweepers may
 * run, because the book ends each hold only once.
 */
@Injectable()
export class HoldSweeper implements OnApplicationBootstrap {
  constructor(
    private readonly tenants: TenantScope,
    private readonly book: CreditBook,
    private readonly bus: ServiceBus,
    private readonly log: Logger,
    private readonly tasks: RegularTasks,
  ) {}

  onApplicationBootstrap(): void {
    const trouble = 'Expired holds could not be looked for';
    this.tasks.of({ name: 'expired holds', everyMs, run: () => this.sweepAndLog(), trouble }).start(everyMs);
  }

  /**
   * Ends expired holds, a bounded number at a time, and returns how many. While the conversation service is unavailable, the
   * holds of turns stay.
   */
  async sweep(): Promise<number> {
    const expired = await this.tenants.acrossTenantsOnce<Expired>('holds of every organization expire', {
      name: 'expired-holds',
      text: expiredHolds,
      values: [holdsMax],
    });
    const isCommon = ({ id }: Expired): boolean => id === commonHoldOf(id);
    const alone = expired.filter((hold) => !isCommon(hold));
    const [ofTurns, others] = [alone.filter(({ isOfTurn }) => isOfTurn), alone.filter(({ isOfTurn }) => !isOfTurn)];
    let released = await this.end(others.map((hold) => releaseOf(hold)));
    released += await this.end(await this.asRecorded(ofTurns));
    for (const common of expired.filter(isCommon)) released += await this.endCommon(common);
    return released;
  }

  /** Charges each turn under a common hold that its gateway may not have charged, and then ends the hold. */
  private async endCommon({ orgId, id, ...hold }: Expired): Promise<number> {
    const { turns } = await this.bus.ask(readPaidTurns, {
      charges: [{ orgId, chargeId: id, lastChargeId: lastChargeUnder(id) }],
    });
    const settled = turns.map(({ chargeId, AgentID: agentId, ...used }) =>
      this.book.do({ type: 'settle', orgId, id: chargeId, used: producedBy(used), spender: { agentId } }, patienceMs),
    );
    await Promise.all(settled);
    return this.end([releaseOf({ ...hold, orgId, id })]);
  }

  private async asRecorded(holds: readonly Expired[]): Promise<Release[]> {
    if (holds.length === 0) return [];
    const charges = holds.map(({ orgId, id: chargeId }) => ({ orgId, chargeId }));
    const { turns } = await this.bus.ask(readPaidTurns, { charges });
    const byCharge = new Map(turns.map((turn) => [turn.chargeId, turn]));
    return holds.map((hold) => {
      const turn = byCharge.get(hold.id);
      if (!turn) return releaseOf(hold);
      return { ...releaseOf(hold), produced: producedBy(turn), spender: { agentId: turn.AgentID } };
    });
  }

  private async end(releases: readonly Release[]): Promise<number> {
    const outcomes = await Promise.all(releases.map((release) => this.book.do(release, patienceMs)));
    return outcomes.filter(({ outcome }) => outcome === 'done').length;
  }

  private async sweepAndLog(): Promise<void> {
    const released = await this.sweep();
    if (released > 0) this.log.info('Expired holds were released', { released });
  }
}

function producedBy({ tokenUsage, audioSeconds }: Pick<PaidTurn, 'tokenUsage' | 'audioSeconds'>): Amounts {
  return { TTT_API: tokenUsage.totalTokens, ...(audioSeconds > 0 && { STT_API: audioSeconds }) };
}

function releaseOf({ orgId, id, reference }: Expired): Release {
  return { type: 'release', orgId, id, onlyExpired: true, ...(reference !== null && { reference }) };
}
