import { randomBytes } from 'node:crypto';
import {
  formatMessage,
  request as makeRequest,
  type ResponseOptions,
  responseTo,
  SipHeaders,
  type SipRequest,
  type SipResponse,
} from '../message/sip-message';
import { hostInUri } from '../message/sip-uri';
import type { SipPeer, SipTransport } from '../transport/sip-transport';

/** The outcome of a request. A 2xx to INVITE may come more than once, from several phones or when our ACK was lost. */
export interface ResponseListener {
  response(response: SipResponse): void;
  /** There was no answer in time. */
  lost(): void;
}

type ClientState = 'calling' | 'proceeding' | 'completed' | 'accepted' | 'ended';

/** One request of ours and its answers, as RFC 3261 17.1 and RFC 6026 have it. */
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
      /** The request has its Via already: a CANCEL, or one sent by another process. */
      readonly hasVia?: true;
      /** Another process had sent it, and it may have arrived: only its responses are awaited. */
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

  /** An INVITE can be cancelled only after a provisional response; its final response comes as usual. */
  cancel(): SipRequest | undefined {
    if (!this.isInvite || this.state !== 'proceeding' || this.isCancelled) return undefined;
    this.isCancelled = true;
    // A callee that never ends its INVITE after a CANCEL has no call either.
    this.timers.after(lostAfterMs, () => this.lost());
    // The callee matches the INVITE by its Via, also when another process cancels it.
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
      // From here on the caller decides how long it may ring.
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

  /** The ACK of a refusal belongs to the transaction: same branch, same route. */
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

/** Our own Via: `rport` asks to be answered where we really are. */
export function viaOf({ advertised }: SipTransport, { protocol }: SipPeer, branch: string): string {
  return `SIP/2.0/${protocol.toUpperCase()} ${hostInUri(advertised.host)}:${advertised.port};rport;branch=${branch}`;
}

type ServerState = 'proceeding' | 'completed' | 'accepted' | 'confirmed' | 'ended';

/** One request of a peer and our answers to it, as RFC 3261 17.2 and RFC 6026 have it: repetitions are answered here. */
export class ServerTransaction {
  private readonly timers = new Timers();
  private state: ServerState = 'proceeding';
  private last: Buffer | undefined;
  private tag: string | undefined;

  constructor(
    readonly request: SipRequest,
    /** The sender of the request. */
    readonly from: SipPeer,
    private readonly transport: SipTransport,
    private readonly options: { readonly replyTo: SipPeer; readonly ended: () => void },
  ) {}

  get isInvite(): boolean {
    return this.request.method === 'INVITE';
  }

  /** Where its answers go. */
  get replyTo(): SipPeer {
    return this.options.replyTo;
  }

  /** The tag that its answers bear, once one did. */
  get toTag(): string | undefined {
    return this.tag;
  }

  /** Whether a final answer went out. */
  get isAnswered(): boolean {
    return this.state !== 'proceeding';
  }

  /** Whether the ACK of our refusal came. */
  get isConfirmed(): boolean {
    return this.state === 'confirmed';
  }

  /** A second final response is not sent. A 2xx to INVITE is repeated by the call until its ACK comes. */
  respond(status: number, options: ResponseOptions = {}): void {
    if (this.state !== 'proceeding') return;
    this.tag = options.toTag ?? this.tag;
    this.last = formatMessage(responseTo(this.request, status, options));
    if (status < 200) this.repeatLast();
    else if (!this.isInvite) this.complete(this.isReliable ? 0 : lostAfterMs);
    else if (status < 300) this.linger('accepted', lostAfterMs, () => this.repeatLast());
    else this.refuse();
  }

  /**
   * Refuses an unknown sender and forgets the request: a response repeated until it is acknowledged would be sent ten times to a
   * forged address. A repeated request is judged again.
   */
  refuseOnce(status: number, options: ResponseOptions = {}): void {
    if (this.state !== 'proceeding') return;
    this.last = formatMessage(responseTo(this.request, status, options));
    this.repeatLast();
    this.end();
  }

  /** The same 2xx once more. */
  repeatLast(): void {
    if (this.last && this.state !== 'ended') this.transport.send(this.last, this.options.replyTo);
  }

  /** The request came again. */
  repeated(): void {
    if (this.state !== 'confirmed') this.repeatLast();
  }

  /** Its ACK arrived: says which kind of response it acknowledges. */
  acknowledged(): '2xx' | 'refusal' | 'nothing' {
    if (this.state === 'accepted') return '2xx';
    if (this.state === 'completed') this.linger('confirmed', this.isReliable ? 0 : T4);
    return this.state === 'proceeding' ? 'nothing' : 'refusal';
  }

  end(): void {
    if (this.state === 'ended') return;
    this.state = 'ended';
    this.timers.clear();
    this.options.ended();
  }

  private get isReliable(): boolean {
    return this.from.protocol === 'tcp';
  }

  private complete(ms: number): void {
    this.linger('completed', ms, () => this.repeatLast());
  }

  private refuse(): void {
    this.linger('completed', lostAfterMs);
    if (this.isReliable) this.repeatLast();
    else this.timers.repeat(T2, () => this.repeatLast());
  }

  private linger(state: ServerState, ms: number, now = (): void => {}): void {
    this.timers.clear();
    this.state = state;
    now();
    this.timers.after(ms, () => this.end());
  }
}

/** The timers of RFC 3261, in milliseconds: a round trip, the longest pause between two sendings, how long a message may linger. */
const T1 = 500;
export const T2 = 4000;
const T4 = 5000;
/** When a request without any answer counts as lost. */
export const lostAfterMs = 64 * T1;

/** The running timers of one owner; they never keep a process alive, and end with it. */
export class Timers {
  private readonly running = new Set<NodeJS.Timeout>();

  /** Runs once after so long, unless cancelled; answers how to cancel. */
  after(ms: number, run: () => void): () => void {
    const timer = setTimeout(() => {
      this.running.delete(timer);
      run();
    }, ms);
    timer.unref();
    this.running.add(timer);
    return () => {
      clearTimeout(timer);
      this.running.delete(timer);
    };
  }

  /** Sends at once, then after T1, 2·T1, 4·T1 … but at most `ceilingMs` apart, until cancelled. */
  repeat(ceilingMs: number, send: () => void): () => void {
    let cancel = (): void => {};
    const next = (pauseMs: number): void => {
      cancel = this.after(pauseMs, () => {
        send();
        next(Math.min(2 * pauseMs, ceilingMs));
      });
    };
    send();
    next(T1);
    return () => cancel();
  }

  clear(): void {
    for (const timer of this.running) clearTimeout(timer);
    this.running.clear();
  }
}
