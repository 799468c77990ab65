import {
  type ArrivedCall,
  type CallHandler,
  type CallMedia,
  type CarrierCallState,
  endSaid,
  type CallNotice,
  type FoundCall,
  isEndState,
  type MediaClock,
  type MediaEvent,
} from '@parley/ports';
import type { CallEnd, CallEndKind, CallListener, InboundCall, OutboundCall, TransferOutcome } from '@parley/sip';
import { SipMedia } from './sip-media';

const answerMs = 10_000;
const remembered = 10_000;

type SipCall = InboundCall | OutboundCall;

interface KnownCall {
  readonly callId: string;
  readonly call: SipCall;
  readonly reference?: string;
  state: CarrierCallState;
  cause?: string;
  code?: string;
  refusesCaller?: boolean;
  answeredAtMs?: number;
  durationSeconds?: number;
  order: number;
  media?: SipMedia;
}

const endStates: Readonly<Record<CallEndKind, CarrierCallState>> = {
  'hung-up-by-peer': 'completed',
  'hung-up-by-us': 'completed',
  transferred: 'completed',
  lost: 'failed',
  cancelled: 'cancelled',
  busy: 'busy',
  declined: 'declined',
  'no-answer': 'no-answer',
  refused: 'failed',
  unreachable: 'failed',
};

/** Busy here, busy everywhere, decline. */
const refusingStatuses: readonly number[] = [486, 600, 603];

function wordFor(outcome: TransferOutcome): 'answered' | 'unanswered' | 'refused' {
  if (outcome.kind === 'answered') return 'answered';
  return refusingStatuses.includes(outcome.status) ? 'refused' : 'unanswered';
}

/** Uniform descriptions, since peers' phrases differ or are missing. The status is reported separately. */
const causes: Readonly<Partial<Record<CallEndKind, string>>> = {
  'hung-up-by-peer': 'The other side hung up.',
  transferred: 'The caller was given to a person.',
  busy: 'The line was busy.',
  declined: 'The call was declined.',
  'no-answer': 'Nobody answered.',
};

/** A sentence about the end of a call, followed by the peer's phrase. Undefined if it was cancelled, whose reason the platform knows. */
export function causeOf({ kind, words }: CallEnd): string | undefined {
  if (kind === 'lost') return `The call broke off: ${words}.`;
  return causes[kind] ?? endSaid(endStates[kind], { words }).cause;
}

/** The calls of an account: reports their arrival and progress to the platform, and remembers them for look-ups. */
export class SipCalls {
  /** Receives events of outbound calls. */
  handler: CallHandler | undefined;
  private readonly known = new Map<string, KnownCall>();

  constructor(private readonly clock: MediaClock) {}

  /** Handles an incoming call, which rings until the platform decides. */
  incoming(call: InboundCall, handler: CallHandler): void {
    const known = this.remember({ callId: idOf(call), call, state: 'ringing', order: 0 });
    call.listen(this.listenerOf(known, handler));
    call.ring();
    this.arrive(known, handler, { direction: 'inbound', from: call.from, to: call.to }, (media) => {
      if (!call.answer()) return;
      media.start(startOf(known, call.from, call.to));
    });
  }

  /** The listener for a call about to be placed; `placed` is to be called with the call. */
  outgoing(request: { readonly reference: string; readonly from: string; readonly to: string }): {
    readonly listener: CallListener;
    placed(call: OutboundCall): string;
  } {
    let known: KnownCall | undefined;
    const of = (): CallListener => (known && this.handler ? this.listenerOf(known, this.handler) : {});
    const { reference, from, to } = request;
    const listener: CallListener = {
      ringing: () => known && this.notify(known, 'ringing'),
      answered: () => {
        if (!known || !this.handler) return;
        this.answered(known);
        const answeredCall = known;
        this.arrive(known, this.handler, { direction: 'outbound', reference, from, to }, (media) =>
          media.start(startOf(answeredCall, from, to)),
        );
      },
      sound: (heard) => of().sound?.(heard),
      digit: (key) => of().digit?.(key),
      marks: (names, wasCleared) => of().marks?.(names, wasCleared),
      held: (isHeld) => of().held?.(isHeld),
      starved: () => of().starved?.(),
      transferred: (outcome) => of().transferred?.(outcome),
      ended: (end) => of().ended?.(end),
    };
    const placed = (call: OutboundCall): string => {
      known = this.remember({ callId: idOf(call), call, reference, state: 'queued', order: 0 });
      return known.callId;
    };
    return { listener, placed };
  }

  /** Finds a call; undefined if there is none in this process, and so none at all, since calls end with their process. */
  find(
    matches: (call: { readonly callId: string; readonly reference?: string }) => boolean,
  ): (FoundCall & { readonly call: SipCall }) | undefined {
    const found = [...this.known.values()].find(matches);
    if (!found) return undefined;
    const { callId, state, cause, code, durationSeconds, call } = found;
    return {
      callId,
      state,
      call,
      isExact: true,
      ...(cause !== undefined && { cause }),
      ...(code !== undefined && { code }),
      ...(durationSeconds !== undefined && { durationSeconds }),
    };
  }

  /** The media of an answered call. */
  mediaOf(callId: string): CallMedia | undefined {
    return this.known.get(callId)?.media;
  }

  private arrive(
    known: KnownCall,
    handler: CallHandler,
    details: { direction: 'inbound' | 'outbound'; reference?: string; from: string | undefined; to: string | undefined },
    begin: (media: SipMedia) => void,
  ): void {
    const { call, callId } = known;
    const cancel = this.clock.wakeAt(this.clock.now() + answerMs, () => (known.media ? undefined : refuse(call, 480)));
    const { from, to, ...rest } = details;
    const arrived: ArrivedCall = {
      callId,
      ...rest,
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      answer: (hear) => {
        cancel();
        return this.answer(known, hear, begin);
      },
      refuse: (reason) => {
        cancel();
        refuse(call, refusals[reason]);
      },
    };
    handler.arrived(arrived);
  }

  private answer(known: KnownCall, hear: (event: MediaEvent) => void, begin: (media: SipMedia) => void): CallMedia {
    const { call } = known;
    const media = new SipMedia(call.sound, { clock: this.clock, hear, hangUpCall: () => call.hangUp() });
    known.media = media;
    // Deferred, so that the caller gets the media before its first event.
    queueMicrotask(() => {
      if (isEndState(known.state)) media.close('caller-hung-up', 'the call was over before it was answered');
      else begin(media);
    });
    return media;
  }

  private listenerOf(known: KnownCall, handler: CallHandler): CallListener {
    return {
      answered: () => this.answered(known),
      agreed: () => known.media?.agreed(),
      sound: (heard) => known.media?.sound(heard),
      digit: (key) => known.media?.digit(key),
      marks: (names, wasCleared) => known.media?.marks(names, wasCleared),
      held: (isHeld) => known.media?.held(isHeld),
      starved: () => known.media?.starved(),
      transferred: (outcome) => handler.noticed({ kind: 'continuing', callId: known.callId, transfer: wordFor(outcome) }),
      ended: (end) => this.ended(known, end),
    };
  }

  private answered(known: KnownCall): void {
    known.answeredAtMs = this.clock.now();
    this.notify(known, 'answered');
  }

  private ended(known: KnownCall, end: CallEnd): void {
    const cause = causeOf(end);
    if (cause !== undefined) known.cause = cause;
    if (end.status !== undefined) known.code = String(end.status);
    known.refusesCaller = known.answeredAtMs === undefined && refusesCaller(end);
    if (known.answeredAtMs !== undefined) known.durationSeconds = Math.round((this.clock.now() - known.answeredAtMs) / 1000);
    known.media?.ended(end);
    if (end.kind === 'transferred') this.handler?.noticed({ kind: 'continuing', callId: known.callId, transfer: 'answered' });
    this.notify(known, endStates[end.kind]);
  }

  private notify(known: KnownCall, state: CarrierCallState): void {
    known.state = state;
    known.order += 1;
    const { callId, reference, cause, code, refusesCaller: isAboutCaller, durationSeconds, order } = known;
    const notice: CallNotice = {
      kind: 'state',
      callId,
      state,
      order,
      ...(reference !== undefined && { reference }),
      ...(cause !== undefined && { cause }),
      ...(code !== undefined && { code }),
      ...(isAboutCaller && { refusesCaller: true }),
      ...(durationSeconds !== undefined && { durationSeconds }),
    };
    this.handler?.noticed(notice);
  }

  private remember(known: KnownCall): KnownCall {
    this.known.set(known.callId, known);
    // Only ended calls are dropped; the endpoint limits the number of others.
    for (const { callId, state } of this.known.size > remembered ? this.known.values() : []) {
      if (!isEndState(state)) continue;
      this.known.delete(callId);
      break;
    }
    return known;
  }
}

/** Statuses that concern the caller's identity (RFC 8224, RFC 5079), whatever the text. */
const identityStatuses = new Set([428, 433, 436, 437, 438]);
/** Statuses by which trunks reject a caller number, but also people a call; only the text, Warning or Reason distinguishes them. */
const sharedStatuses = new Set([403, 488, 603]);
const aboutCaller = /^STIR:|caller[ _-]?id|calling (?:party|number)|\bcli\b|\bfrom (?:number|header|user)|identity|anonymous/i;

/** Whether a trunk rejected our caller number, rather than a person declining the call. */
export function refusesCaller({ status, words, remarks = [] }: Pick<CallEnd, 'status' | 'words' | 'remarks'>): boolean {
  if (status === undefined) return false;
  return (
    identityStatuses.has(status) || (sharedStatuses.has(status) && [words, ...remarks].some((text) => aboutCaller.test(text)))
  );
}

const refusals = { busy: 486, rejected: 603, 'not-found': 404 } as const;

function refuse(call: SipCall, status: number): void {
  if (call.direction === 'inbound') call.refuse(status);
  else call.hangUp();
}

/** The id of a call: our tag, which outsiders cannot choose, and the Call-ID, which PBXs log. */
function idOf({ callId, localTag }: SipCall): string {
  return `${localTag}.${callId}`.slice(0, 128);
}

function startOf({ callId }: KnownCall, from: string | undefined, to: string | undefined) {
  return { callId, streamId: undefined, from, to, parameters: {} };
}
