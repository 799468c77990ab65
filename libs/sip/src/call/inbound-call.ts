import { cseqOf, type SipRequest, tagOf } from '../message/sip-message';
import { newToken, parseNameAddress, parseUri } from '../message/sip-uri';
import type { PortPair } from '../rtp/port-pairs';
import type { SoundSession } from '../rtp/sound-session';
import type { ServerTransaction } from '../transaction/server-transaction';
import { Timers } from '../transaction/timers';
import {
  type CallEnd,
  type CallListener,
  type CallSurroundings,
  type DialogOwner,
  ownHeaders,
  soundOf,
  withSound,
} from './call-core';
import { agreedByAsked, Dialog, sessionHeaders } from './dialog';
import { Established } from './established';
import { type LeftCall, leftCalled } from './left-call';
import { Negotiation } from './negotiation';

/** How long a call may ring without being answered or refused. */
const undecidedMs = 180_000;

/** An incoming call, to be answered or refused once. */
export class InboundCall implements DialogOwner {
  readonly direction = 'inbound';
  readonly callId: string;
  readonly localTag = newToken();
  /** The called user and the caller as stated by the request, which is untrusted. */
  readonly to: string | undefined;
  readonly from: string | undefined;
  readonly fromName: string | undefined;
  readonly sound: SoundSession;
  private readonly timers = new Timers();
  private readonly negotiation: Negotiation;
  private listener: CallListener = {};
  private call: Established | undefined;
  private isOver = false;

  constructor(
    private readonly surroundings: CallSurroundings,
    private readonly invite: ServerTransaction,
    ports: PortPair,
    /** The account with which the caller authenticated; undefined for a trusted address. */
    readonly account: string | undefined,
  ) {
    const { headers, uri } = invite.request;
    const from = parseNameAddress(headers.get('From') ?? '');
    this.callId = headers.get('Call-ID') ?? '';
    this.to = parseUri(uri)?.user;
    this.from = from?.uri.user;
    this.fromName = from?.displayName;
    this.sound = soundOf(surroundings, { ports, peer: invite.from, listener: () => this.listener });
    const { soundAddress: address, codecs } = surroundings;
    this.negotiation = new Negotiation(this.sound, { address, codecs });
    this.timers.after(undecidedMs, () => this.refuse(480));
    surroundings.opened(this);
  }

  /** Whether an INVITE is the same request that arrived by another path (RFC 3261 8.2.2.2). */
  isMergedWith({ headers }: SipRequest): boolean {
    const own = this.invite.request.headers;
    return (
      this.callId === headers.get('Call-ID') &&
      this.remoteTag === tagOf(headers.get('From')) &&
      cseqOf(own)?.number === cseqOf(headers)?.number
    );
  }

  /** A header of the INVITE, such as one added by a trunk. */
  header(name: string): string | undefined {
    return this.invite.request.headers.get(name);
  }

  /** The address from which the caller's signalling comes. */
  get source(): string {
    return this.invite.from.address;
  }

  /** Sets the listener, replacing an earlier one. */
  listen(listener: CallListener): void {
    this.listener = listener;
  }

  ring(): void {
    if (!this.isOver && !this.call) this.invite.respond(180, { toTag: this.localTag, headers: this.headers() });
  }

  /** Answers the call. False if there is no common codec, which ends it, or it is over. */
  answer(): boolean {
    if (this.isOver || this.call) return false;
    const { request } = this.invite;
    const dialog = Dialog.ofCalled(request, this.localTag, this.invite.from);
    const hasOffer = request.body.length > 0;
    const body = hasOffer ? this.negotiation.answer(request.body) : this.negotiation.offer();
    if (!dialog || !body) {
      this.refuse(dialog ? 488 : 400);
      return false;
    }
    this.timers.clear();
    this.call = new Established(this.surroundings, {
      owner: this,
      dialog,
      negotiation: this.negotiation,
      sound: this.sound,
      credentials: undefined,
      listener: () => this.listener,
      over: (end) => this.over(end),
    });
    const interval = agreedByAsked(request.headers);
    const headers = [...this.headers(), ...sessionHeaders(interval)];
    this.invite.respond(200, { ...withSound(body, headers), toTag: this.localTag });
    this.call.answered(this.invite, !hasOffer, interval);
    this.listener.answered?.();
    return true;
  }

  /** 486 means busy, 480 not available, 404 no such user, 603 declined. */
  refuse(status: number): void {
    if (this.isOver || this.call) return;
    this.invite.respond(status, { toTag: this.localTag });
    this.over({ kind: 'refused', status, words: 'we refused the call' });
    this.surroundings.forget(this);
  }

  /** The caller gave up before we answered. */
  cancelled(): void {
    if (this.isOver || this.call) return;
    this.invite.respond(487, { toTag: this.localTag });
    this.over({ kind: 'cancelled', status: 487, words: 'the caller gave up' });
    this.surroundings.forget(this);
  }

  /** The established call, once it was answered. */
  get established(): Established | undefined {
    return this.call;
  }

  /** What another endpoint needs to end it. */
  get left(): LeftCall {
    const dialog = this.call?.dialog;
    return dialog ? { kind: 'up', dialog, isOurs: false } : leftCalled(this.invite, this.localTag);
  }

  get remoteTag(): string | undefined {
    return tagOf(this.invite.request.headers.get('From'));
  }

  /** Whether this is the call of the given INVITE. */
  waitsOn(invite: ServerTransaction): boolean {
    return this.invite === invite;
  }

  hangUp(): void {
    if (this.call) this.call.hangUp();
    else this.refuse(603);
  }

  private headers(): [string, string][] {
    return ownHeaders(this.surroundings, this.invite.from, this.to);
  }

  private over(end: CallEnd): void {
    if (this.isOver) return;
    this.isOver = true;
    this.timers.clear();
    this.sound.close();
    this.listener.ended?.(end);
  }
}
