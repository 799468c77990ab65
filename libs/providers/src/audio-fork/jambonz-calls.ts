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
  bySecret,
  type CarrierAnswer,
  type PathQuestion,
  durationOf,
  emptyReply,
  genuine,
  headerOf,
  isSame,
  jsonBodyOf,
  jsonReply,
  ofAccount,
  refused,
} from '../carrier-http';

/** jambonz returns our reference as the tag of a call, but lists live calls only with their numbers. */
export const jambonzControlCapabilities: ControlCapabilities = {
  placeIsIdempotent: false,
  finds: 'by-numbers',
  transfers: 'command',
  sendsDigits: false,
  ends: true,
  detectsMachines: true,
  dials: 'anything',
  dialsAddresses: true,
};

const Placed = z.object({ sid: z.string() });
const Call = z.object({
  call_sid: z.string(),
  call_status: z.string(),
  from: z.string().nullish(),
  to: z.string().nullish(),
  duration: z.number().nullish(),
});

interface JambonzAccount {
  readonly apiUrl: string;
  readonly accountSid: string;
  readonly apiKey: string;
}
/** Commands to the REST API of jambonz. */
export class JambonzControl implements CallControl {
  readonly capabilities = jambonzControlCapabilities;

  constructor(
    private readonly account: JambonzAccount,
    private readonly fetch: typeof globalThis.fetch | undefined,
  ) {}

  async place(request: PlaceRequest): Promise<PlacedCall> {
    const json = {
      call_hook: { url: request.answerUrl, method: 'POST' },
      call_status_hook: { url: request.statusUrl, method: 'POST' },
      from: request.from,
      to: request.to.startsWith('sip:') ? { type: 'sip', sipUri: request.to } : { type: 'phone', number: request.to },
      timeout: request.ringSeconds,
      timeLimit: request.secondsMax,
      tag: { reference: request.reference },
      ...(request.detectMachine && { amd: { actionHook: request.statusUrl } }),
    };
    const { sid } = answerIn(Placed, await this.ask({ method: 'POST', path: '/Calls', json, signal: request.signal }), 'jambonz');
    return { callId: sid, state: 'queued' };
  }

  async end(callId: string, signal?: AbortSignal): Promise<void> {
    const json = { call_status: 'completed' };
    await this.ask({ method: 'PUT', path: `/Calls/${part(callId)}`, json, signal, expects: [404, 480] });
  }

  async transfer({ callId, documentUrl, signal }: TransferRequest): Promise<void> {
    const json = { call_hook: { url: documentUrl, method: 'POST' } };
    await this.ask({ method: 'PUT', path: `/Calls/${part(callId)}`, json, signal });
  }

  async find(search: CallSearch, signal?: AbortSignal): Promise<FoundCall | undefined> {
    if ('callId' in search) {
      const answer = await this.ask({ method: 'GET', path: `/Calls/${part(search.callId)}`, signal, expects: [404] });
      return answer.status === 404 ? undefined : { ...found(answerIn(Call, answer, 'jambonz')), isExact: true };
    }
    const query = new URLSearchParams({ direction: 'outbound', from: search.from, to: search.to });
    const calls = answerIn(
      z.array(Call),
      await this.ask({ method: 'GET', path: `/Calls?${query.toString()}`, signal }),
      'jambonz',
    );
    const call = calls.find(({ from, to }) => from === search.from && to === search.to);
    return call && { ...found(call), isExact: false };
  }

  /** Checks the credentials by reading the account, which is free of charge. */
  async test(signal?: AbortSignal): Promise<void> {
    await this.ask({ method: 'GET', path: '', signal });
  }

  private ask({ path, ...question }: PathQuestion): Promise<CarrierAnswer> {
    const { apiUrl, accountSid, apiKey } = this.account;
    const headers = { authorization: `Bearer ${apiKey}` };
    const url = `${apiUrl}/v1/Accounts/${part(accountSid)}${path}`;
    return askCarrier({ ...question, carrier: 'jambonz', url, headers, fetch: this.fetch });
  }
}

function found({ call_sid: callId, call_status: status, duration }: z.output<typeof Call>): Omit<FoundCall, 'isExact'> {
  const state = jambonzState(status) ?? 'failed';
  return {
    callId,
    state,
    ...endSaid(state, { words: status }),
    ...durationOf(duration),
  };
}

const part = encodeURIComponent;

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

/** The state of a call, in jambonz's terms. */
function jambonzState(word: string | null | undefined): CarrierCallState | undefined {
  return word ? states[word] : undefined;
}

const Text = z
  .union([z.string(), z.number().transform(String)])
  .nullish()
  .catch(undefined);
const Event = z.object({
  call_sid: z.string(),
  account_sid: Text,
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

/** The webhooks of jambonz, signed with the account's webhook secret and answered with verbs. */
export class JambonzWebhooks implements Webhooks {
  readonly acknowledged = emptyReply;

  constructor(
    private readonly secret: string,
    private readonly accountSid = '',
  ) {}

  /** Checks a signature `t=<seconds>,v1=<hmac>`, or, from installations that do not sign, the secret by basic authentication. */
  verify(request: CarrierRequest, now: Date): WebhookVerdict {
    const verdict = this.judge(request, now);
    const named = Event.safeParse(jsonBodyOf(request)).data?.account_sid;
    return this.accountSid === '' ? verdict : ofAccount(verdict, named, this.accountSid);
  }

  private judge(request: CarrierRequest, now: Date): WebhookVerdict {
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

  /** Checks the password of the handshake, which we set to the secret in the `listen` verb. */
  verifyUpgrade(request: CarrierRequest): WebhookVerdict {
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
    const untaken = event.dial_call_status === 'busy' ? 'refused' : 'unanswered';
    return [{ kind: 'continuing', callId, transfer: event.dial_call_status === 'completed' ? 'answered' : untaken }];
  }
  if (event.type?.startsWith('amd_')) return machineNotices(callId, event.type);
  const isInbound = event.direction === 'inbound';
  const asks = asked === 'answer' || (asked === undefined && isInbound && event.call_status === 'trying');
  if (asks) return [{ kind: isInbound ? 'incoming' : 'answering', callId, from, to }];
  if (state === undefined) return [];
  return [
    {
      kind: 'state',
      callId,
      state,
      ...(tag && { reference: tag.reference }),
      ...endSaid(state, { words: event.sip_reason, code: event.sip_status }),
      ...durationOf(event.duration),
    },
  ];
}

function machineNotices(callId: string, type: string): CallNotice[] {
  if (type === 'amd_human_detected') return [{ kind: 'machine', callId, answeredBy: 'human', isAfterBeep: false }];
  if (type === 'amd_machine_detected') return [{ kind: 'machine', callId, answeredBy: 'machine', isAfterBeep: false }];
  const isAfterBeep = type === 'amd_machine_stopped_speaking' || type === 'amd_tone_detected';
  return isAfterBeep ? [{ kind: 'machine', callId, answeredBy: 'machine', isAfterBeep }] : [];
}
