import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { areCreditsSetAside, Fault } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import {
  type CallControl,
  type DialledAddress,
  type FoundCall,
  isEndState,
  type PlaceRequest,
  ProviderFailure,
} from '@parley/ports';
import { type RegularTask, RegularTasks } from '@parley/service-kit';
import { addressToDial } from '../accounts/callable-numbers';
import { dialogsOf, endAt, lineOf, type OpenCarrier, OpenCarriers, PublicAddress } from '../accounts/open-carriers';
import { CallRecords } from '../calls/call-records';
import { type CallStep, creditShortage, endings, endingSaidBy, refusals } from '../calls/call-steps';
import { type CallEntity, callerOf } from '../calls/call.entity';
import { MediaTokens } from '../calls/media-tokens';
import { DoNotCallList } from '../do-not-call/do-not-call.service';
import { AccountListeners } from '../door/account-listeners';
import { CallMeter, type MeteredCall } from '../line/call-meter';
import { CallParts, CallSettings } from '../line/call-parts';
import { RingingCall } from '../line/ringing-call';
import { Slots } from '../live/slots';

const triesMax = 3;
const answeredWithinSeconds = 20;
/** The longest call that an agent may be configured for, plus a minute to say goodbye. */
const secondsMax = 14_460;

/** Places admitted calls. */
@Injectable()
export class Dialler {
  constructor(
    private readonly parts: CallParts,
    private readonly carriers: OpenCarriers,
    private readonly tokens: MediaTokens,
    private readonly address: PublicAddress,
    private readonly doNotCall: DoNotCallList,
    private readonly listeners: AccountListeners,
  ) {}

  /** Places a call with its carrier, or records why not. Returns the call as it is then. Never throws. */
  async dial(call: CallEntity): Promise<CallEntity> {
    const { callRecords, log } = this.parts;
    this.hold(call, (call.wishes.ringSeconds + answeredWithinSeconds) * 1000);
    try {
      return (await callRecords.note(call.orgId, call.id, await this.place(call))) ?? call;
    } catch (error) {
      log.warn('A call could not be placed', { requestId: call.keyId, error });
      const noted = await callRecords.note(call.orgId, call.id, refusalOf(error)).catch((failure: unknown) => {
        log.error('A call that was not placed could not be recorded', { requestId: call.keyId, error: failure });
      });
      return noted ?? call;
    }
  }

  /** Continues to wait for a call that another replica had placed. */
  await(call: CallEntity): void {
    const passedMs = Date.now() - (call.ringingAt ?? call.queuedAt).getTime();
    this.hold(call, Math.max(1_000, (call.wishes.ringSeconds + answeredWithinSeconds) * 1000 - passedMs));
  }

  private hold(call: CallEntity, forMs: number): void {
    new RingingCall(call, this.parts, {
      forMs,
      dialogs: () => dialogsOf(this.carriers.known(call.accountId), [{ reference: call.keyId }]),
      onLate: () => this.giveUp(call),
      onEnded: () => this.cancelPlaced(call),
    });
  }

  private async place(call: CallEntity): Promise<CallStep> {
    const open = await this.carriers.of(call.orgId, call.accountId);
    const { control } = open.carrier;
    if (!control) {
      const message = 'Calls of this carrier are placed on its own side, not from here.';
      throw new Fault('CONFLICT', { message });
    }
    // Checked last, because the number may have been listed, or the account changed, while the call was queued.
    const { address, says } = addressToDial(call.toAddress, lineOf(open.carrier, callerOf(call), this.parts.settings));
    if (address === undefined) throw new Fault('VALIDATION_FAILED', { message: `The number ${says}.` });
    if (await this.doNotCall.has(call.orgId, address)) return listed;
    await this.requireCredits(call);
    await this.listeners.ensure(open);
    const placed = await placeOnce(control, await this.requestFor(call, address, open), call);
    const { state, callId: carrierCallId } = placed;
    const ending = isEndState(state) ? endingSaidBy(state, call) : undefined;
    return { carrierCallId, ...ending };
  }

  /** Whether a call would find all credits set aside for others just now, so that it should stay in its queue. */
  async isShortOfCredits(call: MeteredCall): Promise<boolean> {
    try {
      await this.requireCredits(call, { isPatient: false });
      return false;
    } catch (error) {
      return areCreditsSetAside(error);
    }
  }

  /** Throws without credits. The hold is released at once, since it only serves as a check. */
  private async requireCredits(call: MeteredCall, patience?: { readonly isPatient: boolean }): Promise<void> {
    const ignore = (): void => undefined;
    const meter = new CallMeter(this.parts.bus, call, { log: this.parts.log, onExhausted: ignore, onLost: ignore });
    await meter.begin(patience);
    await meter.end();
  }

  private async requestFor(call: CallEntity, to: DialledAddress, { account }: OpenCarrier): Promise<PlaceRequest> {
    const { ringSeconds, voicemail } = call.wishes;
    const token = await this.tokens.issue({ orgId: call.orgId, callId: call.id }, ringSeconds + answeredWithinSeconds);
    return {
      reference: call.keyId,
      from: call.fromAddress,
      to,
      answerUrl: this.address.webhook(account, 'answer', call.keyId),
      statusUrl: this.address.webhook(account, 'status', call.keyId),
      mediaUrl: this.address.media(account.carrier, token),
      ringSeconds,
      secondsMax,
      detectMachine: voicemail.action !== 'TALK',
    };
  }

  /** Cancels a call that was ended while it was being placed, if only this process holds it; otherwise whoever ended it told the carrier. */
  private async cancelPlaced({ orgId, id, accountId }: CallEntity): Promise<void> {
    const { carrier } = await this.carriers.of(orgId, accountId);
    if (carrier.media) return;
    const ended = await this.parts.callRecords.find(orgId, { id });
    if (ended?.carrierCallId) await endAt(carrier, ended.carrierCallId);
  }

  /** Gives up a call if it is still ringing, since its media may have connected at another replica. */
  private async giveUp(call: CallEntity): Promise<void> {
    const given = await this.parts.callRecords.decide(call.orgId, call.id, ({ state }) =>
      state === 'RINGING' ? { state: 'MISSED', outcome: 'NO_ANSWER', cause: 'Nobody answered.' } : undefined,
    );
    if (given?.state !== 'MISSED' || given.carrierCallId === null) return;
    const { carrier } = await this.carriers.of(call.orgId, call.accountId);
    await endAt(carrier, given.carrierCallId);
  }
}

/** Places a call at most once: after a failure, which may have placed it, the carrier is asked before trying again. */
async function placeOnce(
  control: CallControl,
  request: PlaceRequest,
  call: CallEntity,
): Promise<Pick<FoundCall, 'callId' | 'state'>> {
  const placedAfter = new Date();
  for (let tries = 1; ; tries += 1) {
    try {
      return await control.place(request);
    } catch (error) {
      if (!(error instanceof ProviderFailure) || !error.retryable || tries >= triesMax) throw error;
    }
    const { reference, from, to } = request;
    const found = await control.find({ reference, from, to, placedAfter }).catch(() => undefined);
    if (found && (found.isExact || call.carrierCallId === null)) return found;
  }
}

const listed: CallStep = {
  state: 'CANCELLED',
  outcome: 'CANCELLED',
  cause: 'The number is on the do-not-call list.',
  causeCode: refusals.listed,
};

function refusalOf(error: unknown): CallStep {
  const shortage = creditShortage(error);
  if (shortage) return shortage;
  const reason = error instanceof Error ? error.message : 'the carrier did not answer';
  const { refusesCaller, code } = error instanceof ProviderFailure ? error : {};
  const causeCode = refusesCaller ? refusals.caller : code;
  const cause = `The call could not be placed: ${reason.slice(0, 300)}`;
  return { state: 'FAILED', outcome: 'FAILED', cause, ...(causeCode !== undefined && { causeCode }) };
}

/** The interval while calls are queued, since slots are freed at any replica. */
const lookAgainMs = 500;
/** The interval while none is queued. Queueing a call wakes its own process; the others look for those of a dead replica. */
const idleLookMs = 5_000;
const organizationsAtOnce = 100;
/** How many calls of one organization are admitted at a time. */
const admittedAtOnce = 20;

interface WaitingCall extends MeteredCall {
  readonly callId: number;
  readonly isTooOld: boolean;
}

/** The columns of a waiting call; `$2` is how long it may wait. */
const waitingCall = `org_id AS "orgId", id AS "callId", key_id AS "keyId", agent_id AS "agentId", agent_key AS "agentKey",
  queued_at < now() - $2 * interval '1 millisecond' AS "isTooOld"`;

/**
 * Admits queued calls as slots and credits are freed, the oldest of each organization first, so that no organization waits behind
 * another.
 */
@Injectable()
export class Dispatcher implements OnApplicationBootstrap {
  private readonly task: RegularTask;

  constructor(
    private readonly tenants: TenantScope,
    private readonly callRecords: CallRecords,
    private readonly slots: Slots,
    private readonly dialler: Dialler,
    private readonly settings: CallSettings,
    tasks: RegularTasks,
  ) {
    this.task = tasks.of({
      name: 'waiting calls',
      everyMs: lookAgainMs,
      run: () => this.admitWaiting(),
      trouble: 'Waiting calls could not be looked for; it is tried again',
    });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  /** Looks for waiting calls soon. */
  look(): void {
    this.task.wake();
  }

  private async admitWaiting(): Promise<number> {
    const heads = await this.heads();
    const shortages = await Promise.all(heads.map((head) => this.isShortOfCredits(head)));
    let isMore = false;
    for (const [at, head] of heads.entries()) isMore = (await this.admitSome(head, shortages[at] === true)) || isMore;
    if (isMore) return 0;
    return heads.length === 0 ? idleLookMs : lookAgainMs;
  }

  private heads(): Promise<WaitingCall[]> {
    return this.tenants.acrossTenantsOnce('calls of every organization wait for room', {
      name: 'waiting-calls',
      text: `
        SELECT DISTINCT ON (org_id) ${waitingCall}
        FROM calls WHERE state = 'QUEUED' ORDER BY org_id, queued_at, id LIMIT $1`,
      values: [organizationsAtOnce, this.settings.waitingMs],
    });
  }

  /** Asked once for an organization, and only if a slot is free. */
  private async isShortOfCredits(head: WaitingCall): Promise<boolean> {
    const isFree = await this.tenants.read(head.orgId, (manager) => this.slots.isFree(manager, head.orgId));
    return isFree && this.dialler.isShortOfCredits(head);
  }

  /** Returns whether more calls of the organization are queued and may be admitted. */
  private async admitSome(head: WaitingCall, isShort: boolean): Promise<boolean> {
    let next: WaitingCall | undefined = head;
    for (let count = 0; next && count < admittedAtOnce; count += 1) {
      if (isShort && !next.isTooOld) return false;
      const call = await this.admit(next, isShort);
      if (!call) return false;
      if (call.state === 'RINGING') void this.dialler.dial(call);
      next = await this.nextOf(head.orgId);
    }
    return next !== undefined;
  }

  /** The call with its slot; undefined if there is none free, or another replica was first. */
  private async admit({ orgId, callId, isTooOld }: WaitingCall, isShort: boolean): Promise<CallEntity | undefined> {
    let isAdmitted = false;
    const call = await this.callRecords.decide(orgId, callId, async (locked, manager) => {
      if (locked.state !== 'QUEUED') return undefined;
      if (isTooOld) return isShort ? endings.creditsSetAside : waitedTooLong;
      isAdmitted = await this.slots.take(manager, locked);
      return isAdmitted ? { state: 'RINGING' } : undefined;
    });
    return isAdmitted || isTooOld ? call : undefined;
  }

  private async nextOf(orgId: number): Promise<WaitingCall | undefined> {
    const rows = await this.tenants.read<WaitingCall[]>(orgId, (manager) =>
      manager.query(`SELECT ${waitingCall} FROM calls WHERE org_id = $1 AND state = 'QUEUED' ORDER BY queued_at, id LIMIT 1`, [
        orgId,
        this.settings.waitingMs,
      ]),
    );
    return rows[0];
  }
}

const waitedTooLong = { state: 'FAILED', outcome: 'FAILED', cause: 'There was no room for the call in time.' } as const;
