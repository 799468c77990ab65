import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import { Lifetime, Logger } from '@parley/service-kit';
import type { Call } from '../calls/call.entity';
import { CallBook } from '../calls/call-book';
import { CallSettings } from '../line/call-parts';
import { Slots } from '../live/slots';
import { Dialler } from './dialler';

/** While calls wait for room, which comes free in any replica. */
const lookAgainMs = 500;
/** While none waits. Whoever queues one wakes the dispatcher of this process; the others look for those of a replica that died. */
const idleLookMs = 5_000;
const organizationsAtOnce = 100;
/** Calls that one look admits of one organization. */
const admittedAtOnce = 20;

interface Waiting {
  readonly orgId: number;
  readonly callId: number;
  readonly isTooOld: boolean;
}

/** Admits waiting calls as room comes free, the oldest of each organization first, so that none waits behind another's queue. */
@Injectable()
export class Dispatcher implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  private isWanted = false;

  constructor(
    private readonly tenants: TenantScope,
    private readonly book: CallBook,
    private readonly slots: Slots,
    private readonly dialler: Dialler,
    private readonly settings: CallSettings,
    private readonly lifetime: Lifetime,
    private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.lookIn(0);
  }

  async onModuleDestroy(): Promise<void> {
    clearTimeout(this.timer);
    await this.looking;
  }

  /** Looks for waiting calls soon. */
  look(): void {
    if (this.lifetime.draining.aborted) return;
    this.isWanted = true;
    this.looking ??= this.run().finally(() => (this.looking = undefined));
  }

  private lookIn(ms: number): void {
    clearTimeout(this.timer);
    if (!this.lifetime.draining.aborted) this.timer = setTimeout(() => this.look(), ms).unref();
  }

  private async run(): Promise<void> {
    let isIdle = false;
    while (this.isWanted && !this.lifetime.draining.aborted) {
      this.isWanted = false;
      try {
        const heads = await this.heads();
        isIdle = heads.length === 0;
        for (const head of heads) await this.admitSome(head);
      } catch (error) {
        this.log.warn('Waiting calls could not be looked for; it is tried again', { error });
      }
    }
    this.lookIn(isIdle ? idleLookMs : lookAgainMs);
  }

  private heads(): Promise<Waiting[]> {
    return this.tenants.acrossTenants('calls of every organization wait for room', (manager) =>
      manager.query(
        `SELECT DISTINCT ON (org_id) org_id AS "orgId", id AS "callId", queued_at < now() - $2 * interval '1 millisecond' AS "isTooOld"
         FROM calls WHERE state = 'QUEUED' ORDER BY org_id, queued_at, id LIMIT $1`,
        [organizationsAtOnce, this.settings.waitingMs],
      ),
    );
  }

  private async admitSome(head: Waiting): Promise<void> {
    let next: Waiting | undefined = head;
    for (let count = 0; next && count < admittedAtOnce; count += 1) {
      const call = await this.admit(next);
      if (!call) return;
      if (call.state === 'RINGING') void this.dialler.dial(call);
      next = await this.nextOf(head.orgId);
    }
    if (next) this.isWanted = true;
  }

  /** The call with its slot; undefined where there is no room, or another replica was first. */
  private async admit({ orgId, callId, isTooOld }: Waiting): Promise<Call | undefined> {
    let isAdmitted = false;
    const call = await this.book.decide(orgId, callId, async (locked, manager) => {
      if (locked.state !== 'QUEUED') return undefined;
      if (isTooOld) return waitedTooLong;
      isAdmitted = await this.slots.take(manager, locked);
      return isAdmitted ? { state: 'RINGING' } : undefined;
    });
    return isAdmitted || isTooOld ? call : undefined;
  }

  private async nextOf(orgId: number): Promise<Waiting | undefined> {
    const rows = await this.tenants.read<Waiting[]>(orgId, (manager) =>
      manager.query(
        `SELECT org_id AS "orgId", id AS "callId", queued_at < now() - $2 * interval '1 millisecond' AS "isTooOld"
         FROM calls WHERE org_id = $1 AND state = 'QUEUED' ORDER BY queued_at, id LIMIT 1`,
        [orgId, this.settings.waitingMs],
      ),
    );
    return rows[0];
  }
}

const waitedTooLong = { state: 'FAILED', outcome: 'FAILED', cause: 'There was no room for the call in time.' } as const;
