import { createHash, createHmac } from 'node:crypto';
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
  asWebSocket,
  basicAuth,
  type CarrierAnswer,
  type CarrierQuestion,
  carrierTime,
  durationOf,
  element,
  emptyReply,
  fieldsOf,
  formOf,
  genuine,
  headerOf,
  isSame,
  newest,
  ofAccount,
  publicUrlOf,
  queryOf,
  refused,
  xmlReply,
} from '../carrier-http';

/** Twilio does not store a reference of ours, so after a crash a call is found by its numbers and time. */
export const twilioControlCapabilities: ControlCapabilities = {
  placeIsIdempotent: false,
  finds: 'by-numbers',
  transfers: 'command',
  sendsDigits: false,
  ends: true,
  detectsMachines: true,
  dials: 'numbers',
  dialsAddresses: true,
};

const Call = z.object({
  sid: z.string(),
  status: z.string(),
  duration: z.string().nullish(),
  date_created: z.string().nullish(),
});
const Calls = z.object({ calls: z.array(Call) });

interface TwilioAccount {
  readonly accountSid: string;
  readonly authToken: string;
  readonly apiUrl: string;
}

/** Commands to Twilio's REST API. */
export class TwilioControl implements CallControl {
  readonly capabilities = twilioControlCapabilities;

  constructor(
    private readonly account: TwilioAccount,
    private readonly fetch: typeof globalThis.fetch | undefined,
  ) {}

  async place(request: PlaceRequest): Promise<PlacedCall> {
    const form = {
      To: request.to,
      From: request.from,
      Url: request.answerUrl,
      StatusCallback: request.statusUrl,
      StatusCallbackEvent: ['initiated', 'ringing', 'answered', 'completed'],
      Timeout: String(request.ringSeconds),
      TimeLimit: String(request.secondsMax),
      ...(request.detectMachine && {
        MachineDetection: 'DetectMessageEnd',
        AsyncAmd: 'true',
        AsyncAmdStatusCallback: request.statusUrl,
      }),
    };
    const call = answerIn(Call, await this.ask({ method: 'POST', path: '/Calls.json', form, signal: request.signal }), 'twilio');
    return { callId: call.sid, state: twilioState(call.status) ?? 'queued' };
  }

  /** For a call that is over Twilio returns 404, or for a while 400 with code 21220. */
  async end(callId: string, signal?: AbortSignal): Promise<void> {
    await this.ask({
      method: 'POST',
      path: `/Calls/${part(callId)}.json`,
      form: { Status: 'completed' },
      signal,
      expects: [404],
      expectsCodes: ['21220'],
    });
  }

  async transfer({ callId, to, from, ringSeconds, afterUrl, signal }: TransferRequest): Promise<void> {
    const Twiml = twiml({ kind: 'transfer', to, from, ringSeconds, afterUrl });
    await this.ask({ method: 'POST', path: `/Calls/${part(callId)}.json`, form: { Twiml }, signal });
  }

  async find(search: CallSearch, signal?: AbortSignal): Promise<FoundCall | undefined> {
    if ('callId' in search) {
      const answer = await this.ask({ method: 'GET', path: `/Calls/${part(search.callId)}.json`, signal, expects: [404] });
      return answer.status === 404 ? undefined : { ...found(answerIn(Call, answer, 'twilio')), isExact: true };
    }
    const query = new URLSearchParams({ To: search.to, From: search.from, PageSize: '50' });
    query.set('StartTime>', search.placedAfter.toISOString().slice(0, 10));
    const { calls } = answerIn(
      Calls,
      await this.ask({ method: 'GET', path: `/Calls.json?${query.toString()}`, signal }),
      'twilio',
    );
    return newest(
      calls.map((call) => ({ ...found(call), atMs: carrierTime(call.date_created) })),
      search.placedAfter,
    );
  }

  /** Checks the credentials by reading the account, which is free of charge. */
  async test(signal?: AbortSignal): Promise<void> {
    await this.ask({ method: 'GET', path: '.json', signal });
  }

  private ask(question: Omit<CarrierQuestion, 'carrier' | 'url' | 'headers'> & { path: string }): Promise<CarrierAnswer> {
    const { accountSid, authToken, apiUrl } = this.account;
    const url = `${apiUrl}/2010-04-01/Accounts/${part(accountSid)}${question.path}`;
    return askCarrier({ ...question, carrier: 'twilio', url, headers: basicAuth(accountSid, authToken), fetch: this.fetch });
  }
}

function found({ sid, status, duration }: z.output<typeof Call>): Omit<FoundCall, 'isExact'> {
  return {
    callId: sid,
    state: twilioState(status) ?? 'failed',
    ...durationOf(duration),
  };
}

const part = encodeURIComponent;

const states: Readonly<Record<string, CarrierCallState>> = {
  queued: 'queued',
  initiated: 'queued',
  ringing: 'ringing',
  'in-progress': 'answered',
  completed: 'completed',
  busy: 'busy',
  'no-answer': 'no-answer',
  failed: 'failed',
  canceled: 'cancelled',
};

/** The state of a call, in Twilio's terms. */
function twilioState(word: string | null): CarrierCallState | undefined {
  return word === null ? undefined : states[word];
}

/** Twilio's signature, over the URL followed by the form's fields in order of their names. */
export function twilioSignature(authToken: string, url: string, fields: URLSearchParams): string {
  const names = [...new Set(fields.keys())].sort();
  const text = names
    .map((name) =>
      [...new Set(fields.getAll(name))]
        .sort()
        .map((value) => name + value)
        .join(''),
    )
    .join('');
  return createHmac('sha1', authToken)
    .update(url + text, 'utf8')
    .digest('base64');
}

/** Twilio's webhooks, and TwiML. */
export class TwilioWebhooks implements Webhooks {
  readonly acknowledged = emptyReply;

  constructor(
    private readonly authToken: string,
    private readonly publicUrl: string,
    private readonly accountSid: string,
  ) {}

  verify(request: CarrierRequest): WebhookVerdict {
    const bodyHash = queryOf(request).get('bodySHA256');
    if (bodyHash !== null && createHash('sha256').update(request.body).digest('hex') !== bodyHash.toLowerCase()) {
      return refused('the body is not the one that was signed');
    }
    const fields = bodyHash === null ? formOf(request) : new URLSearchParams();
    const verdict = this.judge(request, [publicUrlOf(this.publicUrl, request)], fields);
    return ofAccount(verdict, fieldsOf(request).get('AccountSid'), this.accountSid);
  }

  /** Checks the signature over the wss URL, with or without a trailing slash, since Twilio's usage has varied. */
  verifyUpgrade(request: CarrierRequest): WebhookVerdict {
    const url = asWebSocket(publicUrlOf(this.publicUrl, request));
    return this.judge(request, [url, `${url}/`], new URLSearchParams());
  }

  read(request: CarrierRequest, asked?: 'answer' | 'status'): readonly CallNotice[] {
    const fields = fieldsOf(request);
    const callId = fields.get('CallSid');
    return callId === null || fields.has('StreamEvent') ? [] : noticesOf(callId, fields, asked);
  }

  async answer(_callId: string, plan: AnswerPlan): Promise<WebhookReply> {
    return xmlReply(twiml(plan));
  }

  private judge(request: CarrierRequest, urls: readonly string[], fields: URLSearchParams): WebhookVerdict {
    const signature = headerOf(request, 'x-twilio-signature');
    if (signature === undefined) return refused('the request is not signed');
    const isSigned = urls
      .flatMap(withAndWithoutPort)
      .some((url) => isSame(twilioSignature(this.authToken, url, fields), signature));
    return isSigned ? genuine() : refused('the signature is not one of this address and token');
  }
}

/** Both forms of a URL, since Twilio signs some requests with the default port and some without. */
function withAndWithoutPort(url: string): string[] {
  const found = /^(https|wss|http|ws):\/\/([^/:?]+)(?::(\d+))?(.*)$/s.exec(url);
  if (!found) return [url];
  const [, scheme = '', host = '', port, rest = ''] = found;
  const usual = scheme === 'https' || scheme === 'wss' ? '443' : '80';
  if (port !== undefined && port !== usual) return [url];
  return [`${scheme}://${host}${rest}`, `${scheme}://${host}:${usual}${rest}`];
}

function noticesOf(callId: string, fields: URLSearchParams, asked: 'answer' | 'status' | undefined): CallNotice[] {
  const state = twilioState(fields.get('CallStatus'));
  const [from, to] = [fields.get('From') ?? '', fields.get('To') ?? ''];
  const recordingUrl = fields.get('RecordingUrl');
  const answeredBy = fields.get('AnsweredBy');
  const dialled = fields.get('DialCallStatus');
  if (recordingUrl !== null)
    return [{ kind: 'recording', callId, url: recordingUrl, ...durationOf(fields.get('RecordingDuration')) }];
  if (dialled !== null) {
    const isTaken = dialled === 'completed' || dialled === 'answered';
    return [{ kind: 'continuing', callId, transfer: isTaken ? 'answered' : dialled === 'busy' ? 'refused' : 'unanswered' }];
  }
  const isProgress = asked === 'status' || fields.get('CallbackSource') === 'call-progress-events';
  if (answeredBy !== null && (state === undefined || fields.has('MachineDetectionDuration')))
    return [machineNotice(callId, answeredBy)];
  if (isProgress && state !== undefined) return [stateNotice(callId, state, fields)];
  if (state === undefined) return [];
  if (state !== 'ringing' && state !== 'answered') return [stateNotice(callId, state, fields)];
  if (fields.get('Direction') === 'inbound') return [{ kind: 'incoming', callId, from, to }];
  return [{ kind: 'answering', callId, from, to }];
}

function stateNotice(callId: string, state: CarrierCallState, fields: URLSearchParams): CallNotice {
  const order = fields.get('SequenceNumber');
  const code = fields.get('SipResponseCode') ?? fields.get('ErrorCode');
  // Without a code, Twilio's status is reported instead; failures have their own messages.
  const word = state === 'completed' ? null : fields.get('CallStatus');
  return {
    kind: 'state',
    callId,
    state,
    ...endSaid(state, { words: fields.get('ErrorMessage'), code: code || word }),
    ...durationOf(fields.get('CallDuration')),
    ...(order !== null && /^\d+$/.test(order) && { order: Number(order) }),
  };
}

function machineNotice(callId: string, answeredBy: string): CallNotice {
  const who = /^machine/.test(answeredBy) ? 'machine' : answeredBy === 'human' || answeredBy === 'fax' ? answeredBy : 'unknown';
  return { kind: 'machine', callId, answeredBy: who, isAfterBeep: answeredBy.startsWith('machine_end') };
}

/** The TwiML for a plan. */
function twiml(plan: AnswerPlan): string {
  return element('Response', {}, [verbOf(plan)]);
}

function verbOf(plan: AnswerPlan): string {
  switch (plan.kind) {
    case 'connect': {
      const parameters = Object.entries(plan.parameters ?? {}).map(([name, value]) => element('Parameter', { name, value }));
      return element('Connect', {}, [element('Stream', { url: plan.mediaUrl, statusCallback: plan.statusUrl }, parameters)]);
    }
    case 'transfer': {
      const dialled = element(plan.to.startsWith('sip:') ? 'Sip' : 'Number', {}, { text: plan.to });
      const { from: callerId, ringSeconds: timeout, afterUrl: action } = plan;
      return element('Dial', { callerId, timeout, action, answerOnBridge: 'true' }, [dialled]);
    }
    case 'refuse':
      return element('Reject', { reason: plan.reason });
    case 'hang-up':
      return element('Hangup');
  }
}
