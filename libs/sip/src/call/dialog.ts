import { z } from 'zod';
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
import { SipPeer } from '../transport/sip-transport';
import { Timers } from '../transaction/timers';

const routesMax = 16;

/** A dialog in a form that can be stored and continued by another process. */
export const DialogState = z.object({
  callId: z.string(),
  local: z.string(),
  remote: z.string(),
  routes: z.array(z.string()).readonly(),
  target: z.string(),
  localSequence: z.number(),
  remoteSequence: z.number(),
  heardAt: SipPeer,
});
type DialogState = z.output<typeof DialogState>;

/** The state shared by both ends of a call: identities, sequence numbers and route (RFC 3261 12). Only loose routing is supported. */
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

  /** The dialog that our 2xx to this INVITE creates; undefined if the INVITE has no Contact. */
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

  /** The dialog that the peer's 2xx to our INVITE creates. */
  static ofCaller(invite: SipRequest, response: SipResponse, heardAt: SipPeer): Dialog | undefined {
    const remote = response.headers.get('To') ?? '';
    const routes = response.headers.list('Record-Route').toReversed();
    if (tagOf(remote) === undefined || routes.length > routesMax) return undefined;
    return new Dialog({
      callId: invite.headers.get('Call-ID') ?? '',
      local: invite.headers.get('From') ?? '',
      remote,
      routes,
      // A 2xx must have a Contact; without one, the called address is the best guess.
      target: contactOf(response) ?? invite.uri,
      localSequence: cseqOf(invite.headers)?.number ?? 0,
      remoteSequence: -1,
      heardAt,
    });
  }

  /** A dialog stored by another process. */
  static of(state: DialogState): Dialog {
    return new Dialog(state);
  }

  get state(): DialogState {
    const { callId, local, remote, routes, target, localSequence, remoteSequence, heardAt } = this;
    return { callId, local, remote, routes, target, localSequence, remoteSequence, heardAt };
  }

  get peer(): SipPeer {
    const route = parseNameAddress(this.routes[0] ?? '');
    return withinCall(route ? formatUri(route.uri) : this.target, this.heardAt);
  }

  /** Creates our next request; Via is added on sending. An ACK has the number of its INVITE. */
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

  /** Whether a request has a higher number than those before; if so, the number is recorded. */
  accepts(request: SipRequest): boolean {
    const number = cseqOf(request.headers)?.number ?? -1;
    if (number <= this.remoteSequence) return false;
    this.remoteSequence = number;
    return true;
  }

  /** Updates the peer's address from a re-INVITE or its response. */
  refreshTarget(message: SipMessage): void {
    this.target = contactOf(message) ?? this.target;
  }
}

function contactOf({ headers }: SipMessage): string | undefined {
  const contact = parseNameAddress(headers.list('Contact')[0] ?? '');
  return contact && formatUri(contact.uri);
}

/** The shortest interval that we accept, and the one we request. */
export const sessionSeconds = { min: 90, wanted: 1800 } as const;

/** The session timer headers of our INVITE and UPDATE. */
export const refreshHeaders = [
  ['Session-Expires', `${sessionSeconds.wanted}`],
  ['Min-SE', `${sessionSeconds.min}`],
] as const;

export interface SessionInterval {
  readonly seconds: number;
  readonly refresher: 'us' | 'peer';
}

/** The seconds and the refresher in a Session-Expires header. */
export function sessionExpiresIn(headers: SipHeaders): { seconds: number; refresher: string | undefined } | undefined {
  const [, seconds, rest = ''] = /^(\d{1,9})[ \t]*(;.*)?$/.exec(headers.get('Session-Expires') ?? '') ?? [];
  if (seconds === undefined) return undefined;
  return { seconds: Number(seconds), refresher: /;[ \t]*refresher[ \t]*=[ \t]*(uac|uas)\b/i.exec(rest)?.[1]?.toLowerCase() };
}

/** The interval we agree to for the peer's INVITE or UPDATE; we refresh if the peer cannot. */
export function agreedByAsked(headers: SipHeaders): SessionInterval {
  const requested = sessionExpiresIn(headers);
  const peerCan = headers.lists('Supported', 'timer');
  const refresher = peerCan && requested && requested.refresher !== 'uas' ? 'peer' : 'us';
  return { seconds: Math.max(sessionSeconds.min, requested?.seconds ?? sessionSeconds.wanted), refresher };
}

/** The interval agreed by the response to our INVITE or UPDATE; undefined if the peer wants no timer. */
export function agreedByAnswer(headers: SipHeaders): SessionInterval | undefined {
  const answered = sessionExpiresIn(headers);
  return (
    answered && {
      seconds: Math.max(sessionSeconds.min, answered.seconds),
      refresher: answered.refresher === 'uas' ? 'peer' : 'us',
    }
  );
}

/**
 * The session timer headers of our 2xx. They are always included, so that peers and proxies end the call if we die. A peer that is to
 * refresh must support timers.
 */
export function sessionHeaders({ seconds, refresher }: SessionInterval): [string, string][] {
  const header: [string, string] = ['Session-Expires', `${seconds};refresher=${refresher === 'peer' ? 'uac' : 'uas'}`];
  return refresher === 'peer' ? [header, ['Require', 'timer']] : [header];
}

/** Refreshes a call at half of its interval, or ends it if the peer has not refreshed, so that calls of a crashed peer end. */
export class SessionTimer {
  private readonly timers = new Timers();
  private interval: SessionInterval | undefined;

  constructor(private readonly on: { refresh(): void; expired(): void }) {}

  /** Applies the latest agreement, in either direction, and restarts the timer. */
  agree(interval: SessionInterval | undefined): void {
    this.interval = interval;
    this.restart();
  }

  /** Restarts the timer after a sign of life from the peer. */
  restart(): void {
    this.timers.clear();
    if (!this.interval) return;
    const { seconds, refresher } = this.interval;
    if (refresher === 'us') this.timers.after(seconds * 500, () => this.on.refresh());
    else this.timers.after((seconds - Math.min(32, seconds / 3)) * 1000, () => this.on.expired());
  }

  stop(): void {
    this.interval = undefined;
    this.timers.clear();
  }
}
