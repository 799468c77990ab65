import { createHash } from 'node:crypto';
import type { AnswerPlan, CallNotice, CarrierCallState, CarrierRequest, Verdict, WebhookReply, Webhooks } from '@parley/ports';
import { z } from 'zod';
import { emptyReply, fieldsOf, genuine, headerOf, isSame, jsonBodyOf, jsonReply, queryOf, refused } from '../carrier-http';
import { vonageClaims } from './vonage-token';

const states: Readonly<Record<string, CarrierCallState>> = {
  started: 'queued',
  ringing: 'ringing',
  answered: 'answered',
  completed: 'completed',
  busy: 'busy',
  rejected: 'busy',
  timeout: 'no-answer',
  unanswered: 'no-answer',
  cancelled: 'cancelled',
  failed: 'failed',
};

/** Vonage's word for a state of a call. */
export function vonageState(word: string | null | undefined): CarrierCallState | undefined {
  return word ? states[word] : undefined;
}

/** A field in the query of the answer address of calls that we placed. */
export const outboundMark = 'placed';

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

  constructor(private readonly signatureSecret: string) {}

  /** The token claims the hash of the body, so that one token serves no other request. */
  verify(request: CarrierRequest, now: Date): Verdict {
    const token = /^Bearer\s+(\S+)$/i.exec(headerOf(request, 'authorization') ?? '')?.[1];
    if (token === undefined) return refused('the request is not signed');
    const claims = vonageClaims(token, this.signatureSecret, now);
    if (typeof claims === 'string') return refused(claims);
    if (request.body.length > 0 && !isSame(claims.payload_hash ?? '', createHash('sha256').update(request.body).digest('hex'))) {
      return refused('the body is not the one that was signed');
    }
    return genuine(claims.jti === undefined ? undefined : `vonage ${claims.jti}`);
  }

  /** Signed in the same way, because our NCCO asks for it. */
  verifyUpgrade(request: CarrierRequest, now: Date): Verdict {
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

interface Asking {
  readonly asked: 'answer' | 'status' | undefined;
  readonly isPlaced: boolean;
}

function noticesOf(callId: string, event: Event, { asked, isPlaced }: Asking): CallNotice[] {
  if (event.recording_url !== undefined) return [{ kind: 'recording', callId, url: event.recording_url }];
  if (event.status === 'machine' || event.status === 'human') {
    const isAfterBeep = event.sub_state === 'beep_start' || event.sub_state === 'beep_timeout';
    return [{ kind: 'machine', callId, answeredBy: event.status, isAfterBeep }];
  }
  const state = vonageState(event.status);
  // Progress bears a status; whoever asks what to do bears none.
  if (asked !== 'status' && event.status === undefined && event.from !== undefined && event.to !== undefined) {
    return [{ kind: isPlaced ? 'answering' : 'incoming', callId, from: event.from, to: event.to }];
  }
  if (state === undefined) return [];
  const durationSeconds = Number(event.duration ?? Number.NaN);
  return [
    {
      kind: 'state',
      callId,
      state,
      cause: event.detail ?? event.status ?? state,
      ...(event.sip_code !== undefined && { code: event.sip_code }),
      ...(Number.isFinite(durationSeconds) && { durationSeconds }),
    },
  ];
}

/** What Vonage shall do with a call. */
export function ncco(plan: AnswerPlan): object[] {
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
