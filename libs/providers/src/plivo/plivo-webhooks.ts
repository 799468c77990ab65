import { createHmac } from 'node:crypto';
import type { AnswerPlan, CallNotice, CarrierCallState, CarrierRequest, Verdict, WebhookReply, Webhooks } from '@parley/ports';
import {
  asWebSocket,
  element,
  emptyReply,
  fieldsOf,
  formOf,
  genuine,
  headerOf,
  isSame,
  publicUrlOf,
  refused,
  xmlReply,
} from '../carrier-http';

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
/** The most bytes that Plivo passes on as extra headers. */
const extraHeadersMax = 512;

/** Plivo's word for a state of a call. */
export function plivoState(word: string | null | undefined): CarrierCallState | undefined {
  return word ? states[word.toLowerCase()] : undefined;
}

/** Version 3 of Plivo's signatures: the address with its query in order, then the fields of a form in order, then the nonce. */
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
  ) {}

  verify(request: CarrierRequest): Verdict {
    return this.judge(request, publicUrlOf(this.publicUrl, request));
  }

  /** Plivo signs the upgrade of some accounts and not of others: a signature that is there must be right. */
  verifyUpgrade(request: CarrierRequest): Verdict {
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

  private judge(request: CarrierRequest, url: string): Verdict {
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
  if (recordingUrl) return [{ kind: 'recording', callId, url: recordingUrl, ...duration(fields.get('RecordingDuration')) }];
  if (dialled !== null) return [{ kind: 'continuing', callId, transfer: dialled === 'completed' ? 'answered' : 'unanswered' }];
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
  const [cause, code] = [fields.get('HangupCauseName'), fields.get('HangupCauseCode')];
  return [{ kind: 'state', callId, state, ...(cause && { cause }), ...(code && { code }), ...duration(fields.get('Duration')) }];
}

function duration(text: string | null): { durationSeconds?: number } {
  return text !== null && /^\d+(\.\d+)?$/.test(text) ? { durationSeconds: Math.round(Number(text)) } : {};
}

function verbOf(plan: AnswerPlan): string {
  switch (plan.kind) {
    case 'connect': {
      const extraHeaders = Object.entries(plan.parameters ?? {})
        .map(([name, value]) => `${name}=${value}`)
        .join(',');
      const attributes = {
        bidirectional: 'true',
        // The document goes on behind the stream, where nothing follows: the call ends, unless it was transferred meanwhile.
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
