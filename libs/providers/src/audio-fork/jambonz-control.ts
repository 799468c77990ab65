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
import { answerIn, askCarrier, type CarrierAnswer, type CarrierQuestion } from '../carrier-http';
import { jambonzState } from './jambonz-webhooks';

/** jambonz gives our reference back as the tag of a call, yet lists live calls by their numbers only. */
export const jambonzControlCapabilities: ControlCapabilities = {
  placeIsIdempotent: false,
  finds: 'by-numbers',
  transfers: 'command',
  sendsDigits: false,
  ends: true,
  detectsMachines: true,
};

const Placed = z.object({ sid: z.string() });
const Call = z.object({
  call_sid: z.string(),
  call_status: z.string(),
  from: z.string().nullish(),
  to: z.string().nullish(),
  duration: z.number().nullish(),
});

interface Account {
  readonly apiUrl: string;
  readonly accountSid: string;
  readonly apiKey: string;
}
type Ask = Pick<CarrierQuestion, 'method' | 'json' | 'signal' | 'expects'> & { readonly path: string };

/** Commands to the REST API of jambonz. */
export class JambonzControl implements CallControl {
  readonly capabilities = jambonzControlCapabilities;

  constructor(
    private readonly account: Account,
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
    const calls = answerIn(z.array(Call), await this.ask({ method: 'GET', path: `/Calls?${query}`, signal }), 'jambonz');
    const call = calls.find(({ from, to }) => from === search.from && to === search.to);
    return call && { ...found(call), isExact: false };
  }

  /** Reads the account, which costs nothing. */
  async test(signal?: AbortSignal): Promise<void> {
    await this.ask({ method: 'GET', path: '', signal });
  }

  private ask({ path, ...question }: Ask): Promise<CarrierAnswer> {
    const { apiUrl, accountSid, apiKey } = this.account;
    const headers = { authorization: `Bearer ${apiKey}` };
    const url = `${apiUrl}/v1/Accounts/${part(accountSid)}${path}`;
    return askCarrier({ ...question, carrier: 'jambonz', url, headers, fetch: this.fetch });
  }
}

function found({ call_sid: callId, call_status: cause, duration }: z.output<typeof Call>): Omit<FoundCall, 'isExact'> {
  return {
    callId,
    state: jambonzState(cause) ?? 'failed',
    cause,
    ...(typeof duration === 'number' && { durationSeconds: duration }),
  };
}

const part = encodeURIComponent;
