import {
  cseqOf,
  request as makeRequest,
  SipHeaders,
  type SipMessage,
  type SipRequest,
  type SipResponse,
  tagOf,
} from '../message/sip-message';
import { formatUri, parseNameAddress } from '../message/sip-uri';
import { withinCall } from '../transport/locate';
import type { SipPeer } from '../transport/sip-transport';

const routesMax = 16;

interface DialogState {
  readonly callId: string;
  readonly local: string;
  readonly remote: string;
  readonly routes: readonly string[];
  readonly target: string;
  readonly localSequence: number;
  readonly remoteSequence: number;
  readonly heardAt: SipPeer;
}

/** What both ends of a call know of each other: names, numbers, and the way, as RFC 3261 12 has it. Loose routers only. */
export class Dialog {
  readonly callId: string;
  readonly remoteTag: string;
  private readonly local: string;
  private readonly remote: string;
  private readonly routes: readonly string[];
  private readonly heardAt: SipPeer;
  private target: string;
  private localSequence: number;
  private remoteSequence: number;

  private constructor(state: DialogState) {
    this.callId = state.callId;
    this.local = state.local;
    this.remote = state.remote;
    this.remoteTag = tagOf(state.remote) ?? '';
    this.routes = state.routes;
    this.target = state.target;
    this.localSequence = state.localSequence;
    this.remoteSequence = state.remoteSequence;
    this.heardAt = state.heardAt;
  }

  /** The dialog that our 2xx to this INVITE makes; nothing when the caller named no address of its own. */
  static ofCalled(invite: SipRequest, localTag: string, heardAt: SipPeer): Dialog | undefined {
    const target = contactOf(invite);
    const routes = invite.headers.list('Record-Route');
    if (target === undefined || routes.length > routesMax) return undefined;
    return new Dialog({
      callId: invite.headers.get('Call-ID') ?? '',
      local: `${invite.headers.get('To') ?? ''};tag=${localTag}`,
      remote: invite.headers.get('From') ?? '',
      routes,
      target,
      localSequence: 0,
      remoteSequence: cseqOf(invite.headers)?.number ?? 0,
      heardAt,
    });
  }

  /** The dialog that the peer's 2xx to our INVITE makes. */
  static ofCaller(invite: SipRequest, response: SipResponse, heardAt: SipPeer): Dialog | undefined {
    const remote = response.headers.get('To') ?? '';
    const routes = response.headers.list('Record-Route').toReversed();
    if (tagOf(remote) === undefined || routes.length > routesMax) return undefined;
    return new Dialog({
      callId: invite.headers.get('Call-ID') ?? '',
      local: invite.headers.get('From') ?? '',
      remote,
      routes,
      // A 2xx without a Contact is wrong, and the address that was called is the best guess.
      target: contactOf(response) ?? invite.uri,
      localSequence: cseqOf(invite.headers)?.number ?? 0,
      remoteSequence: -1,
      heardAt,
    });
  }

  get peer(): SipPeer {
    const route = parseNameAddress(this.routes[0] ?? '');
    return withinCall(route ? formatUri(route.uri) : this.target, this.heardAt);
  }

  /** The next request of ours; Via comes with the sending. An ACK takes the number of its INVITE. */
  request(
    method: string,
    options: { sequence?: number; headers?: Iterable<readonly [string, string]>; body?: Buffer } = {},
  ): SipRequest {
    const sequence = options.sequence ?? ++this.localSequence;
    const headers = SipHeaders.of([['Max-Forwards', '70']]);
    for (const route of this.routes) headers.add('Route', route);
    headers.add('From', this.local).add('To', this.remote).add('Call-ID', this.callId).add('CSeq', `${sequence} ${method}`);
    for (const [name, value] of options.headers ?? []) headers.add(name, value);
    return makeRequest(method, this.target, headers, options.body);
  }

  /** Whether a request comes after those before it; then it counts. */
  accepts(request: SipRequest): boolean {
    const number = cseqOf(request.headers)?.number ?? -1;
    if (number <= this.remoteSequence) return false;
    this.remoteSequence = number;
    return true;
  }

  /** A re-INVITE and its answer may say that the peer has moved. */
  refreshTarget(message: SipMessage): void {
    this.target = contactOf(message) ?? this.target;
  }
}

function contactOf({ headers }: SipMessage): string | undefined {
  const contact = parseNameAddress(headers.list('Contact')[0] ?? '');
  return contact && formatUri(contact.uri);
}
