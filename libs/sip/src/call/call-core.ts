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

/** The supported methods, as Allow lists them. */
export const allowed = 'INVITE, ACK, BYE, CANCEL, OPTIONS, INFO, UPDATE, NOTIFY';

/** What all calls of an endpoint share. */
export interface CallSurroundings {
  readonly transactions: Transactions;
  readonly transport: SipTransport;
  readonly clock: FrameClock;
  /** The address that peers send sound to. */
  readonly soundAddress: string;
  readonly codecs: readonly G711[];
  readonly starvedAfterMs: number;
  readonly userAgent: string;
  /** Whether we may send to an address given by others. */
  readonly reaches: (address: string) => boolean;
  /** We write to this peer of our own accord, so that its answers are let in. */
  readonly contacted: (peer: SipPeer) => void;
  /** The call was begun: requests of its dialog are its own. */
  readonly opened: (call: DialogOwner) => void;
  readonly forget: (call: DialogOwner) => void;
}

/** Receives the requests of one dialog. */
export interface DialogOwner {
  readonly callId: string;
  readonly localTag: string;
}

/** The headers that name us and what we can. */
export function ownHeaders({ transport, userAgent }: CallSurroundings, peer: SipPeer, user = 'parley'): [string, string][] {
  return [
    ['Contact', contactOf(transport, peer, user)],
    ['Allow', allowed],
    ['Supported', 'timer'],
    ['User-Agent', userAgent],
  ];
}

/** Where requests within a call shall come to. */
export function contactOf({ advertised }: SipTransport, { protocol }: SipPeer, user: string): string {
  const parameters = new Map(protocol === 'tcp' ? [['transport', 'tcp']] : []);
  return `<${formatUri({ user, host: advertised.host, port: advertised.port, parameters })}>`;
}

export const sdpType = ['Content-Type', 'application/sdp'] as const;

/** A response with a description of sound in it. */
export function withSound(body: Buffer, headers: readonly (readonly [string, string])[]): ResponseOptions {
  return { body, headers: [...headers, sdpType] };
}

/** A call's sound, with its events passed to the call's listener. */
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

/** Sends a request within a dialog; challenges are answered. */
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

/** The ACK of a 2xx: no transaction, and with the proof that the INVITE bore. */
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

/** Asks whether a peer is there. */
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

/** An address of ours at the host that peers know. */
function ownUri({ transport: { advertised } }: CallSurroundings, user: string): string {
  return formatUri({ user, host: advertised.host, port: advertised.port, parameters: new Map() });
}

/** A Call-ID of ours. */
export function newCallId({ transport: { advertised } }: CallSurroundings): string {
  return `${newToken()}@${hostInUri(advertised.host)}`;
}

/** Why a call is over. */
export type CallEndKind =
  | 'hung-up-by-peer'
  | 'hung-up-by-us'
  /** Cancelled before it was answered: by the caller, or by us. */
  | 'cancelled'
  | 'busy'
  /** The called party declined. */
  | 'declined'
  | 'no-answer'
  | 'refused'
  /** No answer from the network at all. */
  | 'unreachable'
  /** It was up, and the peer is gone: no ACK, no refresh. */
  | 'lost'
  | 'transferred';

export interface CallEnd {
  readonly kind: CallEndKind;
  /** The status of SIP that said so, where one did. */
  readonly status?: number;
  readonly words: string;
  /** What the refusal said beside its status: the texts of Warning and Reason, as `STIR: no valid identity`. */
  readonly remarks?: readonly string[];
}

/** How a transfer came out. */
export type TransferOutcome = { readonly kind: 'answered' } | { readonly kind: 'failed'; readonly status: number };

/**
 * A call's events; `ended` comes once. It is the last, except for `transferred` from a peer that hangs up before it reports that
 * the target answered. None of these may throw.
 */
export interface CallListener {
  /** An outbound call rings. */
  ringing?(): void;
  /** Both sides agreed, and sound may flow. */
  answered?(): void;
  /** The caller's answer to our offer came with its ACK: only now the codec is known. Where the caller made the offer, never. */
  agreed?(): void;
  sound?(heard: ReceivedFrame): void;
  digit?(key: string): void;
  marks?(names: readonly string[], wasCleared: boolean): void;
  held?(isHeld: boolean): void;
  starved?(): void;
  transferred?(outcome: TransferOutcome): void;
  ended?(end: CallEnd): void;
}

/** What a refusal of our INVITE means. */
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

/** RFC 3326: each with its protocol, since a cause of STIR is about the caller's identity, whatever its text. */
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

/** Creates the request for each attempt, since each needs its own number; the headers answer a challenge. */
type MakeRequest = (proof: readonly (readonly [string, string])[]) => SipRequest;

/** One request of ours that answers authentication challenges. The listener sees only the responses left to decide. */
export class AuthenticatedRequest {
  private current: ClientTransaction;
  private attempts = 0;
  /** What proved us; the ACK of an INVITE bears it too. */
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

  /** The request as it went out last. */
  get request(): SipRequest {
    return this.current.request;
  }

  /** False when there is nothing to cancel yet, or any more. */
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

  /** Whether the response was a challenge that another attempt answers. A second one counts only if our nonce was stale. */
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
