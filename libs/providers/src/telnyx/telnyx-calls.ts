import { createPublicKey, type KeyObject, verify } from 'node:crypto';
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
  genuine,
  headerOf,
  jsonBodyOf,
  jsonReply,
  ofAccount,
  refused,
} from '../carrier-http';

/** Telnyx returns our reference as client state, also in its list of live calls. */
export const telnyxControlCapabilities: ControlCapabilities = {
  placeIsIdempotent: false,
  finds: 'by-reference',
  transfers: 'command',
  sendsDigits: true,
  ends: true,
  detectsMachines: true,
  dials: 'numbers',
  dialsAddresses: true,
};

const Placed = z.object({ data: z.object({ call_control_id: z.string() }) });
const Status = z.object({
  data: z.object({
    call_control_id: z.string(),
    is_alive: z.boolean(),
    call_duration: z.number().nullish(),
    start_time: z.string().nullish(),
  }),
});
const Active = z.object({ data: z.array(z.object({ call_control_id: z.string(), client_state: z.string().nullish() })) });

interface TelnyxAccount {
  readonly apiKey: string;
  readonly connectionId: string;
  readonly apiUrl: string;
}
/** Commands to Telnyx's call control. */
export class TelnyxControl implements CallControl {
  readonly capabilities = telnyxControlCapabilities;

  constructor(
    private readonly account: TelnyxAccount,
    private readonly fetch: typeof globalThis.fetch | undefined,
  ) {}

  async place(request: PlaceRequest): Promise<PlacedCall> {
    const json = {
      connection_id: this.account.connectionId,
      to: request.to,
      from: request.from,
      ...streamOf(request.mediaUrl),
      webhook_url: request.statusUrl,
      webhook_url_method: 'POST',
      timeout_secs: request.ringSeconds,
      time_limit_secs: Math.min(request.secondsMax, 14_400),
      client_state: Buffer.from(request.reference).toString('base64'),
      command_id: request.reference,
      ...(request.detectMachine && { answering_machine_detection: 'greeting_end' }),
    };
    const { data } = answerIn(Placed, await this.ask({ method: 'POST', path: '/calls', json, signal: request.signal }), 'telnyx');
    return { callId: data.call_control_id, state: 'queued' };
  }

  /** Answers an inbound call and starts its stream. */
  async answer(
    callId: string,
    { mediaUrl, statusUrl }: Extract<AnswerPlan, { kind: 'connect' }>,
    signal?: AbortSignal,
  ): Promise<void> {
    await this.act(callId, 'answer', { ...streamOf(mediaUrl), webhook_url: statusUrl, webhook_url_method: 'POST' }, signal);
  }

  async reject(callId: string, reason: 'busy' | 'rejected', signal?: AbortSignal): Promise<void> {
    await this.act(callId, 'reject', { cause: reason === 'busy' ? 'USER_BUSY' : 'CALL_REJECTED' }, signal);
  }

  /** For a call that is over Telnyx returns 404, or 422 with code 90018. */
  async end(callId: string, signal?: AbortSignal): Promise<void> {
    await this.ask({ method: 'POST', path: `/calls/${part(callId)}/actions/hangup`, json: {}, signal, expects: [404, 422] });
  }

  async transfer({ callId, to, from, ringSeconds, signal }: TransferRequest): Promise<void> {
    await this.act(callId, 'transfer', { to, from, timeout_secs: ringSeconds }, signal);
  }

  async sendDigits(callId: string, digits: string, signal?: AbortSignal): Promise<void> {
    await this.act(callId, 'send_dtmf', { digits }, signal);
  }

  /** Finds a call. By reference only live ones are found; the end of others is known only from the hang-up webhook. */
  async find(search: CallSearch, signal?: AbortSignal): Promise<FoundCall | undefined> {
    if ('callId' in search) return this.byId(search.callId, signal);
    const path = `/connections/${part(this.account.connectionId)}/active_calls?page[limit]=250`;
    const { data } = answerIn(Active, await this.ask({ method: 'GET', path, signal }), 'telnyx');
    const state = Buffer.from(search.reference).toString('base64');
    const call = data.find(({ client_state }) => client_state === state);
    return call && this.byId(call.call_control_id, signal);
  }

  /** Checks the credentials by listing live calls, which is free of charge. */
  async test(signal?: AbortSignal): Promise<void> {
    await this.ask({ method: 'GET', path: `/connections/${part(this.account.connectionId)}/active_calls?page[limit]=1`, signal });
  }

  private async byId(callId: string, signal?: AbortSignal): Promise<FoundCall | undefined> {
    const answer = await this.ask({ method: 'GET', path: `/calls/${part(callId)}`, signal, expects: [404] });
    if (answer.status === 404) return undefined;
    const { is_alive: isAlive, call_duration: durationSeconds } = answerIn(Status, answer, 'telnyx').data;
    const talked = typeof durationSeconds === 'number' && durationSeconds > 0;
    const state = isAlive ? (talked ? 'answered' : 'ringing') : talked ? 'completed' : 'failed';
    return { callId, state, ...(talked && { durationSeconds }), isExact: true };
  }

  private async act(callId: string, action: string, json: object, signal?: AbortSignal): Promise<void> {
    await this.ask({ method: 'POST', path: `/calls/${part(callId)}/actions/${action}`, json, signal });
  }

  private ask({ path, ...question }: PathQuestion): Promise<CarrierAnswer> {
    const headers = { authorization: `Bearer ${this.account.apiKey}` };
    return askCarrier({ ...question, carrier: 'telnyx', url: `${this.account.apiUrl}/v2${path}`, headers, fetch: this.fetch });
  }
}

/** The stream parameters. Without the mode, nothing we send is heard; the codec is set for both directions, since otherwise the call's own applies. */
function streamOf(mediaUrl: string): object {
  return {
    stream_url: mediaUrl,
    stream_track: 'inbound_track',
    stream_codec: 'PCMU',
    stream_bidirectional_mode: 'rtp',
    stream_bidirectional_codec: 'PCMU',
    stream_bidirectional_sampling_rate: 8000,
  };
}

const part = encodeURIComponent;

const driftSeconds = 300;
/** The DER prefix of a 32-byte Ed25519 key. */
const ed25519Prefix = Buffer.from('302a300506032b6570032100', 'hex');

const Text = z.string().optional().catch(undefined);
const Event = z.object({
  data: z.object({
    event_type: z.string(),
    payload: z.object({
      call_control_id: z.string(),
      connection_id: Text,
      from: Text,
      to: Text,
      direction: Text,
      client_state: Text,
      hangup_cause: Text,
      sip_hangup_cause: Text,
      result: Text,
      start_time: Text,
      end_time: Text,
      recording_urls: z.object({ mp3: Text, wav: Text }).optional().catch(undefined),
    }),
  }),
});
type Payload = z.output<typeof Event>['data']['payload'];

const ends: Readonly<Record<string, CarrierCallState>> = {
  normal_clearing: 'completed',
  time_limit: 'completed',
  user_busy: 'busy',
  call_rejected: 'declined',
  timeout: 'no-answer',
  no_answer: 'no-answer',
  originator_cancel: 'cancelled',
};

/** Parses the public key of an account, as shown by the portal; undefined if it is invalid. */
export function telnyxKey(base64: string): KeyObject | undefined {
  const raw = Buffer.from(base64, 'base64');
  if (raw.length !== 32) return undefined;
  return createPublicKey({ key: Buffer.concat([ed25519Prefix, raw]), format: 'der', type: 'spki' });
}

/** Telnyx's webhooks. Calls are controlled by API requests, which `answer` sends. */
export class TelnyxWebhooks implements Webhooks {
  readonly acknowledged = jsonReply({});
  private readonly key: KeyObject | undefined;

  constructor(
    publicKey: string,
    private readonly control: TelnyxControl,
    private readonly connectionId: string,
  ) {
    this.key = telnyxKey(publicKey);
  }

  verify(request: CarrierRequest, now: Date): WebhookVerdict {
    const signature = headerOf(request, 'telnyx-signature-ed25519');
    const timestamp = headerOf(request, 'telnyx-timestamp');
    if (signature === undefined || timestamp === undefined) return refused('the request is not signed');
    if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now.getTime() / 1000 - Number(timestamp)) > driftSeconds) {
      return refused('the signature is not of now');
    }
    const text = Buffer.concat([Buffer.from(`${timestamp}|`), request.body]);
    const isSigned = this.key !== undefined && verify(null, text, this.key, Buffer.from(signature, 'base64'));
    if (!isSigned) return refused('the signature is not one of this key');
    const named = Event.safeParse(jsonBodyOf(request)).data?.data.payload.connection_id;
    return ofAccount(genuine(`telnyx ${signature}`), named, this.connectionId);
  }

  /** Telnyx does not sign the upgrade, so a stream is admitted by the token in its path. */
  verifyUpgrade(): WebhookVerdict {
    return genuine();
  }

  read(request: CarrierRequest): readonly CallNotice[] {
    const event = Event.safeParse(jsonBodyOf(request)).data;
    return event ? noticesOf(event.data.event_type, event.data.payload) : [];
  }

  async answer(callId: string, plan: AnswerPlan, signal?: AbortSignal): Promise<WebhookReply> {
    if (plan.kind === 'connect') await this.control.answer(callId, plan, signal);
    else if (plan.kind === 'refuse') await this.control.reject(callId, plan.reason, signal);
    else if (plan.kind === 'hang-up') await this.control.end(callId, signal);
    else await this.control.transfer({ ...plan, callId, documentUrl: plan.afterUrl, ...(signal && { signal }) });
    return this.acknowledged;
  }
}

function noticesOf(type: string, payload: Payload): CallNotice[] {
  const { call_control_id: callId, from = '', to = '', result = '' } = payload;
  const isIncoming = payload.direction === 'incoming';
  const known = { callId, ...referenceOf(payload) };
  switch (type) {
    case 'call.initiated':
      return isIncoming ? [{ kind: 'incoming', callId, from, to }] : [{ kind: 'state', ...known, state: 'ringing' }];
    case 'call.answered':
      return [{ kind: 'state', ...known, state: 'answered' }];
    case 'call.hangup':
      return [{ kind: 'state', ...known, ...endOf(payload) }];
    case 'call.machine.detection.ended':
    case 'call.machine.premium.detection.ended':
      return [{ kind: 'machine', callId, answeredBy: answererOf(result), isAfterBeep: false }];
    case 'call.machine.greeting.ended':
    case 'call.machine.premium.greeting.ended':
      return [{ kind: 'machine', callId, answeredBy: 'machine', isAfterBeep: true }];
    case 'call.recording.saved': {
      const url = payload.recording_urls?.mp3 ?? payload.recording_urls?.wav;
      return url === undefined ? [] : [{ kind: 'recording', callId, url }];
    }
    default:
      return [];
  }
}

function endOf({ hangup_cause: cause, sip_hangup_cause: code, start_time, end_time }: Payload) {
  const seconds = Math.round((Date.parse(end_time ?? '') - Date.parse(start_time ?? '')) / 1000);
  const state = ends[cause ?? ''] ?? 'failed';
  return {
    state,
    ...endSaid(state, { words: cause, code }),
    ...(seconds >= 0 && { durationSeconds: seconds }),
  } as const;
}

/** Decodes our reference, which is returned in base64. */
function referenceOf({ client_state }: Payload): { reference?: string } {
  return client_state === undefined || client_state === ''
    ? {}
    : { reference: Buffer.from(client_state, 'base64').toString('utf8') };
}

function answererOf(result: string): 'human' | 'machine' | 'fax' | 'unknown' {
  if (result.startsWith('human')) return 'human';
  if (result === 'machine') return 'machine';
  return result === 'fax_detected' ? 'fax' : 'unknown';
}
