import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type CallOrder, type CallRecord, Fault, type placeCall, readAgentRuntime, readContacts } from '@parley/contracts';
import { type Call as BusCall, organizationOf, ServiceBus } from '@parley/messaging';
import type { DialledAddress } from '@parley/ports';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import { addressToDial, type CallingLine } from '../accounts/callable-numbers';
import { Numbers } from '../accounts/numbers.service';
import { endAt, lineOf, OpenCarriers } from '../accounts/open-carriers';
import { CallRecords } from '../calls/call-records';
import { CallList } from '../calls/call-list';
import { endings, isBeingGiven, isOver } from '../calls/call-steps';
import { CallEntity, callerOf, recordOf } from '../calls/call.entity';
import { Dispatcher } from '../dialling/dialler';
import { DoNotCallList } from '../do-not-call/do-not-call.service';
import { CallSettings } from '../line/call-parts';
import { PhoneCall } from '../line/phone-call';
import { CallLimits, HeldCalls, Slots } from '../live/slots';
import { CallObservers } from '../transfer/call-observers';

type PublicCall = z.input<typeof CallRecord>;

/** An order without its call's id. */
type OrderWish = CallOrder extends infer Each ? (Each extends CallOrder ? Omit<Each, 'CallID'> : never) : never;

/** Orders for existing calls: ending them, pressing keys, transferring. */
@Injectable()
export class CallOrders {
  constructor(
    private readonly callRecords: CallRecords,
    private readonly list: CallList,
    private readonly carriers: OpenCarriers,
    private readonly held: HeldCalls,
    private readonly observers: CallObservers,
    private readonly doNotCall: DoNotCallList,
    private readonly settings: CallSettings,
  ) {}

  /** Ends a call held by any replica. CONFLICT if it is over. */
  async end(keyId: string, call: BusCall): Promise<PublicCall> {
    const ended = await this.endNow(await this.list.seen(keyId, call));
    if (ended === 'OVER') throw new Fault('CONFLICT', { message: 'This call has already ended.' });
    return ended === 'HELD_HERE' ? this.list.record(keyId, call) : recordOf(ended);
  }

  /** Ends whatever an organization has waiting, ringing or in progress. Resolves with how many there were. */
  async endEvery(orgId: number): Promise<number> {
    const open = await this.callRecords.openOf(orgId);
    for (const each of open) await this.endNow(each);
    return open.length;
  }

  private async endNow({ orgId, id }: Pick<CallEntity, 'orgId' | 'id'>): Promise<CallEntity | 'HELD_HERE' | 'OVER'> {
    const held = this.held.find(id);
    if (held instanceof PhoneCall && !held.isFinished) {
      held.finish(endings.ordered);
      await held.finished;
      return 'HELD_HERE';
    }
    let wasOver = false;
    const ended = await this.callRecords.decide(orgId, id, ({ state }) => {
      wasOver = isOver(state);
      if (wasOver) return undefined;
      return state === 'IN_PROGRESS' ? endings.ordered : { state: 'CANCELLED', cause: 'The call was cancelled on request.' };
    });
    if (wasOver || !ended) return 'OVER';
    await this.endAtCarrier(ended);
    return ended;
  }

  /** Gives an order to the replica that holds the call. If that is another one, the reply does not wait for the outcome. */
  async order(keyId: string, wish: OrderWish, call: BusCall): Promise<PublicCall> {
    const seen = await this.list.seen(keyId, call);
    if (seen.state !== 'IN_PROGRESS') throw new Fault('CONFLICT', { message: 'This call is not in progress.' });
    const order = { ...wish, CallID: seen.id };
    if (order.order === 'TRANSFER') await this.beginTransfer(seen, order);
    else if (await this.pressedByCarrier(seen, order)) return recordOf(seen);
    try {
      if (!this.observers.obey(order)) await this.callRecords.order(seen.orgId, order);
    } catch (error) {
      if (wish.order === 'TRANSFER') await this.callRecords.note(seen.orgId, seen.id, { transfer: { state: 'FAILED' } });
      throw error;
    }
    return this.list.record(keyId, call);
  }

  /** Records the transfer, unless one is in progress: of several requests, at any replica, only the first succeeds. */
  private async beginTransfer(call: CallEntity, { to: written, mode }: Extract<OrderWish, { order: 'TRANSFER' }>): Promise<void> {
    const { orgId, id, accountId } = call;
    const { carrier } = await this.carriers.of(orgId, accountId);
    const to = requireAddress(written, lineOf(carrier, callerOf(call), this.settings));
    await this.doNotCall.requireUnlisted(orgId, to);
    await this.callRecords.decide(orgId, id, (locked) => {
      if (isOver(locked.state)) throw new Fault('CONFLICT', { message: 'This call is not in progress.' });
      if (isBeingGiven(locked)) throw new Fault('CONFLICT', { message: 'This call is already being transferred.' });
      if (locked.transfer?.state === 'TAKEN') throw new Fault('CONFLICT', { message: 'A person has already taken this call.' });
      return { transfer: { state: 'ASKED', to, mode } };
    });
  }

  /** Some carriers can press keys by an API request, which any replica can make. */
  private async pressedByCarrier({ orgId, accountId, carrierCallId }: CallEntity, order: CallOrder): Promise<boolean> {
    if (order.order !== 'DTMF' || carrierCallId === null) return false;
    const { carrier } = await this.carriers.of(orgId, accountId);
    if (carrier.media?.capabilities.digitsOut !== 'control' || !carrier.control?.sendDigits) return false;
    await carrier.control.sendDigits(carrierCallId, order.digits);
    return true;
  }

  /** Tells the carrier; the replica that holds the call learns of the end by an event and closes the media. */
  private async endAtCarrier({ orgId, accountId, carrierCallId }: CallEntity): Promise<void> {
    if (carrierCallId === null) return;
    const { carrier } = await this.carriers.of(orgId, accountId);
    await endAt(carrier, carrierCallId);
  }
}

/** The address that is dialled; VALIDATION_FAILED if there is none, or it may not be called. */
function requireAddress(written: string, line: CallingLine): DialledAddress {
  const { address, says } = addressToDial(written, line);
  if (address !== undefined) return address;
  throw new Fault('VALIDATION_FAILED', { details: [{ field: 'to', message: says }] });
}

/** A reference that was used for another call places none, which its sender must not take for success. */
function requireSameCall(placed: CallEntity, wanted: WhoCallsWhom): void {
  const who = ({ agentId, fromAddress, toAddress, contactId }: WhoCallsWhom): string =>
    [agentId, fromAddress, toAddress, contactId].join(' ');
  if (who(placed) === who(wanted)) return;
  throw new Fault('CONFLICT', { message: 'This reference was used for another call: use one reference for each.' });
}

type WhoCallsWhom = Pick<CallEntity, 'agentId' | 'fromAddress' | 'toAddress' | 'contactId'>;

type PlaceWish = z.output<typeof placeCall.request>;

const retryAfterSeconds = 5;

/** Places calls that people request. They are queued until there is a free slot. */
@Injectable()
export class PlacedCalls {
  constructor(
    private readonly bus: ServiceBus,
    private readonly callRecords: CallRecords,
    private readonly numbers: Numbers,
    private readonly carriers: OpenCarriers,
    private readonly dispatcher: Dispatcher,
    private readonly slots: Slots,
    private readonly limits: CallLimits,
    private readonly doNotCall: DoNotCallList,
    private readonly settings: CallSettings,
  ) {}

  /** Queues a call, which is dialled as soon as there is a free slot. */
  async place(wish: PlaceWish, call: BusCall): Promise<z.input<typeof CallRecord>> {
    const orgId = organizationOf(call);
    // Requested on the caller's behalf: NOT_FOUND for an agent that is another organization's, deleted or not visible to them.
    const agent = await this.bus.ask(readAgentRuntime, { AgentID: wish.AgentID });
    const number = await this.numbers.callerOf(agent.AgentID, wish.NumberKeyID, call);
    const { carrier } = await this.carriers.of(orgId, number.account.id);
    const to = requireAddress(
      wish.to,
      lineOf(carrier, { number: number.number, country: number.account.country }, this.settings),
    );
    await this.doNotCall.requireUnlisted(orgId, to);
    const { ringSeconds, voicemail, language, variables, reference = randomUUID() } = wish;
    const fresh = {
      orgId,
      account: number.account,
      direction: 'OUTBOUND' as const,
      agentId: agent.AgentID,
      agentKey: agent.AgentKeyID,
      agentName: agent.AgentName,
      ...(await this.contactOf(wish)),
      fromAddress: number.number,
      toAddress: to,
      wishes: { ringSeconds, voicemail, ...(language && { language }), ...(variables && { variables }) },
      reference,
    };
    const placed = await this.callRecords.begin(fresh, { admit: (manager) => this.queue(manager, orgId) });
    requireSameCall(placed, wish.NumberKeyID ? fresh : { ...fresh, fromAddress: placed.fromAddress });
    this.dispatcher.look();
    return recordOf(placed);
  }

  /** NOT_FOUND for another organization's contact. */
  private async contactOf({
    ContactID,
    ContactKeyID,
  }: PlaceWish): Promise<{ contactId: number | null; contactKey: string | null }> {
    if (!ContactID && !ContactKeyID) return { contactId: null, contactKey: null };
    const wanted = { ...(ContactKeyID && { ContactKeyIDs: [ContactKeyID] }), ...(ContactID && { ContactIDs: [ContactID] }) };
    for await (const { contacts } of this.bus.stream(readContacts, wanted))
      for (const contact of contacts) return { contactId: contact.ContactID, contactKey: contact.ContactKeyID };
    const field = [ContactKeyID && 'ContactKeyID', ContactID && 'ContactID'].filter(Boolean).join(', ');
    throw new Fault('NOT_FOUND', { message: `There is no such contact: ${field}.` });
  }

  private async queue(manager: EntityManager, orgId: number): Promise<undefined> {
    const waiting = await manager.countBy(CallEntity, { orgId, state: 'QUEUED' });
    // Queued calls for which there is a free slot are about to be dialled, so they do not count as waiting.
    if (waiting < this.limits.waiting + (await this.slots.free(manager, orgId))) return undefined;
    throw new Fault('RATE_LIMITED', { message: `At most ${this.limits.waiting} calls wait at a time.`, retryAfterSeconds });
  }
}
