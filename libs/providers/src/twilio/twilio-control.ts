import type {
  CallControl,
  CallSearch,
  ControlCapabilities,
  FoundCall,
  PlacedCall,
  PlaceRequest,
  TransferRequest,
} from '@parley/ports';
import { z } from 'zod';
import { answerIn, askCarrier, basicAuth, carrierTime, type CarrierAnswer, type CarrierQuestion, newest } from '../carrier-http';
import { twilioState, twiml } from './twilio-webhooks';

/** Twilio takes no name of ours for a call, so after a crash one is found by its numbers and time. */
export const twilioControlCapabilities: ControlCapabilities = {
  placeIsIdempotent: false,
  finds: 'by-numbers',
  transfers: 'command',
  sendsDigits: false,
  ends: true,
  detectsMachines: true,
};

const Call = z.object({
  sid: z.string(),
  status: z.string(),
  duration: z.string().nullish(),
  date_created: z.string().nullish(),
});
const Calls = z.object({ calls: z.array(Call) });

interface Account {
  readonly accountSid: string;
  readonly authToken: string;
  readonly apiUrl: string;
}

/** Commands to Twilio's REST API. */
export class TwilioControl implements CallControl {
  readonly capabilities = twilioControlCapabilities;

  constructor(
    private readonly account: Account,
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

  /** A call that is over is answered with 404, code 20404. */
  async end(callId: string, signal?: AbortSignal): Promise<void> {
    await this.ask({
      method: 'POST',
      path: `/Calls/${part(callId)}.json`,
      form: { Status: 'completed' },
      signal,
      expects: [404],
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
    const { calls } = answerIn(Calls, await this.ask({ method: 'GET', path: `/Calls.json?${query}`, signal }), 'twilio');
    return newest(
      calls.map((call) => ({ ...found(call), atMs: carrierTime(call.date_created) })),
      search.placedAfter,
    );
  }

  /** Reads the account, which costs nothing. */
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
  const durationSeconds = Number(duration ?? Number.NaN);
  return {
    callId: sid,
    state: twilioState(status) ?? 'failed',
    cause: status,
    ...(Number.isFinite(durationSeconds) && { durationSeconds }),
  };
}

const part = encodeURIComponent;
