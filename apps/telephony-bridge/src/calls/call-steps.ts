import { areCreditsSetAside, creditKinds, Fault, type SessionEndReason } from '@parley/contracts';
import { type CarrierCallState, isEndState } from '@parley/ports';
import type { z } from 'zod';
import type {
  CallEntity,
  CallOutcome,
  CallRemark,
  CallState,
  TransferState,
  TransferPlan,
  UsedCredits,
  VoiceQuality,
} from './call.entity';

/** Our own codes for calls that were not placed; campaigns continue differently after each. */
export const refusals = { listed: 'DO_NOT_CALL', caller: 'CALLER_REFUSED', abandoned: 'ABANDONED' } as const;

/** A step of transferring a call: the request, or its progress. */
export type TransferStep =
  | ({ readonly state: 'ASKED' } & Pick<TransferState, 'to' | 'mode'>)
  | { readonly state: Exclude<TransferState['state'], 'ASKED'> };

/** News of a call. */
export interface CallStep {
  /** Its new state; one that it has already passed is ignored. */
  readonly state?: CallState;
  readonly outcome?: CallOutcome;
  readonly cause?: string;
  readonly causeCode?: string;
  readonly carrierCallId?: string;
  /** The carrier's number of the notice; a lower number than before is late. */
  readonly carrierOrder?: number;
  readonly sessionUuid?: string;
  /** Null: the call came back. */
  readonly transferredTo?: string | null;
  readonly transferPlan?: TransferPlan | null;
  readonly transfer?: TransferStep;
  readonly remarks?: readonly CallRemark[];
  readonly used?: UsedCredits;
  readonly turnCount?: number;
  readonly latency?: CallEntity['latency'];
  readonly quality?: VoiceQuality;
  readonly recordingKey?: string;
  /** When it ended, if that was not just now. */
  readonly endedAt?: Date;
  /** The reason for the end comes from the replica that holds the call, and overrides the carrier's even afterwards. */
  readonly isHolder?: boolean;
  /** No conversation could be started, so the call counts as never answered. */
  readonly isUntaken?: boolean;
}

const rank: Record<CallState, number> = {
  QUEUED: 0,
  RINGING: 1,
  IN_PROGRESS: 2,
  COMPLETED: 3,
  MISSED: 3,
  FAILED: 3,
  CANCELLED: 3,
};
const remarksMax = 20;

/** Whether this state is final. */
export function isOver(state: CallState): boolean {
  return rank[state] === 3;
}

/** A transfer without an outcome by then is abandoned: longer than the last sentence, the ringing and the carrier's timeout together. */
const transferMsMax = 180_000;

/** Whether a transfer is in progress. */
export function isBeingGiven({ transfer }: Pick<CallEntity, 'transfer'>, now = Date.now()): boolean {
  return transfer !== null && isOpen(transfer) && now - Date.parse(transfer.askedAt) < transferMsMax;
}

function isOpen({ state }: TransferState): boolean {
  return state === 'ASKED' || state === 'RINGING';
}

/** Applies a step to a call. True if its state or that of its transfer changed, which has to be reported. */
export function take(call: CallEntity, reported: CallStep, now: Date): boolean {
  const before = call.transfer?.state;
  const isMoved = move(call, reported, now);
  if (isOver(call.state)) concludeTransfer(call, now);
  return isMoved || call.transfer?.state !== before;
}

/** Ends the transfer of a call that is over. That it was taken may be reported last. */
function concludeTransfer(call: CallEntity, now: Date): void {
  const { transfer, outcome, state } = call;
  if (!transfer) return;
  if (outcome === 'TRANSFERRED') call.transfer = { ...transfer, state: 'TAKEN', endedAt: transfer.endedAt ?? now.toISOString() };
  else if (isOpen(transfer)) noteTransfer(call, { state: state === 'FAILED' ? 'FAILED' : 'CALLER_LEFT' }, now);
}

/** Applies a step to the transfer; after its end, only a new request counts. */
function noteTransfer(call: CallEntity, step: TransferStep, now: Date): void {
  const at = now.toISOString();
  if (step.state === 'ASKED') call.transfer = { ...step, askedAt: at, ringingAt: null, endedAt: null };
  else if (call.transfer && isOpen(call.transfer))
    call.transfer = { ...call.transfer, state: step.state, ...(step.state === 'RINGING' ? { ringingAt: at } : { endedAt: at }) };
}

function move(call: CallEntity, reported: CallStep, now: Date): boolean {
  const step = unanswered(call, reported);
  noteFacts(call, step);
  if (step.transfer) noteTransfer(call, step.transfer, now);
  const isLate = step.carrierOrder !== undefined && call.carrierOrder !== null && step.carrierOrder < call.carrierOrder;
  if (step.carrierOrder !== undefined && !isLate) call.carrierOrder = step.carrierOrder;
  if (isOver(call.state)) noteAfterwards(call, step);
  if (isLate || step.state === undefined || rank[step.state] <= rank[call.state]) return false;
  if (step.isUntaken) call.answeredAt = null;
  enter(call, step.state, step.endedAt && step.endedAt < now ? step.endedAt : now);
  noteEnding(call, step);
  return true;
}

/** A call that was never in progress counts as missed, however it was ended. */
function unanswered(call: CallEntity, step: CallStep): CallStep {
  if (step.state !== 'COMPLETED' || call.answeredAt !== null || step.outcome === 'TRANSFERRED') return step;
  const cause = step.cause === endings.hungUp.cause ? 'The other side hung up before the call was connected.' : step.cause;
  return { ...step, state: 'MISSED', outcome: 'NO_ANSWER', ...(cause !== undefined && { cause }) };
}

function enter(call: CallEntity, state: CallState, now: Date): void {
  call.state = state;
  if (state === 'RINGING' || state === 'IN_PROGRESS') call.ringingAt ??= now;
  if (state === 'IN_PROGRESS') call.answeredAt ??= now;
  if (!isOver(state)) return;
  call.endedAt = call.answeredAt && call.answeredAt > now ? call.answeredAt : now;
  // A second counts once it has begun, as in the usage of the conversation.
  call.durationSeconds = call.answeredAt ? Math.ceil((call.endedAt.getTime() - call.answeredAt.getTime()) / 1000) : 0;
}

/** Facts that are added, but never changed. */
function noteFacts(call: CallEntity, step: CallStep): void {
  call.carrierCallId ??= step.carrierCallId ?? null;
  call.sessionUuid ??= step.sessionUuid ?? null;
  if (step.transferredTo !== undefined) call.transferredTo = step.transferredTo;
  if (step.transferPlan !== undefined) call.transferPlan = step.transferPlan;
  call.recordingKey = step.recordingKey ?? call.recordingKey;
  call.turnCount = Math.max(call.turnCount, step.turnCount ?? 0);
  call.latency = step.latency ?? call.latency;
  call.quality = step.quality ?? call.quality;
  call.remarks = [...new Set([...call.remarks, ...(step.remarks ?? [])])].slice(0, remarksMax);
  if (step.used) call.used = mostOf(call.used, step.used);
}

/** The larger of two figures for each kind of usage, since usage only grows and either may be the later one. */
function mostOf(one: UsedCredits, other: UsedCredits): UsedCredits {
  const most = { ...one };
  for (const kind of creditKinds) {
    const units = other[kind];
    if (units !== undefined) most[kind] = Math.max(one[kind] ?? 0, units);
  }
  return most;
}

function noteEnding(call: CallEntity, step: CallStep): void {
  if (!isOver(call.state)) return;
  call.outcome =
    step.outcome ?? call.outcome ?? (call.transferredTo ? 'TRANSFERRED' : undefined) ?? usualOutcomes[call.state] ?? null;
  call.cause = step.cause ?? call.cause;
  call.causeCode = step.causeCode ?? call.causeCode;
}

function noteAfterwards(call: CallEntity, step: CallStep): void {
  call.causeCode ??= step.causeCode ?? null;
  call.cause ??= step.cause ?? null;
  // The outcome must fit the state in which the call ended: lost media is not a failure if the carrier reports it as completed.
  if (!step.isHolder || (step.state !== undefined && step.state !== call.state)) return;
  call.cause = step.cause ?? call.cause;
  call.outcome = step.outcome ?? call.outcome;
}

const usualOutcomes: Partial<Record<CallState, CallOutcome>> = {
  COMPLETED: 'ANSWERED',
  MISSED: 'NO_ANSWER',
  FAILED: 'FAILED',
  CANCELLED: 'CANCELLED',
};

interface FinalStep {
  readonly state: CallState;
  readonly outcome?: CallOutcome;
  readonly cause: string;
}

/** The ending that a carrier reports. */
export function endingSaidBy(
  state: CarrierCallState,
  call: Pick<CallEntity, 'answeredAt' | 'direction'>,
  cause?: string,
): FinalStep | undefined {
  if (!isEndState(state)) return undefined;
  if (call.answeredAt !== null)
    return state === 'failed'
      ? { state: 'FAILED', outcome: 'FAILED', cause: cause ?? 'The carrier could not hold the call.' }
      : { state: 'COMPLETED', cause: cause ?? 'The carrier says that the call is over.' };
  switch (state) {
    case 'completed':
      return { state: 'MISSED', outcome: 'NO_ANSWER', cause: cause ?? 'The call was over before it was connected.' };
    case 'busy':
      return { state: 'MISSED', outcome: 'BUSY', cause: cause ?? 'The line was busy.' };
    case 'declined':
      return { state: 'MISSED', outcome: 'REJECTED', cause: cause ?? 'The call was declined.' };
    case 'no-answer':
      return { state: 'MISSED', outcome: 'NO_ANSWER', cause: cause ?? 'Nobody answered.' };
    case 'cancelled':
      // An incoming call is cancelled by the caller, an outgoing one by us.
      if (call.direction === 'INBOUND')
        return { state: 'MISSED', outcome: 'NO_ANSWER', cause: cause ?? 'The caller gave up before the call was connected.' };
      return { state: 'CANCELLED', outcome: 'CANCELLED', cause: cause ?? 'The call was cancelled.' };
    case 'failed':
      return { state: 'FAILED', outcome: 'UNREACHABLE', cause: cause ?? 'The carrier could not hold the call.' };
  }
}

/** How a call ends, and whether its carrier has to be told. */
export interface CallEnding extends CallStep {
  readonly state: 'COMPLETED' | 'MISSED' | 'FAILED' | 'CANCELLED';
  readonly cause: string;
  /** Whether the carrier already knows; otherwise it has to be told to hang up. */
  readonly isGone?: boolean;
  /** The record was ended before, by another replica or the carrier; its cause is kept. */
  readonly isKnown?: boolean;
  /** Whether everything said so far is played first. */
  readonly isPolite?: boolean;
  /** The call continues at another replica, so nothing is recorded. */
  readonly isElsewhere?: boolean;
}

const sessionEndings: Readonly<Record<string, string>> = {
  ENDED_BY_AGENT: 'The agent ended the call.',
  ENDED_BY_USER: 'The other side ended the conversation.',
  IDLE: 'Nobody said anything any more.',
  CREDITS_EXHAUSTED: 'The organization ran out of credits.',
  MAX_DURATION: 'The call reached its longest duration.',
  CALL_ENDED: 'The conversation was ended.',
};

/** The ending of a call for which no conversation could be started: it was not answered. */
export function endingOfFailure(error: unknown): CallEnding {
  const shortage = creditShortage(error);
  if (shortage) return shortage;
  const cause = error instanceof Fault ? `The call could not be taken: ${error.message}` : 'Something failed on our side.';
  return { ...endings.noSpeech, cause, isUntaken: true };
}

/** How a call ends for which credits could not be held; undefined if that is not why. */
export function creditShortage(error: unknown): CallEnding | undefined {
  if (areCreditsSetAside(error)) return endings.creditsSetAside;
  return error instanceof Fault && error.code === 'CREDITS_EXHAUSTED' ? endings.noCredits : undefined;
}

/** How the end of a conversation ends its call. `isUnheard`: the caller spoke, but nothing could be transcribed. */
export function endingOfSession(reason: string, isUnheard: boolean): CallEnding {
  if (reason === 'TRANSFERRED')
    return { state: 'COMPLETED', outcome: 'TRANSFERRED', cause: 'The caller was given to a person.', isPolite: true };
  const cause = sessionEndings[reason];
  if (cause) return { state: 'COMPLETED', cause, isPolite: true };
  const why = isUnheard ? 'The conversation failed: no speech provider wrote down what was said.' : 'The conversation failed.';
  return { state: 'FAILED', outcome: 'FAILED', cause: why, isPolite: true };
}

/** Why the conversation of a call ended, distinguishing who hung up. */
export function sessionEndOf({ state, outcome, cause, isGone, isKnown }: CallEnding): z.output<typeof SessionEndReason> {
  if (outcome === 'TRANSFERRED') return 'TRANSFERRED';
  if (state === 'FAILED') return 'FAILED';
  const isToldByCarrier = isGone ?? (isKnown && cause !== endings.ordered.cause);
  return isToldByCarrier ? 'ENDED_BY_USER' : 'CALL_ENDED';
}

/** The end of a call that was cut off after its media had connected, with the observer's description. */
export function brokenOffBy(words: string): CallEnding {
  return { state: 'FAILED', outcome: 'FAILED', cause: `The call broke off: ${words}.` };
}

export const endings = {
  hungUp: { state: 'COMPLETED', cause: 'The other side hung up.', isGone: true },
  mediaLost: { state: 'FAILED', outcome: 'FAILED', cause: 'The connection with the carrier’s media was lost.' },
  neverBegan: {
    state: 'FAILED',
    outcome: 'FAILED',
    cause: 'The carrier’s media connected and never began.',
    remarks: ['NO_MEDIA'],
  },
  badMedia: { state: 'FAILED', outcome: 'FAILED', cause: 'The carrier’s media was not understood.' },
  otherMedia: { state: 'FAILED', outcome: 'FAILED', cause: 'The carrier’s media was that of another call.' },
  noMedia: { state: 'FAILED', outcome: 'FAILED', cause: 'No sound came from the carrier for too long.', remarks: ['NO_MEDIA'] },
  noCredits: { state: 'FAILED', outcome: 'REJECTED', cause: 'The organization has no credits left.' },
  creditsSetAside: {
    state: 'FAILED',
    outcome: 'REJECTED',
    cause: 'The credits that are left are set aside for calls and answers in progress.',
  },
  noMeter: { state: 'FAILED', outcome: 'FAILED', cause: 'The credits of the call could not be held.' },
  noSpeech: { state: 'FAILED', outcome: 'FAILED', cause: 'No speech service could take the call.' },
  elsewhere: { state: 'FAILED', cause: 'The media of the call is another.', isGone: true, isElsewhere: true },
  restarting: { state: 'COMPLETED', cause: 'The telephony bridge was stopped.', isPolite: true },
  ordered: { state: 'COMPLETED', cause: 'The call was ended on request.' },
  machine: { state: 'COMPLETED', outcome: 'VOICEMAIL', cause: 'A machine answered.', remarks: ['MACHINE_ANSWERED'] },
  messageLeft: {
    state: 'COMPLETED',
    outcome: 'VOICEMAIL',
    cause: 'A message was left on a machine.',
    remarks: ['MACHINE_ANSWERED'],
    isPolite: true,
  },
  leftMeanwhile: { state: 'COMPLETED', cause: 'The other side hung up before a person took the call.', isGone: true },
  transferred: { state: 'COMPLETED', outcome: 'TRANSFERRED', cause: 'The caller was given to a person.', isGone: true },
} as const satisfies Record<string, CallEnding>;
