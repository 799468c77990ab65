import type { callStateChanged } from '@parley/contracts';
import type { z } from 'zod';
import type { CallEntity } from '../calls/call.entity';
import { isOver } from '../calls/call-steps';
import type { CallParts } from './call-parts';
import type { HeldCall } from '../live/slots';
import { PhoneCall } from './phone-call';

type CallStateChanged = z.output<typeof callStateChanged.payload>;

/** A call without media yet: this replica keeps its slot until the media connects, here or elsewhere, or time runs out. */
export class RingingCall implements HeldCall {
  readonly callId: number;
  private readonly timer: NodeJS.Timeout;

  constructor(
    call: Pick<CallEntity, 'id' | 'orgId'>,
    private readonly parts: CallParts,
    private readonly ring: {
      readonly forMs: number;
      dialogs?(): readonly string[];
      onLate(): Promise<void>;
      /** The record was ended before the call was answered. */
      onEnded?(): Promise<void>;
    },
  ) {
    this.callId = call.id;
    this.timer = setTimeout(() => {
      ring
        .onLate()
        .catch((error: unknown) => parts.log.error('An unanswered call could not be ended', { callId: call.id, error }));
      this.leave();
    }, ring.forMs).unref();
    if (!(parts.held.find(call.id) instanceof PhoneCall)) parts.held.add(this);
  }

  get dialogs(): readonly string[] {
    return this.ring.dialogs?.() ?? [];
  }

  lost(): void {
    this.leave();
  }

  changed({ state }: CallStateChanged): void {
    if (state === 'QUEUED' || state === 'RINGING') return;
    this.leave();
    if (!isOver(state)) return;
    this.ring
      .onEnded?.()
      .catch((error: unknown) =>
        this.parts.log.warn('An ended call could not be cancelled at its carrier', { callId: this.callId, error }),
      );
  }

  private leave(): void {
    clearTimeout(this.timer);
    this.parts.held.remove(this);
  }
}
