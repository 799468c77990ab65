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
import type { SipPeer, SipTransport } from '../transport/sip-transport';
import { ClientTransaction, type ResponseListener, ServerTransaction } from './client-and-server';

/** Who decides about requests; repetitions and lost answers never reach it. */
export interface TransactionUser {
  request(transaction: ServerTransaction): void;
  /** The ACK of a 2xx, which is no transaction of its own. */
  acknowledged(ack: SipRequest, from: SipPeer): void;
  /** The caller takes back an INVITE that we have not answered yet. */
  cancelled(invite: ServerTransaction): void;
  /** A 2xx to an abandoned INVITE: its sender still needs an ACK. */
  stray(response: SipResponse, from: SipPeer): void;
  malformed(fault: Malformed, from: SipPeer): void;
}

const viaLine =
  /^SIP[ \t]*\/[ \t]*2\.0[ \t]*\/[ \t]*([A-Za-z]{2,8})[ \t]+(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?:[ \t]*:[ \t]*(\d{1,5}))?[ \t]*(;.*)?$/;
const ours = 'z9hG4bK';

/** Assigns messages to transactions, and limits how many there are at once. */
export class Transactions {
  private readonly servers = new Map<string, ServerTransaction>();
  private readonly clients = new Map<string, ClientTransaction>();

  constructor(
    private readonly transport: SipTransport,
    private readonly user: TransactionUser,
    private readonly openMax = 10_000,
  ) {}

  /** How many requests of either side are not over. */
  get open(): number {
    return this.servers.size + this.clients.size;
  }

  /** Every message of the network enters here; never throws, whatever it contains. */
  receive(bytes: Buffer, from: SipPeer): void {
    const message = parseMessage(bytes);
    if (message.kind === 'malformed') this.user.malformed(message, from);
    else if (message.kind === 'response') this.response(message, from);
    else this.request(message, from);
  }

  /** Sends a request of ours; its Via is added here. */
  send(asked: SipRequest, peer: SipPeer, listener: ResponseListener): ClientTransaction {
    return this.launch(asked, peer, { listener });
  }

  /** Takes an INVITE back, if it can be: false before the first answer, when there is nothing to cancel yet. */
  cancel(invite: ClientTransaction): boolean {
    const cancel = invite.cancel();
    if (!cancel) return false;
    const listener = { response: () => {}, lost: () => {} };
    this.launch(cancel, invite.peer, { listener, branch: invite.branch, hasVia: true });
    return true;
  }

  /** Resumes an INVITE sent by a process that died: its responses come here. Undefined if it has no Via of ours. */
  resume(invite: SipRequest, peer: SipPeer, listener: ResponseListener): ClientTransaction | undefined {
    const branch = viaIn(invite.headers.list('Via')[0])?.parameters.get('branch');
    return branch === undefined ? undefined : this.launch(invite, peer, { listener, branch, hasVia: true, wasSent: true });
  }

  /** Resumes an INVITE received by a process that died. Undefined if it is known here, or there is no room. */
  adopt(
    invite: SipRequest,
    { from, replyTo }: { readonly from: SipPeer; readonly replyTo: SipPeer },
  ): ServerTransaction | undefined {
    const via = viaIn(invite.headers.list('Via')[0]);
    if (!via || this.servers.size >= this.openMax || this.servers.has(keyOf(invite, via, 'INVITE'))) return undefined;
    return this.begin(invite, from, { key: keyOf(invite, via, 'INVITE'), replyTo });
  }

  /** Ends all of them without a word. */
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
    const via = viaIn(response.headers.list('Via')[0]);
    const method = cseqOf(response.headers)?.method;
    const transaction = this.clients.get(`${via?.parameters.get('branch') ?? ''}|${method ?? ''}`);
    if (transaction) transaction.receive(response);
    else if (method === 'INVITE' && response.status >= 200 && response.status < 300) this.user.stray(response, from);
  }

  private request(request: SipRequest, from: SipPeer): void {
    const via = viaIn(request.headers.list('Via')[0]);
    if (!via) return this.user.malformed({ kind: 'malformed', why: 'the Via' }, from);
    const replyTo = markSource(request, via, from);
    const key = keyOf(request, via, request.method === 'ACK' ? 'INVITE' : request.method);
    const known = this.servers.get(key);
    if (request.method === 'ACK') {
      if (!known) this.user.acknowledged(request, from);
      // An older peer sends the ACK of a 2xx with the branch of its INVITE.
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
    // RFC 3261 9.2: the same tag as in the answer to the INVITE.
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

/** Writes into the Via where the request really came from, and answers there: RFC 3581, and what NAT needs. */
function markSource(request: SipRequest, via: Via, from: SipPeer): SipPeer {
  const wantsPort = via.parameters.has('rport');
  const bare = via.text.replace(/;[ \t]*(rport|received)([ \t]*=[^;]*)?(?=;|$)/gi, '');
  const marks = `${wantsPort ? `;rport=${from.port}` : ''}${wantsPort || via.host !== from.address ? `;received=${from.address}` : ''}`;
  if (marks !== '') request.headers.replaceFirst('Via', bare + marks);
  if (from.protocol === 'tcp' || wantsPort) return from;
  // Without rport the Via's port counts; the address is always the packet's, so our responses cannot be aimed at a third party.
  return { ...from, port: via.port ?? 5060 };
}

function keyOf(request: SipRequest, via: Via, method: string): string {
  const branch = via.parameters.get('branch') ?? '';
  const sentBy = `${via.host}:${via.port ?? 5060}`;
  if (branch.startsWith(ours) && branch.length > ours.length) return `${method}|${sentBy}|${branch}`;
  const { headers } = request;
  return [method, sentBy, headers.get('Call-ID'), tagOf(headers.get('From')), cseqOf(headers)?.number].join('|');
}
