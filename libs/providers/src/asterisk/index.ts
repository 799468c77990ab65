import { holdsNoPassword, isHost } from '@parley/contracts';
import {
  type AnswerPlan,
  type CallControl,
  type CallNotice,
  type CallSearch,
  type CarrierCallState,
  type CarrierRequest,
  type ControlCapabilities,
  ExtensionList,
  type FoundCall,
  mediaTokenOf,
  type PlacedCall,
  type PlaceRequest,
  ProviderFailure,
  type WebhookVerdict,
  type WebhookReply,
  type Webhooks,
  endSaid,
} from '@parley/ports';
import { z } from 'zod';
import {
  answerIn,
  askCarrier,
  basicAuth,
  bySecret,
  type CarrierAnswer,
  type PathQuestion,
  fieldsOf,
  genuine,
} from '../carrier-http';

/** How to reach an Asterisk and authenticate, whatever its media. */
export const AsteriskCredentials = z.object({
  ariUrl: z
    .url({ protocol: /^https?$/ })
    .refine(holdsNoPassword, 'must hold no user name and no password')
    .refine((url) => isHost(URL.parse(url)?.hostname ?? ''), 'must name a host that can exist')
    .transform((url) => url.replace(/\/+$/, ''))
    .meta({ description: 'The address of ARI, with its path.', example: 'http://pbx.example:8088/ari' }),
  ariUser: z.string().min(1).max(100),
  ariPassword: z.string().min(1).meta({ secret: true }),
  dialString: z
    .string()
    .min(3)
    .max(200)
    .refine((text) => text.includes('{number}') || text.includes('{digits}'), 'must hold {number} or {digits}')
    .meta({
      description: 'How a number is dialled: {number} stands for it with its plus, {digits} without.',
      example: 'PJSIP/{digits}@trunk',
    }),
  context: z
    .string()
    .min(1)
    .max(80)
    .default('parley-outbound')
    .meta({ description: 'The place in the dialplan where an answered outbound call continues.' }),
  extensions: ExtensionList,
  webhookSecret: z.string().min(16).meta({ description: 'A password of your choice, which the dialplan sends.', secret: true }),
});

/** The channel id is our reference, so a second attempt is refused and the first can be found. */
export const asteriskControlCapabilities: ControlCapabilities = {
  placeIsIdempotent: true,
  finds: 'by-reference',
  transfers: 'after-media',
  sendsDigits: false,
  ends: true,
  detectsMachines: false,
  dials: 'extensions',
  dialsAddresses: false,
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

interface AsteriskServer {
  readonly ariUrl: string;
  readonly ariUser: string;
  readonly ariPassword: string;
  /** The dial string: `{number}` stands for the number with its plus, `{digits}` without. */
  readonly dialString: string;
  /** The dialplan context where an answered outbound call continues. */
  readonly context: string;
  readonly extensions?: ControlCapabilities['extensions'];
}

/** Controls calls by Asterisk's REST interface. */
export class AsteriskControl implements CallControl {
  readonly capabilities: ControlCapabilities;

  constructor(
    private readonly server: AsteriskServer,
    private readonly fetch: typeof globalThis.fetch | undefined,
  ) {
    this.capabilities = { ...asteriskControlCapabilities, extensions: server.extensions };
  }

  /** Places a call, passing parameters to the dialplan by channel variables. */
  async place(request: PlaceRequest): Promise<PlacedCall> {
    const callId = channelIdOf(request.reference);
    const json = {
      endpoint: endpointOf(this.server.dialString, request.to),
      context: this.server.context,
      extension: 's',
      priority: 1,
      callerId: request.from,
      // By default Asterisk chooses the widest format, and then resamples every frame of a telephone call.
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

  /** Finds a live channel. Asterisk forgets ended ones, which only its hang-up handler reports to the status URL. */
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
    return { callId, state: states[state] ?? 'answered', isExact: true };
  }

  private ask({ path, ...question }: PathQuestion): Promise<CarrierAnswer> {
    const { ariUrl, ariUser, ariPassword } = this.server;
    const headers = basicAuth(ariUser, ariPassword);
    return askCarrier({ ...question, carrier: 'asterisk', url: `${ariUrl}${path}`, headers, fetch: this.fetch });
  }
}

/** Removes what a channel id may not contain. */
function channelIdOf(reference: string): string {
  return `parley-${reference.replace(/[^A-Za-z0-9.-]/g, '')}`;
}

/** Inserts a number into the dial string. Nothing else is inserted, since dial strings are interpreted. */
function endpointOf(dialString: string, to: string): string {
  if (!/^\+?\d{2,20}$/.test(to)) throw new ProviderFailure('asterisk', 'dials numbers only', { retryable: false });
  return dialString.replaceAll('{number}', to).replaceAll('{digits}', to.replace('+', ''));
}

const part = encodeURIComponent;

/** Q.850 causes in `HANGUPCAUSE`. */
const ends: Readonly<Record<string, CarrierCallState>> = {
  '16': 'completed',
  '17': 'busy',
  '18': 'no-answer',
  '19': 'no-answer',
  '21': 'declined',
};
const failures: Readonly<Record<string, string>> = {
  '1': 'unallocated number',
  '28': 'invalid number format',
  '34': 'no circuit available',
  '38': 'network out of order',
};
const events: Readonly<Record<string, CarrierCallState>> = { ringing: 'ringing', answered: 'answered' };

/**
 * The dialplan's requests by `CURL`: a form with `channel`, `from`, `to`, `event` (incoming, ringing, answered, ended, continuing),
 * `cause`, `reference` and the secret. The reply is one line of words, which a dialplan can split easily.
 */
export class AsteriskWebhooks implements Webhooks {
  readonly acknowledged: WebhookReply = plain('ok');

  constructor(private readonly secret: string) {}

  verify(request: CarrierRequest): WebhookVerdict {
    return bySecret(request, this.secret);
  }

  /** A WebSocket is admitted by its token. */
  verifyUpgrade(): WebhookVerdict {
    return genuine();
  }

  read(request: CarrierRequest): readonly CallNotice[] {
    const fields = fieldsOf(request);
    const callId = fields.get('channel');
    return callId ? noticesOf(callId, fields) : [];
  }

  /** Replies `connect <token>`, `dial <number> <seconds> <caller>`, `busy` or `hangup`. */
  async answer(_callId: string, plan: AnswerPlan): Promise<WebhookReply> {
    switch (plan.kind) {
      case 'connect':
        return plain(`connect ${mediaTokenOf({ path: plan.mediaUrl })}`);
      case 'transfer':
        return plain(`dial ${dialable(plan.to)} ${plan.ringSeconds} ${dialable(plan.from)}`);
      case 'refuse':
        return plain(plan.reason === 'busy' ? 'busy' : 'hangup');
      case 'hang-up':
        return plain('hangup');
    }
  }
}

function noticesOf(callId: string, fields: URLSearchParams): CallNotice[] {
  const event = fields.get('event') ?? '';
  const state = events[event];
  const reference = fields.get('reference');
  const known = { callId, ...(reference && { reference }) };
  if (event === 'incoming') return [{ kind: 'incoming', callId, from: fields.get('from') ?? '', to: fields.get('to') ?? '' }];
  if (event === 'continuing') {
    const dialled = fields.get('dialled');
    const untaken = dialled === 'BUSY' ? 'refused' : 'unanswered';
    return [{ kind: 'continuing', callId, transfer: !dialled ? 'none' : dialled === 'ANSWER' ? 'answered' : untaken }];
  }
  if (state !== undefined) return [{ kind: 'state', ...known, state }];
  if (event !== 'ended') return [];
  const code = fields.get('cause') ?? '';
  const seconds = Number(fields.get('seconds') || Number.NaN);
  const lasting = Number.isFinite(seconds) && { durationSeconds: seconds };
  // If Asterisk itself hung up, the cause is missing or 0, which for an unanswered call means no answer.
  if (code === '' || code === '0') return [{ kind: 'state', ...known, state: 'completed', ...lasting }];
  const end = ends[code] ?? 'failed';
  const words = failures[code] ?? `Q.850 cause ${code.slice(0, 10)}`;
  return [{ kind: 'state', ...known, state: end, ...endSaid(end, { words, code }), ...lasting }];
}

/** Removes characters that have a meaning in a dialplan. */
function dialable(number: string): string {
  return number.replace(/[^0-9+*#a-zA-Z@.:_-]/g, '');
}

function plain(body: string): WebhookReply {
  return { status: 200, contentType: 'text/plain', body };
}
