import { randomBytes } from 'node:crypto';
import { formatMessage, request as makeRequest, SipHeaders, type SipRequest, type SipResponse } from '../message/sip-message';
import { hostInUri } from '../message/sip-uri';
import type { SipPeer, SipTransport } from '../transport/sip-transport';
import { lostAfterMs, T1, T2, T4, Timers } from './timers';

/** The outcome of a request. A 2xx to INVITE may arrive more than once, from several phones or because our ACK was lost. */
export interface ResponseListener {
  response(response: SipResponse): void;
  /** There was no response in time. */
  lost(): void;
}

type ClientState = 'calling' | 'proceeding' | 'completed' | 'accepted' | 'ended';

/** A request of ours and its responses (RFC 3261 17.1, RFC 6026). */
export class ClientTransaction {
  readonly request: SipRequest;
  readonly branch: string;
  private readonly timers = new Timers();
  private state: ClientState = 'calling';
  private isCancelled = false;
  private stopSending: () => void;
  private stopWaiting: () => void;

  constructor(
    asked: SipRequest,
    readonly peer: SipPeer,
    private readonly transport: SipTransport,
    private readonly options: {
      readonly listener: ResponseListener;
      readonly ended: () => void;
      readonly branch?: string;
      /** The request already has its Via: it is a CANCEL, or was sent by another process. */
      readonly hasVia?: true;
      /** Another process has sent it, so only its responses are awaited. */
      readonly wasSent?: true;
    },
  ) {
    this.branch = options.branch ?? `z9hG4bK${randomBytes(9).toString('hex')}`;
    const headers = asked.headers.clone();
    if (!options.hasVia) headers.prepend('Via', viaOf(transport, peer, this.branch));
    this.request = { ...asked, headers };
    if (options.wasSent) {
      this.state = 'proceeding';
      this.stopSending = this.stopWaiting = () => {};
      return;
    }
    const bytes = formatMessage(this.request);
    const send = (): void => transport.send(bytes, peer);
    if (this.isReliable) send();
    this.stopSending = this.isReliable ? () => {} : this.timers.repeat(this.isInvite ? Number.MAX_SAFE_INTEGER : T2, send);
    this.stopWaiting = this.timers.after(lostAfterMs, () => this.lost());
  }

  get isInvite(): boolean {
    return this.request.method === 'INVITE';
  }

  receive(response: SipResponse): void {
    if (response.status < 200) this.provisional(response);
    else if (this.isInvite) this.finalOfInvite(response);
    else this.final(response);
  }

  /** The CANCEL of an INVITE, which is allowed only after a provisional response; the final response arrives as usual. */
  cancel(): SipRequest | undefined {
    if (!this.isInvite || this.state !== 'proceeding' || this.isCancelled) return undefined;
    this.isCancelled = true;
    // If there is no final response after a CANCEL, there is no call either.
    this.timers.after(lostAfterMs, () => this.lost());
    // The callee matches the INVITE by its Via, even if another process cancels it.
    const headers = SipHeaders.of([['Via', this.request.headers.list('Via')[0] ?? '']]);
    for (const name of ['From', 'To', 'Call-ID']) headers.add(name, this.request.headers.get(name) ?? '');
    for (const route of this.request.headers.list('Route')) headers.add('Route', route);
    headers.add('CSeq', `${Number.parseInt(this.request.headers.get('CSeq') ?? '0', 10)} CANCEL`).add('Max-Forwards', '70');
    return makeRequest('CANCEL', this.request.uri, headers);
  }

  end(): void {
    if (this.state === 'ended') return;
    this.state = 'ended';
    this.timers.clear();
    this.options.ended();
  }

  private get isReliable(): boolean {
    return this.peer.protocol === 'tcp';
  }

  private provisional(response: SipResponse): void {
    if (this.state !== 'calling' && this.state !== 'proceeding') return;
    this.state = 'proceeding';
    if (this.isInvite) {
      this.stopSending();
      // From here on, how long it may ring is up to the caller.
      this.stopWaiting();
    }
    this.options.listener.response(response);
  }

  private final(response: SipResponse): void {
    if (this.state === 'completed' || this.state === 'ended') return;
    this.linger('completed', this.isReliable ? 0 : T4);
    this.options.listener.response(response);
  }

  private finalOfInvite(response: SipResponse): void {
    if (this.state === 'ended') return;
    if (response.status < 300) {
      if (this.state === 'completed') return;
      if (this.state !== 'accepted') this.linger('accepted', 64 * T1);
      this.options.listener.response(response);
      return;
    }
    if (this.state === 'accepted') return;
    this.acknowledge(response);
    if (this.state === 'completed') return;
    this.linger('completed', this.isReliable ? 0 : lostAfterMs);
    this.options.listener.response(response);
  }

  /** Sends the ACK of a refusal, which belongs to the transaction: same branch, same route. */
  private acknowledge(response: SipResponse): void {
    const { headers, uri } = this.request;
    const ack = SipHeaders.of([['Via', headers.list('Via')[0] ?? '']]);
    for (const route of headers.list('Route')) ack.add('Route', route);
    ack.add('Max-Forwards', '70');
    ack.add('From', headers.get('From') ?? '').add('To', response.headers.get('To') ?? '');
    ack.add('Call-ID', headers.get('Call-ID') ?? '');
    ack.add('CSeq', `${Number.parseInt(headers.get('CSeq') ?? '0', 10)} ACK`);
    this.transport.send(formatMessage(makeRequest('ACK', uri, ack)), this.peer);
  }

  private linger(state: ClientState, ms: number): void {
    this.timers.clear();
    this.state = state;
    this.timers.after(ms, () => this.end());
  }

  private lost(): void {
    if (this.state !== 'calling' && this.state !== 'proceeding') return;
    this.end();
    this.options.listener.lost();
  }
}

/** Our Via; `rport` requests responses to our real address. */
export function viaOf({ advertised }: SipTransport, { protocol }: SipPeer, branch: string): string {
  return `SIP/2.0/${protocol.toUpperCase()} ${hostInUri(advertised.host)}:${advertised.port};rport;branch=${branch}`;
}
