import { formatMessage, type ResponseOptions, responseTo, type SipRequest } from '../message/sip-message';
import type { SipPeer, SipTransport } from '../transport/sip-transport';
import { lostAfterMs, T2, T4, Timers } from './timers';

type ServerState = 'proceeding' | 'completed' | 'accepted' | 'confirmed' | 'ended';

/** A peer's request and our responses (RFC 3261 17.2, RFC 6026). Repeated requests are answered here. */
export class ServerTransaction {
  private readonly timers = new Timers();
  private state: ServerState = 'proceeding';
  private last: Buffer | undefined;
  private tag: string | undefined;

  constructor(
    readonly request: SipRequest,
    /** Where the request came from. */
    readonly from: SipPeer,
    private readonly transport: SipTransport,
    private readonly options: { readonly replyTo: SipPeer; readonly ended: () => void },
  ) {}

  get isInvite(): boolean {
    return this.request.method === 'INVITE';
  }

  /** Where responses go. */
  get replyTo(): SipPeer {
    return this.options.replyTo;
  }

  /** The To tag of our responses, once one was sent. */
  get toTag(): string | undefined {
    return this.tag;
  }

  /** Whether a final response was sent. */
  get isAnswered(): boolean {
    return this.state !== 'proceeding';
  }

  /** Whether our refusal was acknowledged. */
  get isConfirmed(): boolean {
    return this.state === 'confirmed';
  }

  /** Sends a response, but not a second final one. A 2xx to INVITE is repeated by the call until it is acknowledged. */
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
   * Refuses an unknown sender and forgets the request, since a response repeated until it is acknowledged would be sent ten times to a
   * possibly forged address. A repeated request is handled as new.
   */
  refuseOnce(status: number, options: ResponseOptions = {}): void {
    if (this.state !== 'proceeding') return;
    this.last = formatMessage(responseTo(this.request, status, options));
    this.repeatLast();
    this.end();
  }

  /** Sends the last 2xx again. */
  repeatLast(): void {
    if (this.last && this.state !== 'ended') this.transport.send(this.last, this.options.replyTo);
  }

  /** The request was repeated. */
  repeated(): void {
    if (this.state !== 'confirmed') this.repeatLast();
  }

  /** An ACK arrived; returns what it acknowledges. */
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
