import { createHash, createHmac, createSign, randomUUID } from 'node:crypto';
import {
  type AnswerPlan,
  type CallControl,
  type CallNotice,
  type CallSearch,
  type CarrierCallState,
  type CarrierRequest,
  type ControlCapabilities,
  type FoundCall,
  type PlacedCall,
  type PlaceRequest,
  type TransferRequest,
  type WebhookVerdict,
  type WebhookReply,
  type Webhooks,
  endSaid,
} from '@parley/ports';
import { z } from 'zod';
import {
  answerIn,
  askCarrier,
  type CarrierAnswer,
  type PathQuestion,
  carrierTime,
  durationOf,
  e164Digits,
  emptyReply,
  fieldsOf,
  genuine,
  headerOf,
  isSame,
  jsonBodyOf,
  jsonReply,
  newest,
  ofAccount,
  queryOf,
  refused,
  withQuery,
} from '../carrier-http';

/** Vonage does not store a reference of ours, so after a crash a call is found by its numbers and time. */
export const vonageControlCapabilities: ControlCapabilities = {
  placeIsIdempotent: false,
  finds: 'by-numbers',
  transfers: 'command',
  sendsDigits: true,
  ends: true,
  detectsMachines: true,
  dials: 'numbers',
  dialsAddresses: true,
};

const End = z.union([z.object({ number: z.string().nullish() }), z.array(z.object({ number: z.string().nullish() }))]).nullish();
const Call = z.object({
  uuid: z.string(),
  status: z.string(),
  duration: z.union([z.string(), z.number()]).nullish(),
  start_time: z.string().nullish(),
  to: End,
  from: End,
});
const Calls = z.object({ _embedded: z.object({ calls: z.array(Call) }) });
const Placed = z.object({ uuid: z.string(), status: z.string() });

interface VonageAccount {
  readonly applicationId: string;
  readonly privateKey: string;
  readonly apiUrl: string;
}
/** Commands to Vonage's Voice API. */
export class VonageControl implements CallControl {
  readonly capabilities = vonageControlCapabilities;

  constructor(
    private readonly account: VonageAccount,
    private readonly fetch: typeof globalThis.fetch | undefined,
  ) {}

  async place(request: PlaceRequest): Promise<PlacedCall> {
    const to = request.to.startsWith('sip:')
      ? { type: 'sip', uri: request.to }
      : { type: 'phone', number: e164Digits(request.to) };
    const json = {
      to: [to],
      from: { type: 'phone', number: e164Digits(request.from) },
      // Vonage's requests look like those of an incoming call, so the URL distinguishes them.
      answer_url: [withQuery(request.answerUrl, outboundMark, '1')],
      answer_method: 'POST',
      event_url: [request.statusUrl],
      event_method: 'POST',
      ringing_timer: Math.min(120, request.ringSeconds),
      length_timer: Math.min(7200, request.secondsMax),
      ...(request.detectMachine && {
        advanced_machine_detection: { behavior: 'continue', mode: 'detect_beep', beep_timeout: 45 },
      }),
    };
    const call = answerIn(Placed, await this.ask({ method: 'POST', path: '', json, signal: request.signal }), 'vonage');
    return { callId: call.uuid, state: vonageState(call.status) ?? 'queued' };
  }

  async end(callId: string, signal?: AbortSignal): Promise<void> {
    await this.ask({ method: 'PUT', path: `/${part(callId)}`, json: { action: 'hangup' }, signal, expects: [400, 404] });
  }

  async transfer({ callId, to, from, ringSeconds, afterUrl, signal }: TransferRequest): Promise<void> {
    const destination = { type: 'ncco', ncco: ncco({ kind: 'transfer', to, from, ringSeconds, afterUrl }) };
    await this.ask({ method: 'PUT', path: `/${part(callId)}`, json: { action: 'transfer', destination }, signal });
  }

  async sendDigits(callId: string, digits: string, signal?: AbortSignal): Promise<void> {
    await this.ask({ method: 'PUT', path: `/${part(callId)}/dtmf`, json: { digits: digits.replaceAll('w', 'p') }, signal });
  }

  async find(search: CallSearch, signal?: AbortSignal): Promise<FoundCall | undefined> {
    if ('callId' in search) {
      const answer = await this.ask({ method: 'GET', path: `/${part(search.callId)}`, signal, expects: [404] });
      return answer.status === 404 ? undefined : { ...found(answerIn(Call, answer, 'vonage')), isExact: true };
    }
    const since = new Date(search.placedAfter.getTime() - 5000).toISOString();
    const query = new URLSearchParams({ date_start: since, page_size: '100', order: 'desc' });
    const answer = answerIn(Calls, await this.ask({ method: 'GET', path: `?${query.toString()}`, signal }), 'vonage');
    const [from, to] = [e164Digits(search.from), e164Digits(search.to)];
    const same = answer._embedded.calls.filter((call) => numbersOf(call.to).includes(to) && numbersOf(call.from).includes(from));
    // An unanswered call has no start time, so the search is by a period.
    return newest(
      same.map((call) => ({
        ...found(call),
        atMs: call.start_time ? carrierTime(call.start_time) : search.placedAfter.getTime(),
      })),
      search.placedAfter,
    );
  }

  /** Checks the credentials by reading one call, which is free of charge. */
  async test(signal?: AbortSignal): Promise<void> {
    await this.ask({ method: 'GET', path: '?page_size=1', signal });
  }

  private async ask({ path, ...question }: PathQuestion): Promise<CarrierAnswer> {
    const authorization = `Bearer ${applicationToken(this.account, new Date())}`;
    const url = `${this.account.apiUrl}/v1/calls${path}`;
    return askCarrier({ ...question, carrier: 'vonage', url, headers: { authorization }, fetch: this.fetch });
  }
}

function numbersOf(end: z.output<typeof End>): string[] {
  return [end ?? []].flat().map(({ number }) => e164Digits(number ?? ''));
}

function found({ uuid, status, duration }: z.output<typeof Call>): Omit<FoundCall, 'isExact'> {
  const state = vonageState(status) ?? (status === 'machine' || status === 'human' ? 'answered' : 'failed');
  return {
    callId: uuid,
    state,
    ...endSaid(state, { words: status }),
    ...durationOf(duration),
  };
}

const part = encodeURIComponent;

const states: Readonly<Record<string, CarrierCallState>> = {
  started: 'queued',
  ringing: 'ringing',
  answered: 'answered',
  completed: 'completed',
  busy: 'busy',
  rejected: 'declined',
  timeout: 'no-answer',
  unanswered: 'no-answer',
  cancelled: 'cancelled',
  failed: 'failed',
};

/** The state of a call, in Vonage's terms. */
function vonageState(word: string | null | undefined): CarrierCallState | undefined {
  return word ? states[word] : undefined;
}

/** The query parameter in the answer URL of calls that we placed. */
const outboundMark = 'placed';

const Text = z
  .union([z.string(), z.number().transform(String)])
  .optional()
  .catch(undefined);
const Event = z.object({
  uuid: Text,
  call_uuid: Text,
  from: Text,
  to: Text,
  status: Text,
  sub_state: Text,
  direction: Text,
  detail: Text,
  sip_code: Text,
  duration: Text,
  recording_url: Text,
});
type Event = z.output<typeof Event>;

/** Vonage's signed webhooks, and NCCOs. */
export class VonageWebhooks implements Webhooks {
  readonly acknowledged = emptyReply;

  constructor(
    private readonly signatureSecret: string,
    private readonly applicationId: string,
  ) {}

  /** The token contains a hash of the body, so that it is valid for this request only. */
  verify(request: CarrierRequest, now: Date): WebhookVerdict {
    const token = /^Bearer\s+(\S+)$/i.exec(headerOf(request, 'authorization') ?? '')?.[1];
    if (token === undefined) return refused('the request is not signed');
    const claims = vonageClaims(token, this.signatureSecret, now);
    if (typeof claims === 'string') return refused(claims);
    if (request.body.length > 0 && !isSame(claims.payload_hash ?? '', createHash('sha256').update(request.body).digest('hex'))) {
      return refused('the body is not the one that was signed');
    }
    const verdict = genuine(claims.jti === undefined ? undefined : `vonage ${claims.jti}`);
    return ofAccount(verdict, claims.application_id, this.applicationId);
  }

  /** Signed in the same way, because our NCCO requests it. */
  verifyUpgrade(request: CarrierRequest, now: Date): WebhookVerdict {
    return this.verify(request, now);
  }

  read(request: CarrierRequest, asked?: 'answer' | 'status'): readonly CallNotice[] {
    const event = Event.safeParse(jsonBodyOf(request) ?? Object.fromEntries(fieldsOf(request))).data;
    const callId = event?.uuid ?? event?.call_uuid;
    if (!event || callId === undefined) return [];
    return noticesOf(callId, event, { asked, isPlaced: queryOf(request).has(outboundMark) });
  }

  async answer(_callId: string, plan: AnswerPlan): Promise<WebhookReply> {
    return jsonReply(ncco(plan));
  }
}

interface VonageWebhook {
  readonly asked: 'answer' | 'status' | undefined;
  readonly isPlaced: boolean;
}

function noticesOf(callId: string, event: Event, { asked, isPlaced }: VonageWebhook): CallNotice[] {
  if (event.recording_url !== undefined) return [{ kind: 'recording', callId, url: event.recording_url }];
  if (event.status === 'machine' || event.status === 'human') {
    const isAfterBeep = event.sub_state === 'beep_start' || event.sub_state === 'beep_timeout';
    return [{ kind: 'machine', callId, answeredBy: event.status, isAfterBeep }];
  }
  const state = vonageState(event.status);
  // Progress events have a status; requests for instructions do not.
  if (asked !== 'status' && event.status === undefined && event.from !== undefined && event.to !== undefined) {
    return [{ kind: isPlaced ? 'answering' : 'incoming', callId, from: event.from, to: event.to }];
  }
  if (state === undefined) return [];
  return [
    {
      kind: 'state',
      callId,
      state,
      ...endSaid(state, { words: event.detail ?? event.status, code: event.sip_code }),
      ...durationOf(event.duration),
    },
  ];
}

/** The NCCO for a plan. */
function ncco(plan: AnswerPlan): object[] {
  switch (plan.kind) {
    case 'connect': {
      const endpoint = {
        type: 'websocket',
        uri: plan.mediaUrl,
        'content-type': 'audio/l16;rate=16000',
        headers: plan.parameters ?? {},
        authorization: { type: 'vonage' },
      };
      return [{ action: 'connect', endpoint: [endpoint], eventUrl: [plan.statusUrl], eventMethod: 'POST' }];
    }
    case 'transfer': {
      const isSip = plan.to.startsWith('sip:');
      const endpoint = isSip ? { type: 'sip', uri: plan.to } : { type: 'phone', number: plan.to.replace(/\D/g, '') };
      const { ringSeconds: timeout, afterUrl } = plan;
      return [
        {
          action: 'connect',
          from: plan.from.replace(/\D/g, ''),
          timeout,
          endpoint: [endpoint],
          eventType: 'synchronous',
          eventUrl: [afterUrl],
        },
      ];
    }
    case 'refuse':
    case 'hang-up':
      return [];
  }
}

const tokenSeconds = 900;
const driftSeconds = 300;

const Header = z.object({ alg: z.literal('HS256') });
const Claims = z.object({
  iat: z.number(),
  exp: z.number().optional(),
  jti: z.string().min(1).optional(),
  payload_hash: z.string().optional(),
  application_id: z.string().optional(),
});
type VonageClaims = z.output<typeof Claims>;

const coded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token that authenticates our application to the Voice API. */
function applicationToken({ applicationId, privateKey }: { applicationId: string; privateKey: string }, now: Date): string {
  const iat = Math.floor(now.getTime() / 1000);
  const claims = { application_id: applicationId, iat, exp: iat + tokenSeconds, jti: randomUUID() };
  const text = `${coded({ alg: 'RS256', typ: 'JWT' })}.${coded(claims)}`;
  return `${text}.${createSign('RSA-SHA256').update(text).sign(privateKey, 'base64url')}`;
}

/** The claims of a token signed with the account's signature secret within five minutes of now; otherwise why it is invalid. */
function vonageClaims(token: string, secret: string, now: Date): VonageClaims | string {
  const [header = '', payload = '', signature = '', ...more] = token.split('.');
  if (more.length > 0 || !Header.safeParse(decoded(header)).success) return 'the token is not one of HS256';
  const expected = createHmac('sha256', secret).update(`${header}.${payload}`).digest('base64url');
  if (!isSame(signature, expected)) return 'the token is signed with another secret';
  const claims = Claims.safeParse(decoded(payload)).data;
  if (!claims) return 'the token claims nothing that is known';
  const seconds = now.getTime() / 1000;
  if (Math.abs(seconds - claims.iat) > driftSeconds) return 'the token is not of now';
  return claims.exp !== undefined && claims.exp < seconds ? 'the token has expired' : claims;
}

function decoded(part: string): unknown {
  try {
    const json: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return json;
  } catch {
    return undefined;
  }
}
