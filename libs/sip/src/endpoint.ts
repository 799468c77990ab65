import { type AddressHandover, within } from '@parley/ports';
import { allowed, type CallSurroundings, type DialogOwner, optionsTo, ownHeaders } from './call/call-core';
import { InboundCall } from './call/inbound-call';
import { OutboundCall, type OutboundOptions } from './call/outbound-call';
import { endLeft, type LeftCall } from './call/left-call';
import { checkCredentials, Registration, type RegistrationOptions, type RegistrationState } from './call/registration';
import { type Refusal, refusalOf, unknownExtensions } from './call/negotiation';
import { type SipCredentials, type DigestAlgorithm, DigestGuard } from './message/digest';
import { type Malformed, type SipRequest, tagOf } from './message/sip-message';
import { newToken, type SipUri } from './message/sip-uri';
import { FrameClock } from './rtp/paced-sending';
import { PortPairs, type PortRange } from './rtp/port-pairs';
import type { G711 } from './rtp/rtp-packet';
import type { ServerTransaction } from './transaction/server-transaction';
import { PortSharing, Transactions, type TransactionUser } from './transaction/transactions';
import { type AdmissionOptions, isScanner, SipAdmission } from './transport/admission';
import { RelayableTransport } from './transport/relayable-transport';
import type { SipPeer } from './transport/sip-transport';
import { locate } from './transport/locate';

export interface EndpointOptions {
  readonly host: string;
  readonly port: number;
  /** The host that peers are told, if not `host`: the public address of a NAT, for signalling and sound. */
  readonly advertisedHost?: string;
  readonly media: PortRange;
  readonly admission?: AdmissionOptions;
  /** Looks up the password of a caller from an untrusted address. Absent: such callers are refused. */
  readonly passwordOf?: (username: string) => Promise<string | undefined>;
  readonly realm?: string;
  /** By default SHA-256 and MD5. */
  readonly digest?: readonly DigestAlgorithm[];
  readonly callsMax?: number;
  readonly codecs?: readonly G711[];
  readonly starvedAfterMs?: number;
  readonly userAgent?: string;
  /** Whether we may send to an address named by a peer. Absent: to any. */
  readonly reaches?: (address: string) => boolean;
  /** Called for each incoming call, which rings until it is answered or refused. Must not throw. */
  readonly incoming: (call: InboundCall) => void;
  /** Called for each INVITE that is refused before it becomes a call, except for the initial challenge. */
  readonly refused?: (refusal: RefusedInvite) => void;
  /** Shared by the endpoints of a process. */
  readonly clock?: FrameClock;
  /** Present while another replica still has the sockets of the port. */
  readonly handover?: AddressHandover;
}

/** Why an INVITE did not become a call, and where it came from. */
type RefusedInvite = Pick<Refusal, 'status' | 'why'> & { readonly address: string };

/** Refused messages, for metrics. */
interface EndpointCounts {
  readonly malformed: number;
  readonly scanners: number;
  readonly unproven: number;
  readonly overfull: number;
}

type Call = InboundCall | OutboundCall;

/** A SIP endpoint over UDP and TCP: accepts calls, places calls, registers. */
export class SipEndpoint {
  private readonly calls = new Map<string, Call>();
  private readonly registrations = new Set<Registration>();
  private readonly counted = { malformed: 0, scanners: 0, unproven: 0, overfull: 0 };
  private readonly guard: DigestGuard | undefined;
  private readonly ports: PortPairs;
  private readonly sharing: PortSharing;
  /** Called whenever a call has ended or another replica has left. */
  private readonly onDeparture = new Set<() => void>();
  private readonly contacted = (peer: SipPeer): void => this.admission.contacted(peer.address);
  private isDraining = false;
  private begun = 0;

  private constructor(
    private readonly options: EndpointOptions,
    private readonly admission: SipAdmission,
    private readonly wired: { way: RelayableTransport; transactions: Transactions; surroundings: CallSurroundings },
  ) {
    const { way, transactions } = wired;
    const left = (): void => this.departed();
    this.sharing = new PortSharing(way, transactions, { contacted: this.contacted, left, takesNew: () => !this.isDraining });
    this.ports = new PortPairs(options.media);
    this.guard = options.passwordOf && new DigestGuard(options.realm ?? 'parley', options.passwordOf, options.digest);
  }

  static async open(options: EndpointOptions): Promise<SipEndpoint> {
    const admission = new SipAdmission(options.admission);
    // Sockets and endpoint need each other; nothing is received before both exist.
    const made: { endpoint?: SipEndpoint } = {};
    const onMessage = (bytes: Buffer, from: SipPeer): void => made.endpoint?.sharing.heard(bytes, from);
    const way = await RelayableTransport.open({ ...options, admission, onMessage }, options.handover);
    try {
      return this.over(way, made, { options, admission });
    } catch (error) {
      // Otherwise the port would stay in use for as long as this process runs.
      await way.close();
      throw error;
    }
  }

  private static over(
    way: RelayableTransport,
    made: { endpoint?: SipEndpoint },
    { options, admission }: { options: EndpointOptions; admission: SipAdmission },
  ): SipEndpoint {
    const user: TransactionUser = {
      request: (transaction) => made.endpoint?.request(transaction),
      acknowledged: (ack) => made.endpoint?.acknowledged(ack),
      cancelled: (invite) => made.endpoint?.cancelled(invite),
      stray: () => {},
      malformed: (fault) => made.endpoint?.malformed(fault),
      holds: (request) => made.endpoint?.holds(request) ?? false,
    };
    const transactions = new Transactions(way, user);
    const surroundings: CallSurroundings = {
      transactions,
      transport: way,
      clock: options.clock ?? new FrameClock(),
      soundAddress: options.advertisedHost ?? options.media.host,
      codecs: options.codecs ?? ['PCMU', 'PCMA'],
      starvedAfterMs: options.starvedAfterMs ?? 30_000,
      userAgent: options.userAgent ?? 'parley',
      reaches: options.reaches ?? (() => true),
      contacted: ({ address }) => admission.contacted(address),
      opened: (call) => made.endpoint?.opened(call),
      forget: (call) => made.endpoint?.forget(call),
    };
    const endpoint = new SipEndpoint(options, admission, { way, transactions, surroundings });
    made.endpoint = endpoint;
    if (options.handover) endpoint.sharing.listenTo(options.handover);
    return endpoint;
  }

  /** The host and port for peers. */
  get address(): { readonly host: string; readonly port: number } {
    return this.wired.way.advertised;
  }

  /** The number of calls, including those hanging up. */
  get callCount(): number {
    return this.calls.size;
  }

  get counts(): EndpointCounts & { readonly transactions: number; readonly mediaPortsLeft: number } {
    return { ...this.counted, transactions: this.wired.transactions.open, mediaPortsLeft: this.ports.left };
  }

  /** Places a call; `full` if there are too many calls or no free port, `unknown-host` if the host cannot be resolved. */
  async place(
    options: OutboundOptions & { readonly proxy?: OutboundOptions['to'] },
  ): Promise<OutboundCall | 'full' | 'unknown-host'> {
    if (this.isFull || this.isDraining) return 'full';
    this.begun += 1;
    try {
      const peer = await this.locate(options.proxy ?? options.to);
      if (!peer) return 'unknown-host';
      const ports = await this.ports.take();
      if (!ports) return 'full';
      this.contacted(peer);
      return new OutboundCall(this.wired.surroundings, { ...options, peer, ports });
    } finally {
      this.begun -= 1;
    }
  }

  /** Ends a call left by a dead process. False if its stored dialog cannot be read. */
  endLeft(left: LeftCall, credentials?: SipCredentials): boolean {
    return endLeft(this.wired.surroundings, left, credentials);
  }

  /** Sends OPTIONS to a peer; returns the status of the response, undefined if there is none. */
  async isThere(to: SipUri): Promise<number | undefined> {
    const peer = await this.locate(to);
    if (!peer) return undefined;
    this.contacted(peer);
    const { surroundings, transactions } = this.wired;
    return new Promise((resolve) => {
      const answered = ({ status }: { status: number }): void => (status < 200 ? undefined : resolve(status));
      transactions.send(optionsTo(surroundings, to, peer), peer, { response: answered, lost: () => resolve(undefined) });
    });
  }

  /** Registers with a trunk until the registration or the endpoint is closed. */
  register(options: RegistrationOptions): Registration {
    const registration = new Registration(this.wired.surroundings, { ...options, contacted: this.contacted });
    this.registrations.add(registration);
    return registration;
  }

  /** Whether a registrar accepts our credentials. Existing registrations are not affected. */
  isKnownTo(options: RegistrationOptions): Promise<RegistrationState> {
    return checkCredentials(this.wired.surroundings, { ...options, contacted: this.contacted });
  }

  /** Accepts no more calls; established ones continue. */
  drain(): void {
    this.isDraining = true;
  }

  /** Resolves once neither our calls nor other stopping replicas need the endpoint, or at `until`. */
  finished(until: Date): Promise<void> {
    return this.once(() => this.callCount === 0 && this.sharing.others <= 1, until.getTime() - Date.now());
  }

  /** Whether messages that belong to no call here are, or may be, for another replica. */
  get isHandedOn(): boolean {
    return this.sharing.isHandedOn;
  }

  /** Hands the port over while our calls continue. If no replica takes it, messages that belong to no call are refused here. */
  async handOn(to: Promise<AddressHandover | undefined>): Promise<void> {
    if (await this.sharing.handOn(to)) this.leaveRegistrations();
  }

  /** Called when the handover has closed: listens on our own sockets, or through the next handover. */
  async takeOver(handover?: AddressHandover): Promise<void> {
    if (handover) this.sharing.listenTo(handover);
    else await this.wired.way.takeOver();
  }

  /** Ends every call and registration, and closes all ports. */
  async close(): Promise<void> {
    this.isDraining = true;
    // If another replica has the port, it also has the registration, which has the same contact.
    if (this.wired.way.isBorrowed) this.leaveRegistrations();
    await Promise.all([...this.registrations].map((registration) => registration.close()));
    for (const call of this.calls.values()) call.hangUp();
    await this.once(() => this.calls.size === 0, goodbyeMs);
    for (const call of this.calls.values()) call.established?.drop();
    this.wired.transactions.close();
    await this.wired.way.close();
  }

  holds(request: SipRequest): boolean {
    const tag = tagOf(request.headers.get('To'));
    return tag === undefined ? this.isMerged(request) : this.callOf(request, tag) !== undefined;
  }

  request(transaction: ServerTransaction): void {
    const { request } = transaction;
    if (isScanner(request.headers.get('User-Agent'))) {
      this.counted.scanners += 1;
      return transaction.end();
    }
    const tag = tagOf(request.headers.get('To'));
    if (tag !== undefined) return this.withinCall(transaction, tag);
    if (request.method === 'INVITE') void this.invited(transaction);
    else if (request.method === 'OPTIONS') this.asked(transaction);
    else if (methodsOfCalls.has(request.method)) transaction.respond(481, { toTag: newToken() });
    else transaction.respond(405, { toTag: newToken(), headers: [['Allow', allowed]] });
  }

  private asked(options: ServerTransaction): void {
    const { request, from } = options;
    const refusal = unknownExtensions(request);
    if (refusal) options.respond(refusal.status, { toTag: newToken(), headers: refusal.headers });
    else options.respond(200, { toTag: newToken(), headers: this.headers(from) });
  }

  acknowledged(ack: SipRequest): void {
    this.callOf(ack, tagOf(ack.headers.get('To')) ?? '')?.established?.acknowledged(ack);
  }

  cancelled(invite: ServerTransaction): void {
    for (const call of this.calls.values()) if (call instanceof InboundCall && call.waitsOn(invite)) return call.cancelled();
    invite.respond(487, { toTag: newToken() });
  }

  malformed(_fault: Malformed): void {
    this.counted.malformed += 1;
  }

  private leaveRegistrations(): void {
    for (const registration of this.registrations) registration.leave();
    this.registrations.clear();
  }

  /** Resolves an address; undefined also if we may not send to it. */
  private async locate(uri: SipUri): Promise<SipPeer | undefined> {
    const peer = await locate(uri);
    return peer && this.wired.surroundings.reaches(peer.address) ? peer : undefined;
  }

  private opened(call: DialogOwner): void {
    if (call instanceof InboundCall || call instanceof OutboundCall) this.calls.set(keyOf(call.callId, call.localTag), call);
  }

  private forget(call: DialogOwner): void {
    this.calls.delete(keyOf(call.callId, call.localTag));
    this.departed();
  }

  private departed(): void {
    for (const check of this.onDeparture) check();
  }

  /** Waits, at most for `withinMs`, for a condition that only changes when a call ends or a replica leaves. */
  private async once(isSo: () => boolean, withinMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = (): void => (isSo() ? resolve() : undefined);
    this.onDeparture.add(check);
    check();
    await within(withinMs, promise, () => undefined);
    this.onDeparture.delete(check);
  }

  private get isFull(): boolean {
    return this.calls.size + this.begun >= (this.options.callsMax ?? 500);
  }

  private headers(from: SipPeer): [string, string][] {
    return [...ownHeaders(this.wired.surroundings, from), ['Accept', 'application/sdp'], ['Accept-Encoding', 'identity']];
  }

  private withinCall(transaction: ServerTransaction, tag: string): void {
    const call = this.callOf(transaction.request, tag);
    if (call?.established) return call.established.request(transaction);
    // A caller may send BYE while the call is still ringing (RFC 3261 15.1.2).
    const isGivenUp = call instanceof InboundCall && transaction.request.method === 'BYE';
    transaction.respond(isGivenUp ? 200 : 481);
    if (isGivenUp) call.cancelled();
  }

  /** A call is identified by both tags and the Call-ID, so knowing only some of them is not enough to interfere. */
  private callOf({ headers }: SipRequest, tag: string): Call | undefined {
    const call = this.calls.get(keyOf(headers.get('Call-ID') ?? '', tag));
    return call?.remoteTag === tagOf(headers.get('From')) ? call : undefined;
  }

  private async invited(invite: ServerTransaction): Promise<void> {
    const { request } = invite;
    const toTag = newToken();
    const caller = await this.prove(invite, toTag);
    // It was cancelled meanwhile, or challenged.
    if (!caller || invite.isAnswered) return;
    invite.respond(100);
    const refusal = refusalOf(request, this.wired.surroundings.codecs);
    if (refusal) return this.refuse(invite, toTag, refusal);
    if (this.isFull || this.isDraining) return this.overfull(invite, toTag);
    this.begun += 1;
    const ports = await this.ports.take();
    this.begun -= 1;
    if (!ports) return this.overfull(invite, toTag);
    if (invite.isAnswered) return ports.close();
    // A proxy that forks or fails over may send an INVITE twice, of which only one may be answered.
    if (this.isMerged(request)) {
      ports.close();
      return invite.respond(482, { toTag });
    }
    this.options.incoming(new InboundCall(this.wired.surroundings, invite, ports, caller.account));
  }

  private isMerged(request: SipRequest): boolean {
    return [...this.calls.values()].some((call) => call instanceof InboundCall && call.isMergedWith(request));
  }

  private async prove(invite: ServerTransaction, toTag: string): Promise<{ account: string | undefined } | undefined> {
    const { request, from } = invite;
    if (this.admission.isTrusted(from.address)) return { account: undefined };
    this.counted.unproven += 1;
    if (!this.guard) {
      this.tellRefused(invite, { status: 403, why: 'its address is not trusted, and no caller has a password' });
      return void invite.refuseOnce(403, { toTag });
    }
    const verdict = await this.guard.judge(request).catch(() => undefined);
    if (!verdict) return void invite.refuseOnce(500, { toTag });
    if (verdict.kind === 'challenge') {
      const hasTried = request.headers.get('Authorization') !== undefined && !verdict.stale;
      if (hasTried) this.tellRefused(invite, { status: 401, why: 'its name or password is wrong' });
      const headers = this.guard.challenges(verdict.stale).map((value): [string, string] => ['WWW-Authenticate', value]);
      return void invite.refuseOnce(401, { toTag, headers });
    }
    this.counted.unproven -= 1;
    return { account: verdict.username };
  }

  private refuse(invite: ServerTransaction, toTag: string, refusal: Refusal): void {
    this.tellRefused(invite, refusal);
    invite.respond(refusal.status, { toTag, headers: refusal.headers });
  }

  private tellRefused({ from: { address } }: ServerTransaction, { status, why }: Pick<Refusal, 'status' | 'why'>): void {
    this.options.refused?.({ status, address, why });
  }

  private overfull(invite: ServerTransaction, toTag: string): void {
    this.counted.overfull += 1;
    const why = this.isDraining ? 'the port takes no new calls now' : 'there is no room for another call';
    this.refuse(invite, toTag, { status: 503, headers: [['Retry-After', '10']], why });
  }
}

const goodbyeMs = 2000;

/** Methods that are supported only within a call. */
const methodsOfCalls: ReadonlySet<string> = new Set(['BYE', 'NOTIFY', 'INFO', 'UPDATE']);

const keyOf = (callId: string, localTag: string): string => `${localTag}|${callId}`;
