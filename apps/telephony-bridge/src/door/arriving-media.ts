import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { CallMedia, MediaEvent } from '@parley/ports';
import { Lifetime } from '@parley/service-kit';
import { type OpenCarrier, OpenCarriers } from '../accounts/open-carriers';
import type { Call } from '../calls/call.entity';
import { isOver } from '../calls/call-steps';
import type { MediaTicket } from '../calls/media-tokens';
import { endings } from '../line/call-endings';
import { CallParts } from '../line/call-parts';
import { PhoneCall } from '../line/phone-call';
import { Companions } from '../transfer/companions';
import { FarLegs } from '../transfer/far-legs';

type Answer = (hear: (event: MediaEvent) => void) => CallMedia;

/** What media is let in for. */
export interface Admitted {
  readonly open: OpenCarrier;
  /** False: it came too late. */
  take(answer: Answer): boolean;
  /** The connection was not made after all. */
  leave(): void;
}

/**
 * Finds whose media comes: a call's, or that of a person whom a call is to be given to, whose call is held here or by another
 * replica.
 */
@Injectable()
export class ArrivingMedia implements OnModuleDestroy {
  private readonly calls = new Set<PhoneCall>();

  constructor(
    private readonly parts: CallParts,
    private readonly carriers: OpenCarriers,
    private readonly companions: Companions,
    private readonly farLegs: FarLegs,
    private readonly lifetime: Lifetime,
  ) {}

  /** Undefined: the call is over already, or nobody waits for this person. */
  async admit(ticket: MediaTicket): Promise<Admitted | undefined> {
    const leave = (): void => undefined;
    const { leg } = ticket;
    const company = this.companions.find(ticket.callId);
    if (leg === undefined) {
      const call = await this.callOf(ticket);
      return call && { open: call.open, leave, take: (answer) => (call.attach(answer), true) };
    }
    if (company) return { open: company.call.open, leave, take: (answer) => company.transfer.attach(leg, answer) };
    const [open, far] = await Promise.all([this.carrierOf(ticket), this.farLegs.find(ticket)]);
    if (!open || !far) return void far?.leave();
    return { open, leave: () => far.leave(), take: (answer) => (far.attach(answer), true) };
  }

  /** By the reference that a call was placed with: one of ours, or of a person whom a call is to be given to. */
  async ticketOf({ account }: OpenCarrier, reference: string): Promise<MediaTicket | undefined> {
    const { orgId, id } = account;
    const call = await this.parts.book.find(orgId, { keyId: reference });
    if (call) return call.accountId === id ? { orgId, callId: call.id } : undefined;
    const leg = await this.companions.legs.find(orgId, id, { callId: '', reference });
    return leg && { orgId, callId: leg.callId, leg: reference };
  }

  /** A call that was to be given to a person has its line here as before. */
  async cameBack({ account }: OpenCarrier, carrierCallId: string): Promise<void> {
    const call = await this.parts.book.ofCarrier(account.orgId, account.id, carrierCallId);
    if (call && !isOver(call.state)) this.companions.find(call.id)?.transfer.cameBack();
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

  /** Held here or begun now. */
  private async callOf({ orgId, callId }: MediaTicket): Promise<PhoneCall | undefined> {
    const held = this.parts.held.find(callId);
    if (held instanceof PhoneCall) return held.isFinished ? undefined : held;
    const record = await this.parts.book.find(orgId, { id: callId });
    if (!record || isOver(record.state) || this.lifetime.draining.aborted) return undefined;
    return this.begin(record, await this.carriers.of(orgId, record.accountId));
  }

  /** The carrier of a call that is not over, whoever holds it. */
  private async carrierOf({ orgId, callId }: MediaTicket): Promise<OpenCarrier | undefined> {
    const record = await this.parts.book.find(orgId, { id: callId });
    return record && !isOver(record.state) ? this.carriers.of(orgId, record.accountId) : undefined;
  }

  /** A call whose sound will come through here. */
  private begin(record: Call, open: OpenCarrier): PhoneCall {
    const call = new PhoneCall(record, open, this.parts);
    this.companions.accompany(call);
    this.calls.add(call);
    void call.finished.then(() => this.calls.delete(call));
    return call;
  }
}
