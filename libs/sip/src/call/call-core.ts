import type { Credentials } from '../message/digest';
import { SipHeaders } from '../message/sip-headers';
import { cseqOf, formatMessage, request, type ResponseOptions, type SipRequest, type SipResponse } from '../message/sip-message';
import { formatUri, hostInUri, newToken, type SipUri } from '../message/sip-uri';
import type { FrameClock } from '../rtp/frame-clock';
import type { PortPair } from '../rtp/port-pairs';
import type { G711 } from '../rtp/rtp-packet';
import { SoundSession } from '../rtp/sound-session';
import { viaOf } from '../transaction/client-transaction';
import type { Transactions } from '../transaction/transactions';
import type { SipPeer, SipTransport } from '../transport/sip-transport';
import type { CallListener } from './call-events';
import type { Dialog } from './dialog';
import { Exchange } from './exchange';

/** The methods that we understand, as Allow tells them. */
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
  /** Whether we may send to an address that somebody else named. */
  readonly reaches: (address: string) => boolean;
  /** The call was begun: requests of its dialog are its own. */
  readonly opened: (call: DialogOwner) => void;
  readonly forget: (call: DialogOwner) => void;
}

/** Whoever takes the requests of one dialog. */
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

/** The sound of a call, told to its listener. */
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
    readonly credentials?: Credentials | undefined;
    readonly answered?: (response: SipResponse, request: SipRequest) => void;
    readonly lost?: () => void;
  },
): void {
  const { method, headers = [], body, credentials, answered, lost } = asked;
  const exchange: Exchange = new Exchange(transactions, {
    make: (proof) => dialog.request(method, { headers: [...headers, ...proof], ...(body && { body }) }),
    peer: dialog.peer,
    credentials,
    listener: {
      response: (response) => {
        if (response.status >= 200) answered?.(response, exchange.request);
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

/** A question whether somebody is there. */
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
export function ownUri({ transport: { advertised } }: CallSurroundings, user: string): string {
  return formatUri({ user, host: advertised.host, port: advertised.port, parameters: new Map() });
}

/** A Call-ID of ours. */
export function newCallId({ transport: { advertised } }: CallSurroundings): string {
  return `${newToken()}@${hostInUri(advertised.host)}`;
}
