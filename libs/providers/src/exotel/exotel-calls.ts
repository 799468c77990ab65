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
  carrierTime,
  durationOf,
  emptyReply,
  fieldsOf,
  genuine,
  jsonBodyOf,
  jsonReply,
  newest,
  ofAccount,
  withQuery,
} from '../carrier-http';

/** Exotel documents no request to end a call: it ends with its stream, or continues with the next applet of the flow. */
export const exotelControlCapabilities: ControlCapabilities = {
  placeIsIdempotent: false,
  finds: 'by-numbers',
  transfers: 'after-media',
  sendsDigits: false,
  ends: false,
  detectsMachines: false,
  dials: 'numbers',
  dialsAddresses: false,
};

const Call = z.object({
  Sid: z.string(),
  Status: z.string(),
  Duration: z.union([z.number(), z.string()]).nullish(),
  DateCreated: z.string().nullish(),
});
const OneCall = z.object({ Call });
const Calls = z.object({ Calls: z.array(Call) });
/** Exotel's times are in Indian time. */
const zone = '+05:30';

interface ExotelAccount {
  readonly accountSid: string;
  readonly apiKey: string;
  readonly apiToken: string;
  readonly flowId?: string | undefined;
  readonly webhookSecret: string;
  readonly apiUrl: string;
}
/** Commands to Exotel's voice API. */
export class ExotelControl implements CallControl {
  readonly capabilities = exotelControlCapabilities;

  constructor(
    private readonly account: ExotelAccount,
    private readonly fetch: typeof globalThis.fetch | undefined,
  ) {}

  async place(request: PlaceRequest): Promise<PlacedCall> {
    const { accountSid, flowId, webhookSecret } = this.account;
    const form = {
      From: request.to,
      CallerId: request.from,
      ...(flowId === undefined
        ? { StreamUrl: request.mediaUrl, StreamType: 'bidirectional' }
        : { Url: `http://my.exotel.com/${accountSid}/exoml/start_voice/${flowId}` }),
      CallType: 'trans',
      TimeOut: String(request.ringSeconds),
      TimeLimit: String(Math.min(request.secondsMax, 14_400)),
      CustomField: request.reference,
      StatusCallback: withQuery(request.statusUrl, 'key', webhookSecret),
      'StatusCallbackEvents[0]': 'answered',
      'StatusCallbackEvents[1]': 'terminal',
      StatusCallbackContentType: 'application/json',
    };
    const { Call: call } = answerIn(
      OneCall,
      await this.ask({ method: 'POST', path: '/Calls/connect.json', form, signal: request.signal }),
      'exotel',
    );
    return { callId: call.Sid, state: exotelState(call.Status) ?? 'queued' };
  }

  async end(): Promise<void> {
    throw new ProviderFailure('exotel', 'ends no call by command: it ends when its stream is closed', { retryable: false });
  }

  async find(search: CallSearch, signal?: AbortSignal): Promise<FoundCall | undefined> {
    if ('callId' in search) {
      const answer = await this.ask({
        method: 'GET',
        path: `/Calls/${encodeURIComponent(search.callId)}.json`,
        signal,
        expects: [404],
      });
      return answer.status === 404 ? undefined : { ...found(answerIn(OneCall, answer, 'exotel').Call), isExact: true };
    }
    const query = new URLSearchParams({ From: search.to, PhoneNumber: search.from, PageSize: '20', SortBy: 'DateCreated:desc' });
    const { Calls: calls } = answerIn(
      Calls,
      await this.ask({ method: 'GET', path: `/Calls.json?${query.toString()}`, signal }),
      'exotel',
    );
    return newest(
      calls.map((call) => ({ ...found(call), atMs: carrierTime(call.DateCreated, zone) })),
      search.placedAfter,
    );
  }

  /** Checks the credentials by reading one call, which is free of charge. */
  async test(signal?: AbortSignal): Promise<void> {
    await this.ask({ method: 'GET', path: '/Calls.json?PageSize=1', signal });
  }

  private ask({ path, ...question }: PathQuestion): Promise<CarrierAnswer> {
    const { accountSid, apiKey, apiToken, apiUrl } = this.account;
    const url = `${apiUrl}/v1/Accounts/${encodeURIComponent(accountSid)}${path}`;
    return askCarrier({ ...question, carrier: 'exotel', url, headers: basicAuth(apiKey, apiToken), fetch: this.fetch });
  }
}

function found({ Sid, Status, Duration }: z.output<typeof Call>): Omit<FoundCall, 'isExact'> {
  const state = exotelState(Status) ?? 'failed';
  return {
    callId: Sid,
    state,
    ...endSaid(state, { words: Status }),
    ...durationOf(Duration),
  };
}

const states: Readonly<Record<string, CarrierCallState>> = {
  queued: 'queued',
  ringing: 'ringing',
  'in-progress': 'answered',
  completed: 'completed',
  failed: 'failed',
  busy: 'busy',
  'no-answer': 'no-answer',
  canceled: 'cancelled',
};

/** The state of a call, in Exotel's terms. */
function exotelState(word: string | null | undefined): CarrierCallState | undefined {
  return word ? states[word.toLowerCase()] : undefined;
}

const Fields = z.record(z.string(), z.unknown()).transform((all) => {
  const texts = new URLSearchParams();
  for (const [name, value] of Object.entries(all)) {
    if (typeof value === 'string' || typeof value === 'number') texts.append(name, String(value));
  }
  return texts;
});

/** Exotel does not sign its requests, so they contain a secret: in the Authorization header or as `key` in the URL. */
export class ExotelWebhooks implements Webhooks {
  readonly acknowledged = emptyReply;

  constructor(
    private readonly secret: string,
    private readonly accountSid: string,
  ) {}

  verify(request: CarrierRequest): WebhookVerdict {
    return ofAccount(bySecret(request, this.secret), toldBy(request).get('AccountSid'), this.accountSid);
  }

  /** A stream is admitted by the token in its path, since nothing else is sent. */
  verifyUpgrade(): WebhookVerdict {
    return genuine();
  }

  read(request: CarrierRequest, asked?: 'answer' | 'status'): readonly CallNotice[] {
    const fields = toldBy(request);
    const callId = fields.get('CallSid');
    return callId === null ? [] : noticesOf(callId, fields, asked);
  }

  /** The Voicebot applet expects a URL, the Connect applet a number. An empty URL ends the flow. */
  async answer(_callId: string, plan: AnswerPlan): Promise<WebhookReply> {
    if (plan.kind === 'connect') return jsonReply({ url: plan.mediaUrl });
    if (plan.kind !== 'transfer') return jsonReply({ url: '', destination: { numbers: [] } });
    return jsonReply({
      fetch_after_attempt: false,
      destination: { numbers: [plan.to] },
      outgoing_phone_number: plan.from,
      max_ringing_duration: plan.ringSeconds,
    });
  }
}

/** The fields of a request, in JSON or as a form, depending on the applet's settings. */
function toldBy(request: CarrierRequest): URLSearchParams {
  const json = Fields.safeParse(jsonBodyOf(request)).data;
  return json && [...json].length > 0 ? json : fieldsOf(request);
}

function noticesOf(callId: string, fields: URLSearchParams, asked: 'answer' | 'status' | undefined): CallNotice[] {
  const recordingUrl = fields.get('RecordingUrl');
  const state = exotelState(
    fields.get('EventType') === 'answered' ? 'in-progress' : (fields.get('Status') ?? fields.get('CallStatus')),
  );
  const [from, to] = [fields.get('CallFrom') ?? fields.get('From') ?? '', fields.get('CallTo') ?? fields.get('To') ?? ''];
  const dialled = fields.get('DialCallStatus');
  const asks = asked === 'answer' || (asked === undefined && fields.has('CallFrom') && !fields.has('EventType'));
  if (dialled && asks)
    return [
      {
        kind: 'continuing',
        callId,
        transfer: dialled === 'completed' ? 'answered' : dialled === 'busy' ? 'refused' : 'unanswered',
      },
    ];
  if (asks) return [{ kind: fields.get('Direction')?.startsWith('outbound') ? 'answering' : 'incoming', callId, from, to }];
  const notices: CallNotice[] = [];
  const reference = fields.get('CustomField');
  if (state) {
    notices.push({
      kind: 'state',
      callId,
      state,
      ...endSaid(state, { words: fields.get('Status') }),
      ...(reference && { reference }),
      ...durationOf(fields.get('ConversationDuration')),
    });
  }
  if (recordingUrl) notices.push({ kind: 'recording', callId, url: recordingUrl });
  return notices;
}
