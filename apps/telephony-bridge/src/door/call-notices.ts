import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type AnswerPlan, type CallNotice, isEndState } from '@parley/ports';
import { dialogsOf, type OpenCarrier, PublicAddress } from '../accounts/open-carriers';
import type { CallEntity } from '../calls/call.entity';
import { CallRecords } from '../calls/call-records';
import { endingSaidBy, isOver, refusals } from '../calls/call-steps';
import { MediaTokens } from '../calls/media-tokens';
import { Slots } from '../live/slots';
import { CallLegs } from '../transfer/call-legs';
import { InboundCalls } from './inbound-calls';

const mediaTokenSeconds = 30;
/** Carriers wait fifteen seconds for a reply. */
const placingMsMax = 10_000;
const placingLookMs = 100;

type Notice<Kind extends CallNotice['kind']> = Extract<CallNotice, { kind: Kind }>;

/** A plan for a call, which its carrier is waiting for. */
export interface Planned {
  readonly callId: string;
  readonly plan: AnswerPlan;
}

const given = {
  state: 'COMPLETED',
  outcome: 'TRANSFERRED',
  cause: 'The caller was given to a person.',
  isHolder: true,
} as const;

/** Handles carriers' notices about calls, and decides how calls are answered. */
@Injectable()
export class CallNotices {
  constructor(
    private readonly callRecords: CallRecords,
    private readonly inbound: InboundCalls,
    private readonly tokens: MediaTokens,
    private readonly legs: CallLegs,
    private readonly slots: Slots,
    private readonly address: PublicAddress,
  ) {}

  /** Handles a notice; returns a plan if the carrier is waiting for one. */
  async handle(open: OpenCarrier, notice: CallNotice, reference?: string): Promise<Planned | undefined> {
    switch (notice.kind) {
      case 'incoming':
        return { callId: notice.callId, plan: await this.comeIn(open, notice) };
      case 'answering':
        return { callId: notice.callId, plan: await this.answered(open, notice, reference) };
      case 'continuing':
        return { callId: notice.callId, plan: await this.planAfterMedia(open, notice) };
      case 'state':
        return void (await this.noteState(open, { ...(reference && { reference }), ...notice }));
      case 'recording':
        return void (await this.noteRecording(open, notice));
      case 'machine':
        return void (await this.noteMachine(open, notice, reference));
    }
  }

  private async comeIn(open: OpenCarrier, notice: Notice<'incoming'>): Promise<AnswerPlan> {
    const taken = await this.inbound.take(open, notice);
    if (taken === 'busy') return { kind: 'refuse', reason: 'busy' };
    return typeof taken === 'string' ? { kind: 'refuse', reason: 'rejected' } : this.connect(open, taken);
  }

  /** A call that we placed, or a transfer target, was answered. */
  private async answered(open: OpenCarrier, { callId }: Notice<'answering'>, reference?: string): Promise<AnswerPlan> {
    const { orgId, id: accountId } = open.account;
    const call = await this.callOf(open, callId, reference);
    const leg = call ? null : await this.legs.find(orgId, accountId, { callId, ...(reference && { reference }) });
    if (leg) return this.connect(open, { orgId: leg.orgId, id: leg.callId }, leg.reference);
    const answered = call ?? (reference ? null : await this.justPlaced(open, callId));
    if (!answered || isOver(answered.state)) return { kind: 'hang-up' };
    // Whichever request first brings the carrier's id records it.
    if (answered.carrierCallId === null) await this.callRecords.note(orgId, answered.id, { carrierCallId: callId });
    return this.connect(open, answered);
  }

  /**
   * Some carriers use one webhook address for all calls. A call that is answered at once is then reported before the carrier's id is
   * recorded, and must not be hung up for that.
   */
  private async justPlaced(open: OpenCarrier, callId: string): Promise<CallEntity | null> {
    const { orgId, id: accountId } = open.account;
    for (const giveUpAt = performance.now() + placingMsMax; performance.now() < giveUpAt; await delay(placingLookMs)) {
      const isPlacing = await this.callRecords.isPlacing(orgId, accountId);
      const call = await this.callOf(open, callId);
      if (call || !isPlacing) return call;
    }
    return null;
  }

  private async planAfterMedia(open: OpenCarrier, { callId, transfer }: Notice<'continuing'>): Promise<AnswerPlan> {
    const call = await this.callOf(open, callId);
    if (!call) return { kind: 'hang-up' };
    const { orgId, id, transferPlan } = call;
    // Also for a finished call, since the acceptance of a transfer is often reported last.
    if (transfer === 'answered')
      await this.callRecords.note(orgId, id, { ...given, transferredTo: transferPlan?.to ?? call.transferredTo });
    if (isOver(call.state)) return { kind: 'hang-up' };
    if (transfer === 'refused') await this.callRecords.note(orgId, id, { transfer: { state: 'REFUSED' } });
    if (transfer === 'unanswered' || transfer === 'refused') return this.connect(open, call);
    if (transfer === 'none' && transferPlan && !transferPlan.isTold) {
      await this.callRecords.note(orgId, id, { transferPlan: { ...transferPlan, isTold: true } });
      const { to, from, ringSeconds } = transferPlan;
      return { kind: 'transfer', to, from, ringSeconds, afterUrl: this.address.webhook(open.account, 'after') };
    }
    return { kind: 'hang-up' };
  }

  private async connect(
    { account }: OpenCarrier,
    { orgId, id }: Pick<CallEntity, 'orgId' | 'id'>,
    leg?: string,
  ): Promise<AnswerPlan> {
    const ticket = { orgId, callId: id, ...(leg && { leg }) };
    const token = await this.tokens.issue(ticket, mediaTokenSeconds);
    return {
      kind: 'connect',
      mediaUrl: this.address.media(account.carrier, token),
      statusUrl: this.address.webhook(account, 'status'),
    };
  }

  private async noteState(open: OpenCarrier, notice: Notice<'state'>): Promise<void> {
    const call = await this.callOf(open, notice.callId, notice.reference);
    if (!call) return this.noteLeg(open, notice);
    await this.callRecords.decide(call.orgId, call.id, async (locked, manager) => {
      const dialogs = dialogsOf(open.carrier, [notice]);
      if (dialogs.length > 0 && locked.answeredAt === null) await this.slots.keep(manager, locked.id, dialogs);
      const { order: carrierOrder, callId: carrierCallId } = notice;
      const causeCode = notice.refusesCaller && locked.answeredAt === null ? refusals.caller : notice.code;
      return {
        carrierCallId,
        ...(carrierOrder !== undefined && { carrierOrder }),
        ...(causeCode && { causeCode }),
        ...(!isOfBefore(notice.state, locked) && endingSaidBy(notice.state, locked, notice.cause)),
      };
    });
  }

  /** Tells the waiting transfer that its target did not answer, or hung up. */
  private async noteLeg({ account }: OpenCarrier, notice: Notice<'state'>): Promise<void> {
    if (!isEndState(notice.state)) return;
    const leg = await this.legs.find(account.orgId, account.id, notice);
    if (leg)
      await this.callRecords.order(leg.orgId, {
        order: 'LEG_ENDED',
        CallID: leg.callId,
        leg: leg.reference,
        why: whyNotTaken(notice.state),
      });
  }

  private async noteMachine(
    open: OpenCarrier,
    { callId, answeredBy, isAfterBeep }: Notice<'machine'>,
    reference?: string,
  ): Promise<void> {
    const call = answeredBy === 'machine' || answeredBy === 'fax' ? await this.callOf(open, callId, reference) : null;
    if (call) await this.callRecords.order(call.orgId, { order: 'MACHINE', CallID: call.id, isAfterBeep });
  }

  private async noteRecording(open: OpenCarrier, { callId, url }: Notice<'recording'>): Promise<void> {
    const call = await this.callOf(open, callId);
    if (call) await this.callRecords.note(call.orgId, call.id, { recordingKey: url.slice(0, 300) });
  }

  /** Finds a call by the carrier's id, or by our reference if that is not recorded yet. */
  private async callOf({ account }: OpenCarrier, callId: string, reference?: string): Promise<CallEntity | null> {
    const { orgId, id } = account;
    const known = await this.callRecords.ofCarrier(orgId, id, callId);
    if (!reference || !isUuid(reference)) return known;
    // If the reference and the carrier's id belong to different calls, the request is about neither.
    if (known) return known.keyId === reference ? known : null;
    const placed = await this.callRecords.find(orgId, { keyId: reference });
    // The reference belongs to a call with another carrier's id, so it does not match.
    return placed?.accountId === id && (placed.carrierCallId ?? callId) === callId ? placed : null;
  }
}

function whyNotTaken(state: Notice<'state'>['state']): 'REFUSED' | 'NO_ANSWER' | 'FAILED' {
  if (state === 'busy' || state === 'declined' || state === 'completed') return 'REFUSED';
  return state === 'failed' ? 'FAILED' : 'NO_ANSWER';
}

/** Whether a notice dates from before the answer: an answered call cannot be busy, so it must not end the call. */
function isOfBefore(state: Notice<'state'>['state'], { answeredAt }: CallEntity): boolean {
  return answeredAt !== null && (state === 'busy' || state === 'declined' || state === 'no-answer');
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
