import { createHmac } from 'node:crypto';
import type { AnswerPlan, CallNotice, CarrierCallState, CarrierRequest, Verdict, WebhookReply, Webhooks } from '@parley/ports';
import { z } from 'zod';
import { bySecret, emptyReply, genuine, headerOf, isSame, jsonBodyOf, jsonReply, refused } from '../carrier-http';

const driftSeconds = 300;
const states: Readonly<Record<string, CarrierCallState>> = {
  trying: 'queued',
  queued: 'queued',
  ringing: 'ringing',
  'early-media': 'ringing',
  'in-progress': 'answered',
  completed: 'completed',
  busy: 'busy',
  'no-answer': 'no-answer',
  failed: 'failed',
};

/** jambonz's word for a state of a call. */
export function jambonzState(word: string | null | undefined): CarrierCallState | undefined {
  return word ? states[word] : undefined;
}

const Text = z
  .union([z.string(), z.number().transform(String)])
  .nullish()
  .catch(undefined);
const Event = z.object({
  call_sid: z.string(),
  call_status: Text,
  dial_call_status: Text,
  direction: Text,
  from: Text,
  to: Text,
  duration: Text,
  sip_status: Text,
  sip_reason: Text,
  type: Text,
  tag: z.object({ reference: z.string() }).nullish().catch(undefined),
});
type Event = z.output<typeof Event>;

/** The webhooks of jambonz: signed with the account's webhook secret, answered with an application of verbs. */
export class JambonzWebhooks implements Webhooks {
  readonly acknowledged = emptyReply;

  constructor(private readonly secret: string) {}

  /** `t=<seconds>,v1=<hmac>`; an installation that signs nothing sends the secret by basic authentication instead. */
  verify(request: CarrierRequest, now: Date): Verdict {
    const header = headerOf(request, 'jambonz-signature');
    if (header === undefined) return bySecret(request, this.secret);
    const time = /(?:^|,)t=(\d{1,13})/.exec(header)?.[1];
    const given = [...header.matchAll(/v1=([0-9a-f]{64})/g)].map((found) => found[1] ?? '');
    if (time === undefined || given.length === 0) return refused('the signature is none of jambonz');
    const seconds = Number(time) > 1e11 ? Number(time) / 1000 : Number(time);
    if (Math.abs(now.getTime() / 1000 - seconds) > driftSeconds) return refused('the signature is not of now');
    const text = Buffer.concat([Buffer.from(`${time}.`), request.body]);
    const expected = createHmac('sha256', this.secret).update(text).digest('hex');
    return given.some((one) => isSame(one, expected)) ? genuine(`jambonz ${expected}`) : refused('the signature is another');
  }

  /** The `listen` verb is given the secret as password of its handshake. */
  verifyUpgrade(request: CarrierRequest): Verdict {
    return bySecret(request, this.secret);
  }

  read(request: CarrierRequest, asked?: 'answer' | 'status'): readonly CallNotice[] {
    const event = Event.safeParse(jsonBodyOf(request)).data;
    return event ? noticesOf(event, asked) : [];
  }

  async answer(_callId: string, plan: AnswerPlan): Promise<WebhookReply> {
    return jsonReply(this.verbsOf(plan));
  }

  private verbsOf(plan: AnswerPlan): object[] {
    switch (plan.kind) {
      case 'connect': {
        const listen = {
          verb: 'listen',
          url: plan.mediaUrl,
          sampleRate: 8000,
          mixType: 'mono',
          passDtmf: true,
          bidirectionalAudio: { enabled: true, streaming: true, sampleRate: 8000 },
          wsAuth: { username: 'parley', password: this.secret },
          metadata: plan.parameters ?? {},
        };
        return [{ verb: 'answer' }, listen, { verb: 'hangup' }];
      }
      case 'transfer': {
        const target = plan.to.startsWith('sip:') ? { type: 'sip', sipUri: plan.to } : { type: 'phone', number: plan.to };
        const { from: callerId, ringSeconds: timeout, afterUrl: actionHook } = plan;
        return [{ verb: 'dial', callerId, answerOnBridge: true, timeout, actionHook, target: [target] }];
      }
      case 'refuse':
        return [{ verb: 'sip:decline', status: plan.reason === 'busy' ? 486 : 603 }];
      case 'hang-up':
        return [{ verb: 'hangup' }];
    }
  }
}

function noticesOf(event: Event, asked: 'answer' | 'status' | undefined): CallNotice[] {
  const { call_sid: callId, tag } = event;
  const [from, to] = [event.from ?? '', event.to ?? ''];
  const state = jambonzState(event.call_status);
  if (event.dial_call_status) {
    return [{ kind: 'continuing', callId, transfer: event.dial_call_status === 'completed' ? 'answered' : 'unanswered' }];
  }
  if (event.type?.startsWith('amd_')) return machineNotices(callId, event.type);
  const isInbound = event.direction === 'inbound';
  const asks = asked === 'answer' || (asked === undefined && isInbound && event.call_status === 'trying');
  if (asks) return [{ kind: isInbound ? 'incoming' : 'answering', callId, from, to }];
  if (state === undefined) return [];
  const seconds = Number(event.duration ?? Number.NaN);
  return [
    {
      kind: 'state',
      callId,
      state,
      cause: event.sip_reason ?? state,
      ...(tag && { reference: tag.reference }),
      ...(event.sip_status && { code: event.sip_status }),
      ...(Number.isFinite(seconds) && { durationSeconds: seconds }),
    },
  ];
}

function machineNotices(callId: string, type: string): CallNotice[] {
  if (type === 'amd_human_detected') return [{ kind: 'machine', callId, answeredBy: 'human', isAfterBeep: false }];
  if (type === 'amd_machine_detected') return [{ kind: 'machine', callId, answeredBy: 'machine', isAfterBeep: false }];
  const isAfterBeep = type === 'amd_machine_stopped_speaking' || type === 'amd_tone_detected';
  return isAfterBeep ? [{ kind: 'machine', callId, answeredBy: 'machine', isAfterBeep }] : [];
}
