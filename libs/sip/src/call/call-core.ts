import { answerTo, challengeIn, type SipCredentials } from '../message/digest';
import {
  cseqOf,
  formatMessage,
  request,
  type ResponseOptions,
  SipHeaders,
  type SipRequest,
  type SipResponse,
} from '../message/sip-message';
import { formatUri, hostInUri, newToken, type SipUri } from '../message/sip-uri';
import type { FrameClock } from '../rtp/paced-sending';
import type { ReceivedFrame } from '../rtp/jitter-buffer';
import type { PortPair } from '../rtp/port-pairs';
import type { G711 } from '../rtp/rtp-packet';
import { SoundSession } from '../rtp/sound-session';
import { type ClientTransaction, type ResponseListener, viaOf } from '../transaction/client-transaction';
import type { Transactions } from '../transaction/transactions';
import type { SipPeer, SipTransport } from '../transport/sip-transport';
import type { Dialog } from './dialog';

/** The supported methods, for Allow. */
export const allowed = 'INVITE, ACK, BYE, CANCEL, OPTIONS, INFO, UPDATE, NOTIFY';

/** What the calls of an endpoint share. */
export interface CallSurroundings {
  readonly transactions: Transactions;
  readonly transport: SipTransport;
  readonly clock: FrameClock;
  /** The address to which peers send sound. */
  readonly soundAddress: string;
  readonly codecs: readonly G711[];
  readonly starvedAfterMs: number;
  readonly userAgent: string;
  /** Whether we may send to an address named by a peer. */
  readonly reaches: (address: string) => boolean;
  /** Called before we send to a peer of our own accord, so that its responses are admitted. */
  readonly contacted: (peer: SipPeer) => void;
  /** Called when a dialog begins, whose requests then go to its owner. */
  readonly opened: (call: DialogOwner) => void;
  readonly forget: (call: DialogOwner) => void;
}

/** Receives the requests of one dialog. */
export interface DialogOwner {
  readonly callId: string;
  readonly localTag: string;
}

/** The headers that describe us and our capabilities. */
export function ownHeaders({ transport, userAgent }: CallSurroundings, peer: SipPeer, user = 'parley'): [string, string][] {
  return [
    ['Contact', contactOf(transport, peer, user)],
    ['Allow', allowed],
    ['Supported', 'timer'],
    ['User-Agent', userAgent],
  ];
}

/** Our Contact: where the peer is to send requests within the call. */
export function contactOf({ advertised }: SipTransport, { protocol }: SipPeer, user: string): string {
  const parameters = new Map(protocol === 'tcp' ? [['transport', 'tcp']] : []);
  return `<${formatUri({ user, host: advertised.host, port: advertised.port, parameters })}>`;
}

export const sdpType = ['Content-Type', 'application/sdp'] as const;

/** The options of a response with a session description. */
export function withSound(body: Buffer, headers: readonly (readonly [string, string])[]): ResponseOptions {
  return { body, headers: [...headers, sdpType] };
}

/** Creates a call's sound session, whose events go to the call's listener. */
export function soundOf(
  surroundings: CallSurroundings,
  wired: { ports: PortPair; peer: SipPeer; listener: () => CallListener },
): SoundSession {
  const { listener } = wired;
  return new SoundSession({
    ports: wired.ports,
    clock: surroundings.clock,
    signalling: wired.peer.address,
    reaches: surroundings.reaches,
    starvedAfterMs: surroundings.starvedAfterMs,
    listener: {
      sound: (heard) => listener().sound?.(heard),
      digit: (key) => listener().digit?.(key),
      marks: (names, wasCleared) => listener().marks?.(names, wasCleared),
      starved: () => listener().starved?.(),
    },
  });
}

/** Sends a request within a dialog, answering challenges. */
export function askInDialog(
  { transactions }: CallSurroundings,
  dialog: Dialog,
  asked: {
    readonly method: string;
    readonly headers?: readonly (readonly [string, string])[];
    readonly body?: Buffer;
    readonly credentials?: SipCredentials | undefined;
    readonly answered?: (response: SipResponse, request: SipRequest) => void;
    readonly lost?: () => void;
  },
): void {
  const { method, headers = [], body, credentials, answered, lost } = asked;
  const authenticated: AuthenticatedRequest = new AuthenticatedRequest(transactions, {
    make: (proof) => dialog.request(method, { headers: [...headers, ...proof], ...(body && { body }) }),
    peer: dialog.peer,
    credentials,
    listener: {
      response: (response) => {
        if (response.status >= 200) answered?.(response, authenticated.request);
      },
      lost: () => lost?.(),
    },
  });
}

/** Sends the ACK of a 2xx, which has no transaction, with the credentials of the INVITE. */
export function sendAck({ transport }: CallSurroundings, dialog: Dialog, invite: SipRequest, body?: Buffer): void {
  const proof = ['Authorization', 'Proxy-Authorization'].flatMap((name): [string, string][] => {
    const value = invite.headers.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  const sequence = cseqOf(invite.headers)?.number ?? 0;
  const ack = dialog.request('ACK', { sequence, headers: proof, ...(body && { body }) });
  ack.headers.prepend('Via', viaOf(transport, dialog.peer, `z9hG4bK${newToken()}`));
  transport.send(formatMessage(ack), dialog.peer);
}

/** Creates an OPTIONS request, which checks whether a peer is reachable. */
export function optionsTo(surroundings: CallSurroundings, to: SipUri, peer: SipPeer): SipRequest {
  const uri = formatUri({ ...to, parameters: new Map() });
  const lines: [string, string][] = [
    ['Max-Forwards', '70'],
    ['From', `<${ownUri(surroundings, 'parley')}>;tag=${newToken()}`],
    ['To', `<${uri}>`],
    ['Call-ID', newCallId(surroundings)],
    ['CSeq', '1 OPTIONS'],
    ...ownHeaders(surroundings, peer),
  ];
  return request('OPTIONS', formatUri(to), SipHeaders.of(lines));
}

/** Our address at the advertised host. */
function ownUri({ transport: { advertised } }: CallSurroundings, user: string): string {
  return formatUri({ user, host: advertised.host, port: advertised.port, parameters: new Map() });
}

/** A new Call-ID. */
export function newCallId({ transport: { advertised } }: CallSurroundings): string {
  return `${newToken()}@${hostInUri(advertised.host)}`;
}

/** Why a call ended. */
export type CallEndKind =
  | 'hung-up-by-peer'
  | 'hung-up-by-us'
  /** Cancelled before it was answered, by the caller or by us. */
  | 'cancelled'
  | 'busy'
  /** The called party declined. */
  | 'declined'
  | 'no-answer'
  | 'refused'
  /** There was no response at all. */
  | 'unreachable'
  /** The peer of an established call is gone: there was no ACK or no refresh. */
  | 'lost'
  | 'transferred';

export interface CallEnd {
  readonly kind: CallEndKind;
  /** The SIP status, if there was one. */
  readonly status?: number;
  readonly words: string;
  /** The texts of the Warning and Reason headers, such as `STIR: no valid identity`. */
  readonly remarks?: readonly string[];
}

/** The outcome of a transfer. */
export type TransferOutcome = { readonly kind: 'answered' } | { readonly kind: 'failed'; readonly status: number };

/**
 * A call's events. `ended` is called once and last, except for `transferred` if a peer hangs up before it reports that the target
 * answered. None of these may throw.
 */
export interface CallListener {
  /** An outgoing call is ringing. */
  ringing?(): void;
  /** The call is established. */
  answered?(): void;
  /** The codec is known, because the caller's ACK contained the answer to our offer. Not called if the caller made the offer. */
  agreed?(): void;
  sound?(heard: ReceivedFrame): void;
  digit?(key: string): void;
  marks?(names: readonly string[], wasCleared: boolean): void;
  held?(isHeld: boolean): void;
  starved?(): void;
  transferred?(outcome: TransferOutcome): void;
  ended?(end: CallEnd): void;
}

/** How a refusal of our INVITE ends the call. */
export function endOf({ status, reason, headers }: Pick<SipResponse, 'status' | 'reason' | 'headers'>): CallEnd {
  const words = reason || `the call was refused with ${status}`;
  const remarks = [...headers.lines('Warning').flatMap(quotedIn), ...headers.lines('Reason').flatMap(reasonsIn)];
  return {
    kind: kinds[status] ?? 'refused',
    status,
    words,
    ...(remarks.length > 0 && { remarks: remarks.slice(0, remarksMax) }),
  };
}

const remarksMax = 10;
const remarkCharactersMax = 200;
const quoted = /"((?:[^"\\]|\\.)*)"/g;

function quotedIn(line: string): string[] {
  return [...line.matchAll(quoted)].map(([, text = '']) => text.replaceAll(/\\(.)/g, '$1').slice(0, remarkCharactersMax));
}

/** The reasons in a header (RFC 3326), with their protocol, since a STIR cause concerns the caller's identity, whatever its text. */
function reasonsIn(line: string): string[] {
  const [protocol = ''] = /^[\w.-]+/.exec(line.trim()) ?? [];
  return protocol === '' ? [] : [`${protocol}: ${quotedIn(line).join(' ')}`];
}

const kinds: Readonly<Record<number, CallEndKind>> = {
  408: 'no-answer',
  480: 'no-answer',
  486: 'busy',
  487: 'cancelled',
  600: 'busy',
  603: 'declined',
};

const attemptsMax = 3;

/** Creates the request for an attempt, since each needs a new CSeq number; `proof` are the headers that answer a challenge. */
type MakeRequest = (proof: readonly (readonly [string, string])[]) => SipRequest;

/** A request that answers authentication challenges. The listener gets only the other responses. */
export class AuthenticatedRequest {
  private current: ClientTransaction;
  private attempts = 0;
  /** The credentials sent; the ACK of an INVITE repeats them. */
  proof: readonly (readonly [string, string])[] = [];

  constructor(
    private readonly transactions: Transactions,
    private readonly options: {
      readonly make: MakeRequest;
      readonly peer: SipPeer;
      readonly credentials?: SipCredentials | undefined;
      readonly listener: ResponseListener;
    },
  ) {
    this.current = this.attempt();
  }

  /** The request as last sent. */
  get request(): SipRequest {
    return this.current.request;
  }

  /** False if there is nothing to cancel, yet or any more. */
  cancel(): boolean {
    return this.transactions.cancel(this.current);
  }

  private attempt(): ClientTransaction {
    this.attempts += 1;
    const attempt = this.attempts;
    const request = this.options.make(this.proof);
    const { listener } = this.options;
    return this.transactions.send(request, this.options.peer, {
      response: (response) => {
        if (attempt !== this.attempts) return;
        if (!this.proved(request, response)) listener.response(response);
        else this.current = this.attempt();
      },
      lost: () => listener.lost(),
    });
  }

  /** Whether the response was a challenge that was answered by another attempt. A second challenge is answered only if our nonce was stale. */
  private proved(request: SipRequest, response: SipResponse): boolean {
    const { credentials } = this.options;
    const isProxy = response.status === 407;
    if (!credentials || (response.status !== 401 && !isProxy) || this.attempts >= attemptsMax) return false;
    const challenge = challengeIn(response.headers, isProxy ? 'Proxy-Authenticate' : 'WWW-Authenticate');
    const isStale = challenge?.stale?.toLowerCase() === 'true';
    const name = isProxy ? 'Proxy-Authorization' : 'Authorization';
    const others = this.proof.filter(([header]) => header !== name);
    if (!challenge || (others.length < this.proof.length && !isStale)) return false;
    this.proof = [...others, [name, answerTo(challenge, credentials, { method: request.method, uri: request.uri, count: 1 })]];
    return true;
  }
}
