import {
  type AnswerPlan,
  type CallNotice,
  type CarrierCallState,
  type CarrierRequest,
  mediaTokenOf,
  type Verdict,
  type WebhookReply,
  type Webhooks,
} from '@parley/ports';
import { bySecret, fieldsOf, genuine } from '../carrier-http';

/** Q.850 causes as `HANGUPCAUSE` gives them. */
const ends: Readonly<Record<string, { state: CarrierCallState; cause: string }>> = {
  '16': { state: 'completed', cause: 'normal clearing' },
  '17': { state: 'busy', cause: 'busy' },
  '18': { state: 'no-answer', cause: 'no user responding' },
  '19': { state: 'no-answer', cause: 'no answer' },
  '21': { state: 'busy', cause: 'call rejected' },
  '1': { state: 'failed', cause: 'unallocated number' },
  '28': { state: 'failed', cause: 'invalid number format' },
  '34': { state: 'failed', cause: 'no circuit available' },
  '38': { state: 'failed', cause: 'network out of order' },
};
const events: Readonly<Record<string, CarrierCallState>> = { ringing: 'ringing', answered: 'answered' };

/**
 * What a dialplan asks and tells by `CURL`: a form with `channel`, `from`, `to`, `event` (incoming, ringing, answered, ended,
 * continuing), `cause` and `reference`, and the secret. It is answered with one line of plain words, easy to cut in a dialplan.
 */
export class AsteriskWebhooks implements Webhooks {
  readonly acknowledged: WebhookReply = plain('ok');

  constructor(private readonly secret: string) {}

  verify(request: CarrierRequest): Verdict {
    return bySecret(request, this.secret);
  }

  /** The token is what admits a WebSocket. */
  verifyUpgrade(): Verdict {
    return genuine();
  }

  read(request: CarrierRequest): readonly CallNotice[] {
    const fields = fieldsOf(request);
    const callId = fields.get('channel');
    return callId ? noticesOf(callId, fields) : [];
  }

  /** `connect <token>`, `dial <number> <seconds> <caller>`, `busy`, `hangup`. */
  async answer(_callId: string, plan: AnswerPlan): Promise<WebhookReply> {
    switch (plan.kind) {
      case 'connect':
        return plain(`connect ${mediaTokenOf({ path: plan.mediaUrl })}`);
      case 'transfer':
        return plain(`dial ${dialable(plan.to)} ${plan.ringSeconds} ${dialable(plan.from)}`);
      case 'refuse':
        return plain(plan.reason === 'busy' ? 'busy' : 'hangup');
      case 'hang-up':
        return plain('hangup');
    }
  }
}

function noticesOf(callId: string, fields: URLSearchParams): CallNotice[] {
  const event = fields.get('event') ?? '';
  const state = events[event];
  const reference = fields.get('reference');
  const known = { callId, ...(reference && { reference }) };
  if (event === 'incoming') return [{ kind: 'incoming', callId, from: fields.get('from') ?? '', to: fields.get('to') ?? '' }];
  if (event === 'continuing') {
    const dialled = fields.get('dialled');
    return [{ kind: 'continuing', callId, transfer: !dialled ? 'none' : dialled === 'ANSWER' ? 'answered' : 'unanswered' }];
  }
  if (state !== undefined) return [{ kind: 'state', ...known, state }];
  if (event !== 'ended') return [];
  const code = fields.get('cause') ?? '';
  const seconds = Number(fields.get('seconds') || Number.NaN);
  const end = ends[code] ?? { state: 'failed', cause: `Q.850 cause ${code.slice(0, 10)}` };
  return [{ kind: 'state', ...known, ...end, code, ...(Number.isFinite(seconds) && { durationSeconds: seconds }) }];
}

/** Signs that mean something to a dialplan are left out. */
function dialable(number: string): string {
  return number.replace(/[^0-9+*#a-zA-Z@.:_-]/g, '');
}

function plain(body: string): WebhookReply {
  return { status: 200, contentType: 'text/plain', body };
}
