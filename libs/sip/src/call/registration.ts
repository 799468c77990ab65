import type { Credentials } from '../message/digest';
import { request as makeRequest, SipHeaders, type SipRequest, type SipResponse } from '../message/sip-message';
import { formatUri, newToken, type SipUri } from '../message/sip-uri';
import { Timers } from '../transaction/client-and-server';
import { locate } from '../transport/locate';
import type { SipPeer } from '../transport/sip-transport';
import { type CallSurroundings, contactOf, Exchange, newCallId } from './call-core';

export interface RegistrationOptions {
  /** The registrar: `sip:trunk.example`, with `;transport=tcp` where it wants that. */
  readonly registrar: SipUri;
  readonly credentials: Credentials;
  /** The domain of our address there, when it is not the registrar's host. */
  readonly domain?: string;
  readonly expiresSeconds?: number;
  /** Asks once what is registered, which proves who we are and changes nothing: RFC 3261 10.2.3. */
  readonly asksOnly?: true;
  /** Each change: whether calls reach us, and why not. */
  readonly changed?: (state: RegistrationState) => void;
}

export type RegistrationState =
  | { readonly kind: 'registering' }
  | { readonly kind: 'registered'; readonly seconds: number }
  | { readonly kind: 'failed'; readonly status: number | undefined; readonly words: string };

const retryMs = { first: 2000, most: 120_000 } as const;
const expiresMin = 30;

/** Keeps us registered with a trunk: refreshed before it runs out, tried again with growing pauses, taken back at the end. */
export class Registration {
  private readonly timers = new Timers();
  private readonly callId: string;
  private readonly tag = newToken();
  private sequence = 0;
  private failures = 0;
  private seconds: number;
  private isClosed = false;
  private current: RegistrationState = { kind: 'registering' };

  constructor(
    private readonly surroundings: CallSurroundings,
    private readonly options: RegistrationOptions & { readonly contacted: (peer: SipPeer) => void },
  ) {
    this.callId = newCallId(surroundings);
    this.seconds = options.expiresSeconds ?? 600;
    void this.register(this.seconds);
  }

  get state(): RegistrationState {
    return this.current;
  }

  /** Tells the registrar to forget us; resolves when it answered, or after two seconds. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    this.timers.clear();
    if (this.current.kind !== 'registered' || this.options.asksOnly) return;
    await new Promise<void>((resolve) => {
      const stop = this.timers.after(2000, resolve);
      void this.register(0, () => {
        stop();
        resolve();
      });
    });
  }

  private async register(seconds: number, done = (): void => {}): Promise<void> {
    const { registrar, credentials } = this.options;
    const peer = await locate(registrar);
    if (!peer || !this.surroundings.reaches(peer.address)) {
      done();
      return this.failed(undefined, 'the registrar has no address');
    }
    this.options.contacted(peer);
    const exchange: Exchange = new Exchange(this.surroundings.transactions, {
      make: (proof) => this.request(contactOf(this.surroundings.transport, peer, credentials.username), seconds, proof),
      peer,
      credentials,
      listener: {
        response: (response) => {
          if (response.status < 200) return;
          done();
          this.answered(response, exchange.request);
        },
        lost: () => {
          done();
          this.failed(undefined, 'the registrar does not answer');
        },
      },
    });
  }

  private request(contact: string, seconds: number, proof: readonly (readonly [string, string])[]): SipRequest {
    const { registrar, credentials, domain } = this.options;
    const us = `<${formatUri({ user: credentials.username, host: domain ?? registrar.host, parameters: new Map() })}>`;
    this.sequence += 1;
    return makeRequest(
      'REGISTER',
      formatUri({
        host: registrar.host,
        ...(registrar.port !== undefined && { port: registrar.port }),
        parameters: registrar.parameters,
      }),
      SipHeaders.of([
        ['Max-Forwards', '70'],
        ['From', `${us};tag=${this.tag}`],
        ['To', us],
        ['Call-ID', this.callId],
        ['CSeq', `${this.sequence} REGISTER`],
        ...(this.options.asksOnly ? [] : [['Contact', contact] as const, ['Expires', String(seconds)] as const]),
        ['User-Agent', this.surroundings.userAgent],
        ...proof,
      ]),
    );
  }

  private answered(response: SipResponse, request: SipRequest): void {
    if (this.isClosed) return;
    const { status, headers } = response;
    if (status === 423) {
      this.seconds = Math.min(86_400, Math.max(this.seconds, Number(headers.get('Min-Expires') ?? 0) || this.seconds));
      return this.failed(status, 'the registrar wants a longer time');
    }
    if (status >= 300) return this.failed(status, response.reason || 'the registrar refused');
    if (this.options.asksOnly) return this.tell({ kind: 'registered', seconds: 0 });
    const granted = expiresIn(headers, request.headers.get('Contact') ?? '') ?? this.seconds;
    this.failures = 0;
    this.tell({ kind: 'registered', seconds: granted });
    // In time for a few attempts before it runs out.
    this.timers.after(Math.max(expiresMin, granted) * 1000 * (granted > 120 ? 0.8 : 0.5), () => void this.register(this.seconds));
  }

  private failed(status: number | undefined, words: string): void {
    if (this.isClosed) return;
    this.failures += 1;
    this.tell({ kind: 'failed', status, words });
    const pause = Math.min(retryMs.most, retryMs.first * 2 ** (this.failures - 1));
    this.timers.after(pause, () => void this.register(this.seconds));
  }

  private tell(state: RegistrationState): void {
    this.current = state;
    this.options.changed?.(state);
  }
}

/** The time that was granted to our Contact, among others that may be registered there. */
function expiresIn(headers: SipHeaders, contact: string): number | undefined {
  const uri = /<([^>]*)>/.exec(contact)?.[1]?.split(';')[0] ?? contact;
  const ours = headers.list('Contact').find((line) => line.includes(uri));
  const seconds = Number(/;[ \t]*expires[ \t]*=[ \t]*(\d{1,6})/i.exec(ours ?? '')?.[1] ?? headers.get('Expires') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds : undefined;
}
