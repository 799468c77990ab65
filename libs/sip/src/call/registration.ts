import type { SipCredentials } from '../message/digest';
import { request as makeRequest, SipHeaders, type SipRequest, type SipResponse } from '../message/sip-message';
import { formatUri, newToken, type SipUri } from '../message/sip-uri';
import { Timers } from '../transaction/timers';
import { locate } from '../transport/locate';
import type { SipPeer } from '../transport/sip-transport';
import { type CallSurroundings, contactOf, AuthenticatedRequest, newCallId } from './call-core';

export interface RegistrationOptions {
  /** The registrar: `sip:trunk.example`, with `;transport=tcp` if needed. */
  readonly registrar: SipUri;
  readonly credentials: SipCredentials;
  /** The domain of our address, if it is not the registrar's host. */
  readonly domain?: string;
  readonly expiresSeconds?: number;
  /** Called whenever calls become able, or unable, to reach us. */
  readonly changed?: (state: RegistrationState) => void;
}

export type RegistrationState =
  | { readonly kind: 'registering' }
  | { readonly kind: 'registered'; readonly seconds: number }
  | { readonly kind: 'failed'; readonly status: number | undefined; readonly words: string };

const retryMs = { first: 2000, most: 120_000 } as const;
const expiresMin = 30;
const expiresMax = 86_400;

/** Keeps us registered with a trunk: refreshes before expiry, retries with increasing pauses, and finally unregisters. */
export class Registration {
  private readonly timers = new Timers();
  private readonly sequence: RegisterSequence;
  private readonly waiting: ((state: RegistrationState) => void)[] = [];
  private failures = 0;
  private seconds: number;
  private isUnderWay = false;
  private isLengthened = false;
  private isClosed = false;
  private current: RegistrationState = { kind: 'registering' };

  constructor(
    private readonly surroundings: CallSurroundings,
    private readonly options: RegistrationOptions & ContactListener,
  ) {
    this.sequence = newSequence(surroundings);
    this.seconds = options.expiresSeconds ?? 600;
    void this.register();
  }

  get state(): RegistrationState {
    return this.current;
  }

  /** Registers again at once with the same contact, and returns the outcome. */
  refresh(): Promise<RegistrationState> {
    if (this.isClosed) return Promise.resolve(this.current);
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      if (this.isUnderWay) return;
      this.timers.clear();
      void this.register();
    });
  }

  /** Stops refreshing without unregistering, since another replica registers the same contact. */
  leave(): void {
    this.isClosed = true;
    this.timers.clear();
    for (const resolve of this.waiting.splice(0)) resolve(this.current);
  }

  /** Unregisters; resolves when the registrar responds, or after two seconds. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    this.leave();
    if (this.current.kind !== 'registered') return;
    await new Promise<void>((resolve) => {
      const stop = this.timers.after(2000, resolve);
      void this.ask(0).then(() => {
        stop();
        resolve();
      });
    });
  }

  private ask(seconds: number): Promise<RegistrarOutcome> {
    const { username } = this.options.credentials;
    return askRegistrar(this.surroundings, this.options, this.sequence, (peer) => [
      ['Contact', contactOf(this.surroundings.transport, peer, username)],
      ['Expires', String(seconds)],
    ]);
  }

  private async register(): Promise<void> {
    this.isUnderWay = true;
    const outcome = await this.ask(this.seconds);
    this.isUnderWay = false;
    if (this.isClosed) return;
    if ('response' in outcome) this.answered(outcome);
    else this.failed(undefined, outcome.words);
  }

  private answered({ response, request }: FinalResponse): void {
    const { status, headers } = response;
    if (status === 423) return this.lengthen(headers);
    if (status >= 300) return this.failed(status, response.reason || 'the registrar refused');
    const granted = expiresIn(headers, request.headers.get('Contact') ?? '') ?? this.seconds;
    this.failures = 0;
    this.isLengthened = false;
    this.notify({ kind: 'registered', seconds: granted });
    // Early enough for a few attempts before it expires.
    this.timers.after(Math.max(expiresMin, granted) * 1000 * (granted > 120 ? 0.8 : 0.5), () => void this.register());
  }

  /** Retries at once with the minimum expiry that the registrar requires. If it then requires a longer one, the usual wait applies. */
  private lengthen(headers: SipHeaders): void {
    const wanted = Math.min(expiresMax, Number(headers.get('Min-Expires') ?? 0) || 0);
    const isLonger = wanted > this.seconds;
    if (isLonger) this.seconds = wanted;
    if (!isLonger || this.isLengthened) return this.failed(423, 'the registrar wants a longer time');
    this.isLengthened = true;
    void this.register();
  }

  private failed(status: number | undefined, words: string): void {
    this.failures += 1;
    this.isLengthened = false;
    this.notify({ kind: 'failed', status, words });
    const pause = Math.min(retryMs.most, retryMs.first * 2 ** (this.failures - 1));
    this.timers.after(pause, () => void this.register());
  }

  private notify(state: RegistrationState): void {
    this.current = state;
    this.options.changed?.(state);
    for (const resolve of this.waiting.splice(0)) resolve(state);
  }
}

/**
 * Asks a registrar whether it accepts our credentials. Without a Contact nothing is registered or removed (RFC 3261 10.2.3); a test
 * contact would replace the real one at a registrar that keeps one per name.
 */
export async function checkCredentials(
  surroundings: CallSurroundings,
  options: RegistrationOptions & ContactListener,
): Promise<Exclude<RegistrationState, { kind: 'registering' }>> {
  const sequence = newSequence(surroundings);
  let outcome = await askRegistrar(surroundings, options, sequence, () => []);
  // Some registrars require an expiry even without a Contact.
  const wanted =
    'response' in outcome && outcome.response.status === 423 ? outcome.response.headers.get('Min-Expires') : undefined;
  if (wanted !== undefined && /^\d{1,9}$/.test(wanted))
    outcome = await askRegistrar(surroundings, options, sequence, () => [['Expires', wanted]]);
  if (!('response' in outcome)) return { kind: 'failed', status: undefined, words: outcome.words };
  const { status, reason } = outcome.response;
  if (status >= 300) return { kind: 'failed', status, words: reason || 'the registrar refused' };
  return { kind: 'registered', seconds: 0 };
}

interface ContactListener {
  readonly contacted: (peer: SipPeer) => void;
}

/** A sequence of requests to a registrar. */
interface RegisterSequence {
  readonly callId: string;
  readonly tag: string;
  cseq: number;
}

interface FinalResponse {
  readonly response: SipResponse;
  readonly request: SipRequest;
}

type RegistrarOutcome = FinalResponse | { readonly words: string };

function newSequence(surroundings: CallSurroundings): RegisterSequence {
  return { callId: newCallId(surroundings), tag: newToken(), cseq: 0 };
}

/** Sends a REGISTER, answering challenges; returns the final response, or why there is none. */
async function askRegistrar(
  surroundings: CallSurroundings,
  options: RegistrationOptions & ContactListener,
  sequence: RegisterSequence,
  binding: (peer: SipPeer) => readonly (readonly [string, string])[],
): Promise<RegistrarOutcome> {
  const { registrar, credentials } = options;
  const peer = await locate(registrar);
  if (!peer || !surroundings.reaches(peer.address)) return { words: 'the registrar has no address' };
  options.contacted(peer);
  return new Promise((resolve) => {
    const authenticated: AuthenticatedRequest = new AuthenticatedRequest(surroundings.transactions, {
      make: (proof) => {
        sequence.cseq += 1;
        return registerOf(options, sequence, [...binding(peer), ['User-Agent', surroundings.userAgent], ...proof]);
      },
      peer,
      credentials,
      listener: {
        response: (response) => (response.status < 200 ? undefined : resolve({ response, request: authenticated.request })),
        lost: () => resolve({ words: 'the registrar does not answer' }),
      },
    });
  });
}

function registerOf(
  { registrar, credentials, domain }: RegistrationOptions,
  { callId, tag, cseq }: RegisterSequence,
  more: readonly (readonly [string, string])[],
): SipRequest {
  const us = `<${formatUri({ user: credentials.username, host: domain ?? registrar.host, parameters: new Map() })}>`;
  const { host, port, parameters } = registrar;
  return makeRequest(
    'REGISTER',
    formatUri({ host, ...(port !== undefined && { port }), parameters }),
    SipHeaders.of([
      ['Max-Forwards', '70'],
      ['From', `${us};tag=${tag}`],
      ['To', us],
      ['Call-ID', callId],
      ['CSeq', `${cseq} REGISTER`],
      ...more,
    ]),
  );
}

/** The expiry granted to our Contact, among others that may be registered. */
function expiresIn(headers: SipHeaders, contact: string): number | undefined {
  const uri = /<([^>]*)>/.exec(contact)?.[1]?.split(';')[0] ?? contact;
  const ours = headers.list('Contact').find((line) => line.includes(uri));
  const seconds = Number(/;[ \t]*expires[ \t]*=[ \t]*(\d{1,6})/i.exec(ours ?? '')?.[1] ?? headers.get('Expires') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds : undefined;
}
