import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Lifetime } from '@parley/service-kit';
import { type OpenCarrier, OpenCarriers } from '../accounts/open-carriers';
import type { Call } from '../calls/call.entity';
import { isOver } from '../calls/call-steps';
import type { MediaTicket } from '../calls/media-tokens';
import { endings } from '../line/call-endings';
import { CallParts } from '../line/call-parts';
import { PhoneCall } from '../line/phone-call';
import { Companions } from '../transfer/companions';

/** Makes of media that comes the call that it belongs to. */
@Injectable()
export class ArrivingMedia implements OnModuleDestroy {
  private readonly calls = new Set<PhoneCall>();

  constructor(
    private readonly parts: CallParts,
    private readonly carriers: OpenCarriers,
    private readonly companions: Companions,
    private readonly lifetime: Lifetime,
  ) {}

  /** The call of a ticket, held here or begun now; undefined when it is over already. */
  async callOf({ orgId, callId }: MediaTicket): Promise<PhoneCall | undefined> {
    const held = this.parts.held.find(callId);
    if (held instanceof PhoneCall) return held.isFinished ? undefined : held;
    const record = await this.parts.book.find(orgId, { id: callId });
    if (!record || isOver(record.state) || this.lifetime.draining.aborted) return undefined;
    return this.begin(record, await this.carriers.of(orgId, record.accountId));
  }

  /** The carrier of a call that is not over, whoever holds it. */
  async carrierOf({ orgId, callId }: MediaTicket): Promise<OpenCarrier | undefined> {
    const record = await this.parts.book.find(orgId, { id: callId });
    return record && !isOver(record.state) ? this.carriers.of(orgId, record.accountId) : undefined;
  }

  /** A call whose sound will come through here. */
  begin(record: Call, open: OpenCarrier): PhoneCall {
    const call = new PhoneCall(record, open, this.parts);
    this.companions.accompany(call);
    this.calls.add(call);
    void call.finished.then(() => this.calls.delete(call));
    return call;
  }

  /** Calls go on for a while when the process stops; those that are left then are ended, paid and written down. */
  async onModuleDestroy(): Promise<void> {
    const all = () => Promise.all([...this.calls].map(({ finished }) => finished));
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), this.parts.settings.drainMs);
    await Promise.race([all(), new Promise((resolve) => patience.signal.addEventListener('abort', resolve, { once: true }))]);
    clearTimeout(timer);
    for (const call of this.calls) call.finish(endings.restarting);
    await all();
  }
}
