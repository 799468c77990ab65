import { createHmac } from 'node:crypto';
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
  type PathQuestion,
  carrierTime,
  durationOf,
  e164Digits,
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
  refused,
  xmlReply,
} from '../carrier-http';

/** Plivo does not store a reference of ours, so after a crash a call is found by its numbers and time. */
export const plivoControlCapabilities: ControlCapabilities = {
  placeIsIdempotent: false,
  finds: 'by-numbers',
  transfers: 'command',
  sendsDigits: true,
  ends: true,
  detectsMachines: true,
  dials: 'numbers',
  dialsAddresses: true,
};

const Placed = z.object({ request_uuid: z.union([z.string(), z.array(z.string()).min(1)]) });
const LiveCall = z.object({
  call_status: z.string(),
  from: z.string().nullish(),
  to: z.string().nullish(),
  session_start: z.string().nullish(),
});
const LiveCalls = z.object({ calls: z.array(z.string()) });
const EndedCall = z.object({
  call_uuid: z.string(),
  call_duration: z.number().nullish(),
  hangup_cause_name: z.string().nullish(),
  hangup_cause_code: z.number().nullish(),
  initiation_time: z.string().nullish(),
  end_time: z.string().nullish(),
});
const EndedCalls = z.object({ objects: z.array(EndedCall) });
/** How many live calls are read one by one when a call is searched for. */
const liveCallsMax = 20;

interface PlivoAccount {
  readonly authId: string;
  readonly authToken: string;
  readonly apiUrl: string;
}
/** Commands to Plivo's API. */
export class PlivoControl implements CallControl {
  readonly capabilities = plivoControlCapabilities;

  constructor(
    private readonly account: PlivoAccount,
    private readonly fetch: typeof globalThis.fetch | undefined,
  ) {}

  async place(request: PlaceRequest): Promise<PlacedCall> {
    const { statusUrl } = request;
    const json = {
      from: e164Digits(request.from),
      to: request.to.startsWith('sip:') ? request.to : e164Digits(request.to),
      answer_url: request.answerUrl,
      answer_method: 'POST',
      ring_url: statusUrl,
      ring_method: 'POST',
      hangup_url: statusUrl,
      hangup_method: 'POST',
      ring_timeout: request.ringSeconds,
      time_limit: request.secondsMax,
      ...(request.detectMachine && {
        machine_detection: 'true',
        machine_detection_url: statusUrl,
        machine_detection_method: 'POST',
      }),
    };
    const answer = await this.ask({ method: 'POST', path: '/Call/', json, signal: request.signal });
    const { request_uuid } = answerIn(Placed, answer, 'plivo');
    return { callId: [request_uuid].flat()[0] ?? '', state: 'queued' };
  }

  async end(callId: string, signal?: AbortSignal): Promise<void> {
    await this.ask({ method: 'DELETE', path: `/Call/${part(callId)}/`, signal, expects: [404] });
  }

  async transfer({ callId, documentUrl, signal }: TransferRequest): Promise<void> {
    const json = { legs: 'aleg', aleg_url: documentUrl, aleg_method: 'POST' };
    await this.ask({ method: 'POST', path: `/Call/${part(callId)}/`, json, signal });
  }

  async sendDigits(callId: string, digits: string, signal?: AbortSignal): Promise<void> {
    await this.ask({ method: 'POST', path: `/Call/${part(callId)}/DTMF/`, json: { digits, leg: 'aleg' }, signal });
  }

  async find(search: CallSearch, signal?: AbortSignal): Promise<FoundCall | undefined> {
    if (!('callId' in search)) return this.findByNumbers(search, signal);
    const { callId } = search;
    const live = await this.live(callId, signal);
    if (live) return { callId, state: plivoState(live.call_status) ?? 'answered', isExact: true };
    const ended = await this.ask({ method: 'GET', path: `/Call/${part(callId)}/`, signal, expects: [404] });
    return ended.status === 404 ? undefined : { ...foundEnded(answerIn(EndedCall, ended, 'plivo')), isExact: true };
  }

  /** Checks the credentials by reading the account, which is free of charge. */
  async test(signal?: AbortSignal): Promise<void> {
    await this.ask({ method: 'GET', path: '/', signal });
  }

  private async findByNumbers(
    search: Exclude<CallSearch, { callId: string }>,
    signal?: AbortSignal,
  ): Promise<FoundCall | undefined> {
    const [from, to] = [e164Digits(search.from), e164Digits(search.to)];
    const { calls } = answerIn(LiveCalls, await this.ask({ method: 'GET', path: '/Call/?status=live', signal }), 'plivo');
    for (const callId of calls.slice(0, liveCallsMax)) {
      const live = await this.live(callId, signal);
      const isIt = live && e164Digits(live.to ?? '') === to && e164Digits(live.from ?? '') === from;
      if (isIt) return { callId, state: plivoState(live.call_status) ?? 'answered', isExact: false };
    }
    const query = new URLSearchParams({ from_number: from, to_number: to, limit: '20' });
    const { objects } = answerIn(
      EndedCalls,
      await this.ask({ method: 'GET', path: `/Call/?${query.toString()}`, signal }),
      'plivo',
    );
    return newest(
      objects.map((call) => ({ ...foundEnded(call), atMs: carrierTime(call.initiation_time) })),
      search.placedAfter,
    );
  }

  private async live(callId: string, signal?: AbortSignal): Promise<z.output<typeof LiveCall> | undefined> {
    const answer = await this.ask({ method: 'GET', path: `/Call/${part(callId)}/?status=live`, signal, expects: [404] });
    return answer.status === 404 ? undefined : answerIn(LiveCall, answer, 'plivo');
  }

  private ask({ path, ...question }: PathQuestion): Promise<CarrierAnswer> {
    const { authId, authToken, apiUrl } = this.account;
    const url = `${apiUrl}/v1/Account/${part(authId)}${path}`;
    return askCarrier({ ...question, carrier: 'plivo', url, headers: basicAuth(authId, authToken), fetch: this.fetch });
  }
}

function foundEnded(call: z.output<typeof EndedCall>): Omit<FoundCall, 'isExact'> {
  const { hangup_cause_name: words, hangup_cause_code: code, call_duration: durationSeconds } = call;
  const state = endOf(words ?? '');
  return {
    callId: call.call_uuid,
    state,
    ...endSaid(state, { words, code: code?.toString() }),
    ...(typeof durationSeconds === 'number' && { durationSeconds }),
  };
}

function endOf(cause: string): FoundCall['state'] {
  if (/normal hangup|end of xml|hungup|transfer/i.test(cause)) return 'completed';
  if (/busy/i.test(cause)) return 'busy';
  if (/no answer|ring timeout|unreachable/i.test(cause)) return 'no-answer';
  return /cancel/i.test(cause) ? 'cancelled' : cause === '' ? 'completed' : 'failed';
}

const part = encodeURIComponent;

const states: Readonly<Record<string, CarrierCallState>> = {
  queued: 'queued',
  ringing: 'ringing',
  'in-progress': 'answered',
  completed: 'completed',
  busy: 'busy',
  'no-answer': 'no-answer',
  timeout: 'no-answer',
  failed: 'failed',
  cancel: 'cancelled',
};
/** The maximum size of extra headers. */
const extraHeadersMax = 512;

/** The state of a call, in Plivo's terms. */
function plivoState(word: string | null | undefined): CarrierCallState | undefined {
  return word ? states[word.toLowerCase()] : undefined;
}

/** Version 3 of Plivo's signature: over the URL with its sorted query, the sorted fields of a form, and the nonce. */
export function plivoSignature(authToken: string, signed: { url: string; form: URLSearchParams; nonce: string }): string {
  const [address = '', query = ''] = signed.url.split('?', 2);
  const inOrder = (fields: URLSearchParams, between: string) =>
    [...new Set(fields.keys())].sort().flatMap((name) =>
      fields
        .getAll(name)
        .sort()
        .map((value) => `${name}${between}${value}`),
    );
  const sortedQuery = inOrder(new URLSearchParams(query), '=').join('&');
  const posted = inOrder(signed.form, '').join('');
  const mark = sortedQuery !== '' || posted !== '' ? '?' : '';
  const dot = sortedQuery !== '' && posted !== '' ? '.' : '';
  const text = `${address}${mark}${sortedQuery}${dot}${posted}.${signed.nonce}`;
  return createHmac('sha256', authToken).update(text, 'utf8').digest('base64');
}

/** Plivo's webhooks, and its XML. */
export class PlivoWebhooks implements Webhooks {
  readonly acknowledged = emptyReply;

  constructor(
    private readonly authToken: string,
    private readonly publicUrl: string,
    private readonly authId: string,
  ) {}

  /** Requests of a subaccount (SA…) name only the main account. */
  verify(request: CarrierRequest): WebhookVerdict {
    const verdict = this.judge(request, publicUrlOf(this.publicUrl, request));
    return this.authId.startsWith('MA') ? ofAccount(verdict, fieldsOf(request).get('ParentAuthID'), this.authId) : verdict;
  }

  /** Plivo signs the upgrade only for some accounts, so a signature is optional but must be valid. */
  verifyUpgrade(request: CarrierRequest): WebhookVerdict {
    if (headerOf(request, 'x-plivo-signature-v3') === undefined) return genuine();
    const url = publicUrlOf(this.publicUrl, request);
    const asSocket = this.judge(request, asWebSocket(url));
    return asSocket.isGenuine ? asSocket : this.judge(request, url);
  }

  read(request: CarrierRequest, asked?: 'answer' | 'status'): readonly CallNotice[] {
    const fields = fieldsOf(request);
    const callId = fields.get('CallUUID') ?? fields.get('RequestUUID');
    return callId === null ? [] : noticesOf(callId, fields, asked);
  }

  async answer(_callId: string, plan: AnswerPlan): Promise<WebhookReply> {
    return xmlReply(element('Response', {}, [verbOf(plan)]));
  }

  private judge(request: CarrierRequest, url: string): WebhookVerdict {
    const signatures = headerOf(request, 'x-plivo-signature-v3') ?? headerOf(request, 'x-plivo-signature-ma-v3');
    const nonce = headerOf(request, 'x-plivo-signature-v3-nonce');
    if (signatures === undefined || nonce === undefined) return refused('the request is not signed');
    const expected = plivoSignature(this.authToken, {
      url,
      form: request.method === 'POST' ? formOf(request) : new URLSearchParams(),
      nonce,
    });
    const isSigned = signatures.split(',').some((signature) => isSame(signature.trim(), expected));
    return isSigned ? genuine(`plivo ${nonce}`) : refused('the signature is not one of this address and token');
  }
}

function noticesOf(callId: string, fields: URLSearchParams, asked: 'answer' | 'status' | undefined): CallNotice[] {
  const [from, to] = [fields.get('From') ?? '', fields.get('To') ?? ''];
  const recordingUrl = fields.get('RecordUrl');
  const dialled = fields.get('DialStatus');
  const machine = fields.get('Machine');
  const event = fields.get('Event') ?? '';
  if (/Stream/.test(event)) return [];
  if (recordingUrl) return [{ kind: 'recording', callId, url: recordingUrl, ...durationOf(fields.get('RecordingDuration')) }];
  if (dialled !== null)
    return [
      {
        kind: 'continuing',
        callId,
        transfer: dialled === 'completed' ? 'answered' : dialled === 'busy' ? 'refused' : 'unanswered',
      },
    ];
  if (machine !== null) {
    const isMachine = machine.toLowerCase() === 'true';
    return [{ kind: 'machine', callId, answeredBy: isMachine ? 'machine' : 'human', isAfterBeep: false }];
  }
  const state = plivoState(fields.get('CallStatus'));
  if (state === undefined) return [];
  const asks = asked === 'answer' || (asked === undefined && (event === 'StartApp' || event === ''));
  if (asks && (state === 'ringing' || state === 'answered')) {
    return [{ kind: fields.get('Direction') === 'outbound' ? 'answering' : 'incoming', callId, from, to }];
  }
  const ending = endSaid(state, { words: fields.get('HangupCauseName'), code: fields.get('HangupCauseCode') });
  return [{ kind: 'state', callId, state, ...ending, ...durationOf(fields.get('Duration')) }];
}

function verbOf(plan: AnswerPlan): string {
  switch (plan.kind) {
    case 'connect': {
      const extraHeaders = Object.entries(plan.parameters ?? {})
        .map(([name, value]) => `${name}=${value}`)
        .join(',');
      const attributes = {
        bidirectional: 'true',
        // After the stream the document continues, but nothing follows, so the call ends unless it was transferred meanwhile.
        keepCallAlive: 'true',
        contentType: 'audio/x-mulaw;rate=8000',
        statusCallbackUrl: plan.statusUrl,
        extraHeaders: extraHeaders === '' ? undefined : extraHeaders.slice(0, extraHeadersMax),
      };
      return element('Stream', attributes, { text: plan.mediaUrl });
    }
    case 'transfer': {
      const dialled = element(plan.to.startsWith('sip:') ? 'User' : 'Number', {}, { text: plan.to });
      const attributes = {
        callerId: plan.from,
        timeout: plan.ringSeconds,
        action: plan.afterUrl,
        method: 'POST',
        redirect: 'true',
      };
      return element('Dial', attributes, [dialled]);
    }
    case 'refuse':
      return element('Hangup', { reason: plan.reason });
    case 'hang-up':
      return element('Hangup');
  }
}
