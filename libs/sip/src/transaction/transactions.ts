import type { AddressHandover } from '@parley/ports';
import {
  cseqOf,
  formatMessage,
  type Malformed,
  parseMessage,
  responseTo,
  type SipRequest,
  type SipResponse,
  splitList,
  tagOf,
} from '../message/sip-message';
import { newToken, parseParameters } from '../message/sip-uri';
import { formatRelayed, parseRelayed, type RelayableTransport } from '../transport/relayable-transport';
import type { SipPeer, SipTransport } from '../transport/sip-transport';
import { ClientTransaction, type ResponseListener } from './client-transaction';
import { ServerTransaction } from './server-transaction';

/** Handles requests. Repetitions and lost responses are dealt with before. */
export interface TransactionUser {
  request(transaction: ServerTransaction): void;
  /** The ACK of a 2xx, which is not part of a transaction. */
  acknowledged(ack: SipRequest, from: SipPeer): void;
  /** The caller cancelled an INVITE that we have not answered yet. */
  cancelled(invite: ServerTransaction): void;
  /** A 2xx to an abandoned INVITE, whose sender still needs an ACK. */
  stray(response: SipResponse, from: SipPeer): void;
  malformed(fault: Malformed, from: SipPeer): void;
  /** Whether a request belongs to a call of this replica. */
  holds(request: SipRequest): boolean;
}

const viaLine =
  /^SIP[ \t]*\/[ \t]*2\.0[ \t]*\/[ \t]*([A-Za-z]{2,8})[ \t]+(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?:[ \t]*:[ \t]*(\d{1,5}))?[ \t]*(;.*)?$/;
const ours = 'z9hG4bK';

/** Assigns messages to transactions, and limits their number. */
export class Transactions {
  private readonly servers = new Map<string, ServerTransaction>();
  private readonly clients = new Map<string, ClientTransaction>();

  constructor(
    private readonly transport: SipTransport,
    private readonly user: TransactionUser,
    private readonly openMax = 10_000,
  ) {}

  /** The number of open transactions. */
  get open(): number {
    return this.servers.size + this.clients.size;
  }

  /** Handles a message from the network. Never throws, whatever it contains. */
  receive(bytes: Buffer, from: SipPeer): void {
    const message = parseMessage(bytes);
    if (message.kind === 'malformed') this.user.malformed(message, from);
    else if (message.kind === 'response') this.response(message, from);
    else this.request(message, from);
  }

  /** Whether a message belongs to a call or transaction here, to one elsewhere, or begins a new one. */
  whose(bytes: Buffer): 'ours' | 'elsewhere' | 'new' {
    const message = parseMessage(bytes);
    if (message.kind === 'malformed') return 'ours';
    const via = viaIn(message.headers.list('Via')[0]);
    if (message.kind === 'response') return this.clientOf(message, via) ? 'ours' : 'elsewhere';
    const { method, headers } = message;
    const belongsToInvite = method === 'ACK' || method === 'CANCEL';
    if (!via || this.servers.has(keyOf(message, via, belongsToInvite ? 'INVITE' : method)) || this.user.holds(message))
      return 'ours';
    return belongsToInvite || tagOf(headers.get('To')) !== undefined ? 'elsewhere' : 'new';
  }

  /** Sends a request, adding its Via. */
  send(asked: SipRequest, peer: SipPeer, listener: ResponseListener): ClientTransaction {
    return this.launch(asked, peer, { listener });
  }

  /** Cancels an INVITE; false before the first response, when it cannot be cancelled yet. */
  cancel(invite: ClientTransaction): boolean {
    const cancel = invite.cancel();
    if (!cancel) return false;
    const listener = { response: () => {}, lost: () => {} };
    this.launch(cancel, invite.peer, { listener, branch: invite.branch, hasVia: true });
    return true;
  }

  /** Resumes an INVITE sent by a process that died, so that its responses come here. Undefined if it has no Via of ours. */
  resume(invite: SipRequest, peer: SipPeer, listener: ResponseListener): ClientTransaction | undefined {
    const branch = viaIn(invite.headers.list('Via')[0])?.parameters.get('branch');
    return branch === undefined ? undefined : this.launch(invite, peer, { listener, branch, hasVia: true, wasSent: true });
  }

  /** Resumes an INVITE received by a process that died. Undefined if it is known here, or there are too many. */
  adopt(
    invite: SipRequest,
    { from, replyTo }: { readonly from: SipPeer; readonly replyTo: SipPeer },
  ): ServerTransaction | undefined {
    const via = viaIn(invite.headers.list('Via')[0]);
    if (!via || this.servers.size >= this.openMax || this.servers.has(keyOf(invite, via, 'INVITE'))) return undefined;
    return this.begin(invite, from, { key: keyOf(invite, via, 'INVITE'), replyTo });
  }

  /** Ends all transactions without sending anything. */
  close(): void {
    for (const transaction of [...this.servers.values(), ...this.clients.values()]) transaction.end();
  }

  private launch(
    asked: SipRequest,
    peer: SipPeer,
    options: { listener: ResponseListener; branch?: string; hasVia?: true; wasSent?: true },
  ): ClientTransaction {
    let key = '';
    const ended = (): void => void this.clients.delete(key);
    const transaction = new ClientTransaction(asked, peer, this.transport, { ...options, ended });
    key = `${transaction.branch}|${asked.method}`;
    this.clients.set(key, transaction);
    return transaction;
  }

  private response(response: SipResponse, from: SipPeer): void {
    const transaction = this.clientOf(response, viaIn(response.headers.list('Via')[0]));
    if (transaction) transaction.receive(response);
    else if (cseqOf(response.headers)?.method === 'INVITE' && response.status >= 200 && response.status < 300)
      this.user.stray(response, from);
  }

  private clientOf({ headers }: SipResponse, via: Via | undefined): ClientTransaction | undefined {
    return this.clients.get(`${via?.parameters.get('branch') ?? ''}|${cseqOf(headers)?.method ?? ''}`);
  }

  private request(request: SipRequest, from: SipPeer): void {
    const via = viaIn(request.headers.list('Via')[0]);
    if (!via) return this.user.malformed({ kind: 'malformed', why: 'the Via' }, from);
    const replyTo = markSource(request, via, from);
    const key = keyOf(request, via, request.method === 'ACK' ? 'INVITE' : request.method);
    const known = this.servers.get(key);
    if (request.method === 'ACK') {
      if (!known) this.user.acknowledged(request, from);
      // Older peers send the ACK of a 2xx with the branch of the INVITE.
      else if (known.acknowledged() === '2xx') this.user.acknowledged(request, from);
    } else if (known) known.repeated();
    else this.opened(request, from, { key, replyTo, via });
  }

  private opened(request: SipRequest, from: SipPeer, { key, replyTo, via }: { key: string; replyTo: SipPeer; via: Via }): void {
    if (this.servers.size >= this.openMax) {
      this.transport.send(formatMessage(responseTo(request, 503, { headers: [['Retry-After', '5']] })), replyTo);
      return;
    }
    const transaction = this.begin(request, from, { key, replyTo });
    if (request.method !== 'CANCEL') return this.user.request(transaction);
    const invite = this.servers.get(keyOf(request, via, 'INVITE'));
    // The same tag as in the response to the INVITE (RFC 3261 9.2).
    transaction.respond(invite ? 200 : 481, { toTag: invite?.toTag ?? newToken() });
    if (invite && !invite.isAnswered) this.user.cancelled(invite);
  }

  private begin(request: SipRequest, from: SipPeer, { key, replyTo }: { key: string; replyTo: SipPeer }): ServerTransaction {
    const ended = (): void => void this.servers.delete(key);
    const transaction = new ServerTransaction(request, from, this.transport, { replyTo, ended });
    this.servers.set(key, transaction);
    return transaction;
  }
}

const parkedMax = 500;

/** Decides which replica a message is for, while a stopping replica still has the sockets and another one accepts new calls. */
export class PortSharing {
  /** Replicas for messages that belong to no call here. The last one accepts new calls; the others still have calls of their own. */
  private readonly handovers = new Set<AddressHandover>();
  /** Messages that wait until it is known whether another replica accepts them. */
  private parked: { bytes: Buffer; from: SipPeer }[] | undefined;

  constructor(
    private readonly way: RelayableTransport,
    private readonly transactions: Transactions,
    private readonly options: { contacted: (peer: SipPeer) => void; left: () => void; takesNew: () => boolean },
  ) {}

  get others(): number {
    return this.handovers.size;
  }

  get isHandedOn(): boolean {
    return this.parked !== undefined || this.handovers.size > 0;
  }

  /** Handles a message from our sockets. */
  heard(bytes: Buffer, from: SipPeer): void {
    if (!this.isHandedOn || this.transactions.whose(bytes) === 'ours') this.transactions.receive(bytes, from);
    else if (this.handovers.size > 0) for (const handover of this.handovers) handover.send(formatRelayed(bytes, from));
    else if (this.parked && this.parked.length < parkedMax) this.parked.push({ bytes, from });
  }

  /** Messages that belong to no call here wait until it is known who takes the port. False if nobody does. */
  async handOn(to: Promise<AddressHandover | undefined>): Promise<boolean> {
    this.parked ??= [];
    const handover = await to;
    if (handover) this.serve(handover);
    const { parked = [] } = this;
    this.parked = undefined;
    for (const { bytes, from } of parked) this.heard(bytes, from);
    return handover !== undefined;
  }

  /** Receives through another replica, which passes on everything that is not its own. Messages for a third replica are not refused here. */
  listenTo(handover: AddressHandover): void {
    this.way.through(handover);
    handover.hear((frame) => {
      const { bytes, peer } = parseRelayed(frame) ?? {};
      if (!bytes || !peer) return;
      const whose = this.transactions.whose(bytes);
      if (whose === 'ours' || (whose === 'new' && this.options.takesNew())) this.transactions.receive(bytes, peer);
    });
  }

  /** Sends another replica's messages from this port, and grants their recipients the higher rate for responses. */
  private serve(handover: AddressHandover): void {
    this.handovers.add(handover);
    void handover.closed.then(() => {
      this.handovers.delete(handover);
      this.options.left();
    });
    handover.hear((frame) => {
      const { bytes, peer } = parseRelayed(frame) ?? {};
      if (!bytes || !peer) return;
      this.options.contacted(peer);
      this.way.send(bytes, peer);
    });
  }
}

interface Via {
  readonly host: string;
  readonly port: number | undefined;
  readonly parameters: ReadonlyMap<string, string>;
  readonly text: string;
}

function viaIn(text = ''): Via | undefined {
  const [, , host, port, rest = ''] = viaLine.exec(text) ?? [];
  const parameters = parseParameters(splitParameters(rest));
  if (host === undefined || !parameters || Number(port ?? 1) > 65_535 || port === '0') return undefined;
  return { host, port: port === undefined ? undefined : Number(port), parameters, text };
}

function splitParameters(rest: string): string[] {
  return splitList(rest.replaceAll(';', ',')).filter((part) => part !== '');
}

/** Adds the real source of a request to its Via, and returns where to respond (RFC 3581), as NAT requires. */
function markSource(request: SipRequest, via: Via, from: SipPeer): SipPeer {
  const wantsPort = via.parameters.has('rport');
  const bare = via.text.replace(/;[ \t]*(rport|received)([ \t]*=[^;]*)?(?=;|$)/gi, '');
  const marks = `${wantsPort ? `;rport=${from.port}` : ''}${wantsPort || via.host !== from.address ? `;received=${from.address}` : ''}`;
  if (marks !== '') request.headers.replaceFirst('Via', bare + marks);
  if (from.protocol === 'tcp' || wantsPort) return from;
  // Without rport, the port of the Via applies; the address is always the packet's, so responses cannot be directed at a third party.
  return { ...from, port: via.port ?? 5060 };
}

function keyOf(request: SipRequest, via: Via, method: string): string {
  const branch = via.parameters.get('branch') ?? '';
  const sentBy = `${via.host}:${via.port ?? 5060}`;
  if (branch.startsWith(ours) && branch.length > ours.length) return `${method}|${sentBy}|${branch}`;
  const { headers } = request;
  return [method, sentBy, headers.get('Call-ID'), tagOf(headers.get('From')), cseqOf(headers)?.number].join('|');
}
