import type { SipCredentials } from '../message/digest';
import { request as makeRequest, SipHeaders, type SipRequest, type SipResponse, tagOf } from '../message/sip-message';
import { formatNameAddress, formatUri, newToken, type SipUri } from '../message/sip-uri';
import type { PortPair } from '../rtp/port-pairs';
import type { SoundSession } from '../rtp/sound-session';
import { Timers } from '../transaction/timers';
import type { SipPeer } from '../transport/sip-transport';
import {
  askInDialog,
  type CallEnd,
  type CallListener,
  type CallSurroundings,
  type DialogOwner,
  endOf,
  AuthenticatedRequest,
  newCallId,
  ownHeaders,
  sdpType,
  sendAck,
  soundOf,
} from './call-core';
import { Dialog, refreshHeaders } from './dialog';
import { Established } from './established';
import { type LeftCall, leftCalling } from './left-call';
import { Negotiation, parseSdp } from './negotiation';

export interface OutboundOptions {
  readonly to: SipUri;
  /** Our identity: the user part, and the domain if the trunk requires its own. */
  readonly from: { readonly user: string; readonly host?: string; readonly displayName?: string };
  readonly credentials?: SipCredentials | undefined;
  readonly ringMs: number;
  /** We hang up after this long. */
  readonly secondsMax?: number;
  /** Additional headers, such as a reference that a trunk returns. */
  readonly headers?: readonly (readonly [string, string])[];
  readonly listener: CallListener;
}

/** An outgoing call; creating it sends the INVITE. */
export class OutboundCall implements DialogOwner {
  readonly direction = 'outbound';
  readonly callId: string;
  readonly localTag = newToken();
  readonly sound: SoundSession;
  private readonly timers = new Timers();
  private readonly negotiation: Negotiation;
  private readonly from: string;
  private authenticated: AuthenticatedRequest;
  private sequence = 0;
  private connected: string | undefined;
  private minExpires: number | undefined;
  private call: Established | undefined;
  private dialogs = new Map<string, Dialog>();
  private state: 'calling' | 'ringing' | 'leaving' | 'up' | 'over' = 'calling';

  constructor(
    private readonly surroundings: CallSurroundings,
    private readonly options: OutboundOptions & { readonly peer: SipPeer; readonly ports: PortPair },
  ) {
    const { from, ports, peer, listener } = options;
    this.callId = newCallId(surroundings);
    const { host, port } = surroundings.transport.advertised;
    const uri = { user: from.user, host: from.host ?? host, ...(from.host === undefined && { port }), parameters: new Map() };
    this.from = formatNameAddress({
      uri,
      parameters: new Map([['tag', this.localTag]]),
      ...(from.displayName !== undefined && { displayName: from.displayName }),
    });
    this.sound = soundOf(surroundings, { ports, peer, listener: () => listener });
    const { soundAddress: address, codecs } = surroundings;
    this.negotiation = new Negotiation(this.sound, { address, codecs });
    surroundings.opened(this);
    this.timers.after(options.ringMs, () => this.giveUp({ kind: 'no-answer', words: 'nobody answered in time' }));
    this.authenticated = this.begin();
  }

  get established(): Established | undefined {
    return this.call;
  }

  /** What another endpoint needs to end it. */
  get left(): LeftCall {
    const dialog = this.call?.dialog;
    return dialog ? { kind: 'up', dialog, isOurs: true } : leftCalling(this.authenticated.request, this.options.peer);
  }

  /** The tag of the phone that answered. */
  get remoteTag(): string | undefined {
    return this.connected;
  }

  /** Ends the call in any state. */
  hangUp(): void {
    if (this.call) this.call.hangUp();
    else this.giveUp({ kind: 'cancelled', words: 'we took the call back' });
  }

  private begin(): AuthenticatedRequest {
    const { peer, credentials } = this.options;
    const listener = { response: (response: SipResponse) => this.response(response), lost: () => this.lost() };
    return new AuthenticatedRequest(this.surroundings.transactions, {
      make: (proof) => this.invite(proof),
      peer,
      credentials,
      listener,
    });
  }

  private invite(proof: readonly (readonly [string, string])[]): SipRequest {
    const { to, peer, headers = [], from } = this.options;
    const uri = formatUri(to);
    const bare = formatUri({ ...to, parameters: new Map() });
    this.sequence += 1;
    const expires: (readonly [string, string])[] =
      this.minExpires === undefined
        ? [...refreshHeaders]
        : [
            ['Session-Expires', `${this.minExpires}`],
            ['Min-SE', `${this.minExpires}`],
          ];
    const lines: (readonly [string, string])[] = [
      ['Max-Forwards', '70'],
      ['From', this.from],
      ['To', `<${bare}>`],
      ['Call-ID', this.callId],
      ['CSeq', `${this.sequence} INVITE`],
      ...ownHeaders(this.surroundings, peer, from.user),
      ...expires,
      ...proof,
      ...headers,
      sdpType,
    ];
    return makeRequest('INVITE', uri, SipHeaders.of(lines), this.negotiation.offer());
  }

  private response(response: SipResponse): void {
    if (response.status < 200) this.provisional(response);
    else if (response.status < 300) this.accepted(response);
    else if (this.state === 'leaving') this.surroundings.forget(this);
    else if (response.status === 422 && this.minExpires === undefined) this.askLonger(response);
    else {
      this.over(endOf(response));
      this.surroundings.forget(this);
    }
  }

  private provisional({ status, headers, body }: SipResponse): void {
    if (this.state === 'leaving') this.authenticated.cancel();
    const early = parseSdp(body);
    if (early) this.sound.expect(tagOf(headers.get('To')) ?? '', early);
    if (this.state !== 'calling' || status === 100) return;
    this.state = 'ringing';
    this.options.listener.ringing?.();
  }

  /** Handles a 2xx. If several phones answer, the first gets the call, the others a BYE. A repeated 2xx needs another ACK. */
  private accepted(response: SipResponse): void {
    const tag = tagOf(response.headers.get('To')) ?? '';
    const { request } = this.authenticated;
    const known = this.dialogs.get(tag);
    const dialog = known ?? Dialog.ofCaller(request, response, this.options.peer);
    if (!dialog || this.dialogs.size > 8) return;
    this.dialogs.set(tag, dialog);
    sendAck(this.surroundings, dialog, request);
    if (known) return;
    if (this.state === 'calling' || this.state === 'ringing') this.connect(dialog, response);
    else {
      const isLast = this.state !== 'up';
      const forget = (): void => (isLast ? this.surroundings.forget(this) : undefined);
      askInDialog(this.surroundings, dialog, {
        method: 'BYE',
        credentials: this.options.credentials,
        answered: forget,
        lost: forget,
      });
    }
  }

  private connect(dialog: Dialog, response: SipResponse): void {
    const { credentials, listener } = this.options;
    this.timers.clear();
    this.state = 'up';
    const { secondsMax } = this.options;
    if (secondsMax !== undefined) this.timers.after(secondsMax * 1000, () => this.hangUp());
    this.connected = dialog.remoteTag;
    this.call = new Established(this.surroundings, {
      owner: this,
      dialog,
      negotiation: this.negotiation,
      sound: this.sound,
      credentials,
      listener: () => listener,
      over: (end) => this.over(end),
    });
    this.sound.answeredBy(dialog.remoteTag);
    if (!this.negotiation.answered(response.body)) {
      this.call.hangUp({ kind: 'refused', words: 'the answer has no sound that we share' });
      return;
    }
    listener.answered?.();
    this.call.connected(response);
  }

  private askLonger(response: SipResponse): void {
    const seconds = Number(/^\d{1,6}/.exec(response.headers.get('Min-SE') ?? '')?.[0] ?? 0);
    this.minExpires = Math.max(1800, seconds);
    this.authenticated = this.begin();
  }

  private lost(): void {
    const wasLeaving = this.state === 'leaving';
    if (!wasLeaving) this.over({ kind: 'unreachable', words: 'nobody answered the request' });
    this.surroundings.forget(this);
  }

  /** Gives up an unanswered call. A 2xx that still arrives is acknowledged and ended. */
  private giveUp(end: CallEnd): void {
    if (this.state !== 'calling' && this.state !== 'ringing') return;
    this.over(end);
    this.state = 'leaving';
    this.authenticated.cancel();
  }

  private over(end: CallEnd): void {
    if (this.state === 'over' || this.state === 'leaving') return;
    this.state = 'over';
    this.timers.clear();
    this.sound.close();
    this.options.listener.ended?.(end);
  }
}
