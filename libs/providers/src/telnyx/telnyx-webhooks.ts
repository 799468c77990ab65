import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { AnswerPlan, CallNotice, CarrierCallState, CarrierRequest, Verdict, WebhookReply, Webhooks } from '@parley/ports';
import { z } from 'zod';
import { genuine, headerOf, jsonBodyOf, jsonReply, refused } from '../carrier-http';
import type { TelnyxControl } from './telnyx-control';

const driftSeconds = 300;
/** What stands before the 32 bytes of an Ed25519 key in DER. */
const ed25519Prefix = Buffer.from('302a300506032b6570032100', 'hex');

const Text = z.string().optional().catch(undefined);
const Event = z.object({
  data: z.object({
    event_type: z.string(),
    payload: z.object({
      call_control_id: z.string(),
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
  call_rejected: 'busy',
  timeout: 'no-answer',
  no_answer: 'no-answer',
  originator_cancel: 'cancelled',
};

/** The public key of an account, as its portal shows it; undefined when it is none. */
export function telnyxKey(base64: string): KeyObject | undefined {
  const raw = Buffer.from(base64, 'base64');
  if (raw.length !== 32) return undefined;
  return createPublicKey({ key: Buffer.concat([ed25519Prefix, raw]), format: 'der', type: 'spki' });
}

/** Telnyx's webhooks. It is answered by commands, so `answer` gives them. */
export class TelnyxWebhooks implements Webhooks {
  readonly acknowledged = jsonReply({});
  private readonly key: KeyObject | undefined;

  constructor(
    publicKey: string,
    private readonly control: TelnyxControl,
  ) {
    this.key = telnyxKey(publicKey);
  }

  verify(request: CarrierRequest, now: Date): Verdict {
    const signature = headerOf(request, 'telnyx-signature-ed25519');
    const timestamp = headerOf(request, 'telnyx-timestamp');
    if (signature === undefined || timestamp === undefined) return refused('the request is not signed');
    if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now.getTime() / 1000 - Number(timestamp)) > driftSeconds) {
      return refused('the signature is not of now');
    }
    const text = Buffer.concat([Buffer.from(`${timestamp}|`), request.body]);
    const isSigned = this.key !== undefined && verify(null, text, this.key, Buffer.from(signature, 'base64'));
    return isSigned ? genuine(`telnyx ${signature}`) : refused('the signature is not one of this key');
  }

  /** Telnyx signs no upgrade: the token in the path is what admits a stream. */
  verifyUpgrade(): Verdict {
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
  return {
    state: ends[cause ?? ''] ?? 'failed',
    ...(cause !== undefined && { cause }),
    ...(code !== undefined && { code }),
    ...(seconds >= 0 && { durationSeconds: seconds }),
  } as const;
}

/** What a call was placed with comes back in base64. */
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
