import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { endSession } from '@parley/contracts';
import { isTemporary, ServiceBus } from '@parley/messaging';
import { Logger, RegularTasks } from '@parley/service-kit';
import { type CallDialogs, type Carrier, isEndState, ProviderFailure } from '@parley/ports';
import { endAt, type OpenCarrier, OpenCarriers } from '../accounts/open-carriers';
import type { CallEntity } from '../calls/call.entity';
import { CallRecords } from '../calls/call-records';
import { type CallStep, endingSaidBy, isOver } from '../calls/call-steps';
import { AccountListeners } from '../door/account-listeners';
import { Dialler } from '../dialling/dialler';
import { inCallOf } from '../line/call-parts';
import { CallLegs } from '../transfer/call-legs';
import { leaseMs, type LastKnown, type OrphanedCall, Slots } from '../live/slots';
import { OldRows } from './old-calls';

/** The interval while any call is live. */
export const sweepEveryMs = 2_000;
/** The interval while no call is live: shorter than a lease, so that a call cannot begin and be orphaned unseen. */
const idleSweepEveryMs = 5_000;
/** After an outage of Postgres, live replicas get this long to renew their slots. */
const graceMs = 6_000;
const oldRowsEveryMs = 60_000;
const carrierPatienceMs = 180_000;
const tellMs = 2_000;

const lost = {
  state: 'FAILED',
  outcome: 'FAILED',
  cause: 'The process that held the call was lost.',
} as const satisfies CallStep;

/** Ends calls whose process died, at their carrier and with their peers. */
@Injectable()
export class LostCalls {
  constructor(
    private readonly carriers: OpenCarriers,
    private readonly listeners: AccountListeners,
    private readonly legs: CallLegs,
    private readonly log: Logger,
  ) {}

  /** The accounts whose calls this replica is best placed to end. */
  get listeningFor(): number[] {
    return this.listeners.listeningFor;
  }

  /** Ends a call that lost its media, and returns how it ended. Undefined if it is still ringing and may be answered. */
  async fateOf(call: CallEntity, dialogs: readonly string[]): Promise<CallStep | undefined> {
    const open = await this.carriers.of(call.orgId, call.accountId);
    const { carrier } = open;
    const { control } = carrier;
    if (!control) return lost;
    const { keyId: reference, fromAddress: from, toAddress: to, queuedAt: placedAfter } = call;
    const search = call.carrierCallId === null ? { reference, from, to, placedAfter } : { callId: call.carrierCallId };
    const found = await control.find(search);
    await this.endLegs(call, carrier);
    // A call matched only by its numbers may be another attempt, and is left alone.
    if (!found?.isExact) {
      if (control.dialogs && dialogs.length > 0) await this.endDialogs(open, control.dialogs, dialogs);
      return call.state === 'RINGING' ? { ...lost, outcome: 'UNREACHABLE' } : lost;
    }
    if (isEndState(found.state)) {
      const { callId: carrierCallId, code: causeCode } = found;
      return { ...endingSaidBy(found.state, call, found.cause), carrierCallId, ...(causeCode && { causeCode }) };
    }
    if (call.state === 'RINGING' && call.direction === 'OUTBOUND' && found.state !== 'answered' && call.carrierCallId !== null)
      return undefined;
    await endAt(carrier, found.callId);
    return { ...lost, carrierCallId: found.callId };
  }

  /** Ends the calls to transfer targets, who would wait in vain. */
  private async endLegs(call: CallEntity, carrier: Carrier): Promise<void> {
    for (const leg of await this.legs.placedFor(call)) await endAt(carrier, leg);
  }

  private async endDialogs(open: OpenCarrier, how: CallDialogs, dialogs: readonly string[]): Promise<void> {
    await this.listeners.ensure(open);
    for (const dialog of dialogs) {
      try {
        how.end(dialog);
      } catch (error) {
        if (error instanceof ProviderFailure && error.retryable) throw error;
        this.log.warn('The peer of a lost call could not be notified', { carrier: open.account.carrier, error });
      }
    }
  }
}

/** Finds calls whose replica died, asks their carrier about them, and ends those that cannot continue. */
@Injectable()
export class Sweeper implements OnApplicationBootstrap {
  private sweptAtMs = Number.NEGATIVE_INFINITY;
  private oldRowsSweptAtMs = Number.NEGATIVE_INFINITY;
  private trustedFromMs = Number.NEGATIVE_INFINITY;
  private isAnyLive = true;

  constructor(
    private readonly slots: Slots,
    private readonly callRecords: CallRecords,
    private readonly bus: ServiceBus,
    private readonly fates: LostCalls,
    private readonly dialler: Dialler,
    private readonly oldRows: OldRows,
    private readonly log: Logger,
    private readonly tasks: RegularTasks,
  ) {}

  onApplicationBootstrap(): void {
    const trouble = 'Calls that nobody holds could not be looked for; it is tried again';
    this.tasks.of({ name: 'lost calls', everyMs: sweepEveryMs, run: () => this.sweep(), trouble }).start(sweepEveryMs);
  }

  private async sweep(): Promise<number> {
    const { orphans, isAnyLive } = await this.slots.orphaned(this.fates.listeningFor);
    const nowMs = performance.now();
    // After a sweep that saw no live call, a new slot may have expired unseen for up to a lease; otherwise for up to two sweeps.
    const unseenMsMax = this.isAnyLive ? sweepEveryMs * 2 : leaseMs;
    if (Number.isFinite(this.sweptAtMs) && nowMs - this.sweptAtMs > unseenMsMax) this.trustedFromMs = nowMs + graceMs;
    this.sweptAtMs = nowMs;
    this.isAnyLive = isAnyLive;
    if (nowMs >= this.trustedFromMs) await this.clean(orphans, nowMs);
    return isAnyLive ? sweepEveryMs : idleSweepEveryMs;
  }

  private async clean(orphans: readonly OrphanedCall[], nowMs: number): Promise<void> {
    await Promise.all(orphans.map((orphan) => this.close(orphan)));
    if (nowMs - this.oldRowsSweptAtMs < oldRowsEveryMs) return;
    this.oldRowsSweptAtMs = nowMs;
    await this.oldRows.sweep();
  }

  /** Gives up asking a carrier that cannot be reached after a while. */
  private async giveUp(call: CallEntity, known: Pick<CallStep, 'endedAt' | 'used'>): Promise<void> {
    if (Date.now() - call.updatedOn.getTime() < carrierPatienceMs) return;
    await this.callRecords.note(call.orgId, call.id, {
      ...lost,
      ...known,
      cause: 'The process that held the call was lost, and its carrier did not answer.',
    });
  }

  /**
   * Ends the conversation, since the speech service may have died with the replica. If that fails, it is tried again for a while.
   */
  private async endConversation(call: CallEntity, aliveAt: Date): Promise<void> {
    const { sessionUuid: sessionUUID } = call;
    if (sessionUUID === null) return;
    const ended = { sessionUUID, reason: 'FAILED' as const, endedOn: aliveAt.toISOString() };
    try {
      await inCallOf(call, () => this.bus.ask(endSession, ended, { timeoutMs: tellMs }));
    } catch (error) {
      if (isTemporary(error) && Date.now() - call.updatedOn.getTime() < carrierPatienceMs) throw error;
      this.log.warn('The conversation of a lost call could not be ended', { callId: call.id, error });
    }
  }

  private async close({ orgId, callId }: OrphanedCall): Promise<void> {
    try {
      let last: LastKnown | undefined;
      const call = await this.callRecords.decide(orgId, callId, async (locked, manager) => {
        last = isOver(locked.state) ? undefined : await this.slots.adopt(manager, locked);
        return undefined;
      });
      if (!call || !last) return;
      const known = { endedAt: last.aliveAt, used: last.used };
      await this.endConversation(call, last.aliveAt);
      const step = await this.fates.fateOf(call, last.dialogs).catch(async (error: unknown) => {
        await this.giveUp(call, known);
        throw error;
      });
      if (step) return void (await this.callRecords.note(orgId, callId, { remarks: ['MOVED'], ...known, ...step }));
      // It may still be answered, so this replica holds it from here on.
      await this.callRecords.decide(orgId, callId, async (locked, manager) => {
        await this.slots.hold(manager, locked);
        return { remarks: ['MOVED'] };
      });
      this.dialler.await(call);
    } catch (error) {
      this.log.warn('A call without a replica could not be closed; it is tried again', { callId, error });
    }
  }
}
