import {
  type CallControl,
  type CallSearch,
  type CarrierCallState,
  type ControlCapabilities,
  type FoundCall,
  mediaTokenOf,
  type PlacedCall,
  type PlaceRequest,
  ProviderFailure,
} from '@parley/ports';
import { z } from 'zod';
import { answerIn, askCarrier, basicAuth, type CarrierAnswer, type CarrierQuestion } from '../carrier-http';

/** The channel bears our reference as its id: a second attempt with it is refused, and the first is found by it. */
export const asteriskControlCapabilities: ControlCapabilities = {
  placeIsIdempotent: true,
  finds: 'by-reference',
  transfers: 'after-media',
  sendsDigits: false,
  ends: true,
  detectsMachines: false,
};

const Channel = z.object({ id: z.string(), state: z.string() });
const states: Readonly<Record<string, CarrierCallState>> = {
  Down: 'queued',
  Rsrvd: 'queued',
  OffHook: 'queued',
  Dialing: 'queued',
  Ring: 'ringing',
  Ringing: 'ringing',
  Up: 'answered',
  Busy: 'busy',
};
const normalClearing = 16;

export interface AsteriskServer {
  readonly ariUrl: string;
  readonly ariUser: string;
  readonly ariPassword: string;
  /** How a number is dialled: `{number}` stands for it with its plus, `{digits}` without. */
  readonly dialString: string;
  /** Where in the dialplan an answered outbound call goes on. */
  readonly context: string;
}
type Ask = Pick<CarrierQuestion, 'method' | 'json' | 'signal' | 'expects'> & { readonly path: string };

/** Commands to Asterisk over its REST interface. */
export class AsteriskControl implements CallControl {
  readonly capabilities = asteriskControlCapabilities;

  constructor(
    private readonly server: AsteriskServer,
    private readonly fetch: typeof globalThis.fetch | undefined,
  ) {}

  /** The dialplan finds what it needs in variables of the channel. */
  async place(request: PlaceRequest): Promise<PlacedCall> {
    const callId = channelIdOf(request.reference);
    const json = {
      endpoint: endpointOf(this.server.dialString, request.to),
      context: this.server.context,
      extension: 's',
      priority: 1,
      callerId: request.from,
      // Left to itself, Asterisk takes the widest it can, and resamples every frame of a telephone call.
      formats: 'slin',
      timeout: request.ringSeconds,
      variables: {
        PARLEY_REFERENCE: request.reference,
        PARLEY_CALL_ID: callId,
        PARLEY_TOKEN: mediaTokenOf({ path: request.mediaUrl }),
        PARLEY_RING_SECONDS: String(request.ringSeconds),
        PARLEY_STATUS_URL: request.statusUrl,
        'TIMEOUT(absolute)': String(request.secondsMax),
      },
    };
    const path = `/channels/${part(callId)}`;
    const answer = await this.ask({ method: 'POST', path, json, signal: request.signal, expects: [409] });
    if (answer.status === 409) return { callId, state: (await this.byId(callId, request.signal))?.state ?? 'queued' };
    return { callId, state: states[answerIn(Channel, answer, 'asterisk').state] ?? 'queued' };
  }

  async end(callId: string, signal?: AbortSignal): Promise<void> {
    const path = `/channels/${part(callId)}?reason_code=${normalClearing}`;
    await this.ask({ method: 'DELETE', path, signal, expects: [404] });
  }

  /** Asterisk forgets a channel that is over: its hang-up handler's word to the status address is what remains. */
  async find(search: CallSearch, signal?: AbortSignal): Promise<FoundCall | undefined> {
    return this.byId('callId' in search ? search.callId : channelIdOf(search.reference), signal);
  }

  async test(signal?: AbortSignal): Promise<void> {
    await this.ask({ method: 'GET', path: '/asterisk/ping', signal });
  }

  private async byId(callId: string, signal?: AbortSignal): Promise<FoundCall | undefined> {
    const answer = await this.ask({ method: 'GET', path: `/channels/${part(callId)}`, signal, expects: [404] });
    if (answer.status === 404) return undefined;
    const { state } = answerIn(Channel, answer, 'asterisk');
    return { callId, state: states[state] ?? 'answered', cause: state, isExact: true };
  }

  private ask({ path, ...question }: Ask): Promise<CarrierAnswer> {
    const { ariUrl, ariUser, ariPassword } = this.server;
    const headers = basicAuth(ariUser, ariPassword);
    return askCarrier({ ...question, carrier: 'asterisk', url: `${ariUrl}${path}`, headers, fetch: this.fetch });
  }
}

/** A channel's id may hold letters, digits and a few signs. */
function channelIdOf(reference: string): string {
  return `parley-${reference.replace(/[^A-Za-z0-9.-]/g, '')}`;
}

/** A dial string is a program of its own, so nothing but a number gets into it. */
function endpointOf(dialString: string, to: string): string {
  if (!/^\+?\d{2,20}$/.test(to)) throw new ProviderFailure('asterisk', 'dials numbers only', { retryable: false });
  return dialString.replaceAll('{number}', to).replaceAll('{digits}', to.replace('+', ''));
}

const part = encodeURIComponent;
