import type { AnswerPlan, CallNotice, CarrierCallState, CarrierRequest, Verdict, WebhookReply, Webhooks } from '@parley/ports';
import { z } from 'zod';
import { bySecret, emptyReply, fieldsOf, genuine, jsonBodyOf, jsonReply } from '../carrier-http';

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

/** Exotel's word for a state of a call. */
export function exotelState(word: string | null | undefined): CarrierCallState | undefined {
  return word ? states[word.toLowerCase()] : undefined;
}

const Fields = z.record(z.string(), z.unknown()).transform((all) => {
  const texts = new URLSearchParams();
  for (const [name, value] of Object.entries(all)) {
    if (typeof value === 'string' || typeof value === 'number') texts.append(name, String(value));
  }
  return texts;
});

/** Exotel signs nothing, so its requests bear a secret: in the Authorization header or as `key` in the address. */
export class ExotelWebhooks implements Webhooks {
  readonly acknowledged = emptyReply;

  constructor(private readonly secret: string) {}

  verify(request: CarrierRequest): Verdict {
    return bySecret(request, this.secret);
  }

  /** The token in the path is what admits a stream; nothing else is sent along. */
  verifyUpgrade(): Verdict {
    return genuine();
  }

  read(request: CarrierRequest, asked?: 'answer' | 'status'): readonly CallNotice[] {
    const json = Fields.safeParse(jsonBodyOf(request)).data;
    const fields = json && [...json].length > 0 ? json : fieldsOf(request);
    const callId = fields.get('CallSid');
    return callId === null ? [] : noticesOf(callId, fields, asked);
  }

  /** The Voicebot applet asks for an address, the Connect applet for a number. An empty address ends the flow. */
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

function noticesOf(callId: string, fields: URLSearchParams, asked: 'answer' | 'status' | undefined): CallNotice[] {
  const recordingUrl = fields.get('RecordingUrl');
  const state = exotelState(
    fields.get('EventType') === 'answered' ? 'in-progress' : (fields.get('Status') ?? fields.get('CallStatus')),
  );
  const [from, to] = [fields.get('CallFrom') ?? fields.get('From') ?? '', fields.get('CallTo') ?? fields.get('To') ?? ''];
  const dialled = fields.get('DialCallStatus');
  const asks = asked === 'answer' || (asked === undefined && fields.has('CallFrom') && !fields.has('EventType'));
  if (dialled && asks) return [{ kind: 'continuing', callId, transfer: dialled === 'completed' ? 'answered' : 'unanswered' }];
  if (asks) return [{ kind: fields.get('Direction')?.startsWith('outbound') ? 'answering' : 'incoming', callId, from, to }];
  const notices: CallNotice[] = [];
  const reference = fields.get('CustomField');
  const seconds = Number(fields.get('ConversationDuration') ?? Number.NaN);
  if (state) {
    notices.push({
      kind: 'state',
      callId,
      state,
      cause: fields.get('Status') ?? state,
      ...(reference && { reference }),
      ...(Number.isFinite(seconds) && { durationSeconds: seconds }),
    });
  }
  if (recordingUrl) notices.push({ kind: 'recording', callId, url: recordingUrl });
  return notices;
}
