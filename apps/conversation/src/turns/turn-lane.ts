import { Injectable } from '@nestjs/common';
import { Coalescer, TenantScope } from '@parley/database';
import type { ClaimedSession } from './claims';
import type { PastTurn } from './past-turn';
import { statementsOf, type TurnWrite } from './turn-write';

/** What a statement says of a turn. It says nothing of one that is not there, or whose session is another's by now. */
export interface WrittenTurn {
  readonly turnUuid: string;
  /** Null while somebody else has hold of the session. */
  readonly sessionId: number | null;
  /** The session as a claim found it. */
  readonly claimed?: (ClaimedSession & { readonly history: readonly PastTurn[]; readonly isStale: boolean }) | null;
}

const limits = { batchMax: 50, waitingMax: 5_000 };

/**
 * Where turns are written. What comes while a commit is under way goes with the next one, whatever turns, sessions and
 * organizations it is about: one round trip and one commit for all of them. What comes alone goes at once.
 */
@Injectable()
export class TurnLane {
  private readonly lane: Coalescer<TurnWrite, WrittenTurn | undefined>;

  constructor(private readonly tenants: TenantScope) {
    this.lane = new Coalescer(
      (writes) => this.flush(writes),
      limits,
      ({ orgId }) => orgId,
    );
  }

  /**
   * Resolves when Postgres has committed it. Where a connection breaks in a commit nobody knows what came of it, and it is done
   * again: statements do nothing the second time.
   */
  write(write: TurnWrite, patienceMs: number): Promise<WrittenTurn | undefined> {
    return this.lane.submit(write, patienceMs);
  }

  private async flush(writes: TurnWrite[]): Promise<(WrittenTurn | undefined)[]> {
    const found = await this.tenants.together<WrittenTurn>(statementsOf(writes));
    const byTurn = new Map(found.flat().map((written) => [written.turnUuid, written]));
    return writes.map(({ row }) => byTurn.get(row.turn_uuid));
  }
}
