import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Coalescer, TenantScope, type TenantStatement } from '@parley/database';
import { Logger } from '@parley/service-kit';
import type { PastTurn } from '../prompts/memory';
import type { ClaimedSession, NewTurn } from './turn-gate';
import { leaseSeconds, turnStatements } from './turn-statements';

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

/** What is to be done to one turn. */
export interface TurnWrite {
  readonly orgId: number;
  readonly deed: keyof typeof turnStatements;
  /** As the statement reads it. */
  readonly row: { readonly turn_uuid: string; readonly session_uuid: string; readonly [column: string]: unknown };
}

/** The statements that do it, as few as there can be. */
export function statementsOf(writes: readonly TurnWrite[]): TenantStatement[] {
  return [...Map.groupBy(writes, ({ orgId }) => orgId)].flatMap(([orgId, ofOrganization]) =>
    Object.entries(turnStatements).flatMap(([deed, text]) => {
      const rows = ofOrganization.filter((write) => write.deed === deed).map(({ row }) => row);
      return rows.length === 0 ? [] : [{ orgId, statement: { name: `turns-${deed}`, text, values: [orgId, jsonOf(rows)] } }];
    }),
  );
}

/** Letters that Postgres stores none of: NUL, and halves of those that were cut in the middle. After a backslash they are words. */
const notStorable = /\\\\|\\u(?:0000|d[89a-f][\da-f]{2})/g;

function jsonOf(rows: readonly object[]): string {
  return JSON.stringify(rows).replace(notStorable, (found) => (found === '\\\\' ? found : '\ufffd'));
}

const renewalMs = (leaseSeconds * 1000) / 3;

type Held = Pick<NewTurn, 'orgId' | 'sessionUuid' | 'turnUuid'>;

/** Keeps the sessions of turns held while this process lives: of all that are under way by one timer and one transaction. */
@Injectable()
export class Leases implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly held = new Map<string, Held>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly tenants: TenantScope,
    private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.renew(), renewalMs);
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  hold(turn: Held): void {
    this.held.set(turn.turnUuid, turn);
  }

  release({ turnUuid }: Held): void {
    this.held.delete(turnUuid);
  }

  /** Those that began a moment ago as well: it costs less than to know their age. */
  async renew(): Promise<void> {
    if (this.held.size === 0) return;
    const rowOf = ({ turnUuid, sessionUuid }: Held) => ({ turn_uuid: turnUuid, session_uuid: sessionUuid });
    const writes = [...this.held.values()].map((turn) => ({ orgId: turn.orgId, deed: 'renewing' as const, row: rowOf(turn) }));
    try {
      await this.tenants.together(statementsOf(writes));
    } catch (err) {
      this.log.warn('Turns could not renew their hold on their sessions', { err, turns: writes.length });
    }
  }
}
