import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { callStateChanged } from '@parley/contracts';
import { Logger } from '@parley/service-kit';
import type { z } from 'zod';
import { Slots } from './slots';

type Change = z.output<typeof callStateChanged.payload>;

/** A call that this replica holds: one that it is placing, or whose sound goes through it. */
export interface HeldCall {
  readonly callId: number;
  /** The slot is somebody else's, or the call was ended elsewhere. */
  lost(): void;
  /** The call moved on, whoever said so. */
  changed(change: Change): void;
}

const renewEveryMs = 2_000;

/** The calls of this replica, and the proof that it lives: their slots are renewed every other second. */
@Injectable()
export class HeldCalls implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly calls = new Map<number, HeldCall>();
  private timer: NodeJS.Timeout | undefined;
  private renewing: Promise<void> | undefined;

  constructor(
    private readonly slots: Slots,
    private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(
      () => (this.renewing ??= this.renew().finally(() => (this.renewing = undefined))),
      renewEveryMs,
    ).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.renewing;
  }

  get count(): number {
    return this.calls.size;
  }

  add(call: HeldCall): void {
    this.calls.set(call.callId, call);
  }

  /** Forgets a call, unless another part of this replica holds it by now. */
  remove(call: HeldCall): void {
    if (this.calls.get(call.callId) === call) this.calls.delete(call.callId);
  }

  find(callId: number): HeldCall | undefined {
    return this.calls.get(callId);
  }

  changed(change: Change): void {
    this.calls.get(change.CallID)?.changed(change);
  }

  private async renew(): Promise<void> {
    if (this.calls.size === 0) return;
    const before = [...this.calls.values()];
    try {
      const renewed = await this.slots.renew();
      for (const call of before) if (!renewed.has(call.callId) && this.calls.get(call.callId) === call) call.lost();
    } catch (error) {
      this.log.warn('The slots of calls could not be renewed; it is tried again', { error });
    }
  }
}
