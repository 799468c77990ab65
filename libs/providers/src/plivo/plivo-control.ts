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
import {
  answerIn,
  askCarrier,
  basicAuth,
  type CarrierAnswer,
  type CarrierQuestion,
  carrierTime,
  e164Digits,
  newest,
} from '../carrier-http';
import { plivoState } from './plivo-webhooks';

/** Plivo takes no name of ours for a call, so after a crash one is found by its numbers and time. */
export const plivoControlCapabilities: ControlCapabilities = {
  placeIsIdempotent: false,
  finds: 'by-numbers',
  transfers: 'command',
  sendsDigits: true,
  ends: true,
  detectsMachines: true,
};

const Placed = z.object({ request_uuid: z.union([z.string(), z.array(z.string()).min(1)]) });
const LiveCall = z.object({
  call_status: z.string(),
  from: z.string().nullish(),
  to: z.string().nullish(),
  session_start: z.string().nullish(),
});
const LiveCalls = z.object({ calls: z.array(z.string()) });
const EndedCall = z.object({
  call_uuid: z.string(),
  call_duration: z.number().nullish(),
  hangup_cause_name: z.string().nullish(),
  hangup_cause_code: z.number().nullish(),
  initiation_time: z.string().nullish(),
  end_time: z.string().nullish(),
});
const EndedCalls = z.object({ objects: z.array(EndedCall) });
/** Live calls that are looked into one by one when an attempt is looked for. */
const liveCallsMax = 20;

interface Account {
  readonly authId: string;
  readonly authToken: string;
  readonly apiUrl: string;
}
type Ask = Pick<CarrierQuestion, 'method' | 'json' | 'signal' | 'expects'> & { readonly path: string };

/** Commands to Plivo's API. */
export class PlivoControl implements CallControl {
  readonly capabilities = plivoControlCapabilities;

  constructor(
    private readonly account: Account,
    private readonly fetch: typeof globalThis.fetch | undefined,
  ) {}

  async place(request: PlaceRequest): Promise<PlacedCall> {
    const { statusUrl } = request;
    const json = {
      from: e164Digits(request.from),
      to: request.to.startsWith('sip:') ? request.to : e164Digits(request.to),
      answer_url: request.answerUrl,
      answer_method: 'POST',
      ring_url: statusUrl,
      ring_method: 'POST',
      hangup_url: statusUrl,
      hangup_method: 'POST',
      ring_timeout: request.ringSeconds,
      time_limit: request.secondsMax,
      ...(request.detectMachine && {
        machine_detection: 'true',
        machine_detection_url: statusUrl,
        machine_detection_method: 'POST',
      }),
    };
    const answer = await this.ask({ method: 'POST', path: '/Call/', json, signal: request.signal });
    const { request_uuid } = answerIn(Placed, answer, 'plivo');
    return { callId: [request_uuid].flat()[0] ?? '', state: 'queued' };
  }

  async end(callId: string, signal?: AbortSignal): Promise<void> {
    await this.ask({ method: 'DELETE', path: `/Call/${part(callId)}/`, signal, expects: [404] });
  }

  async transfer({ callId, documentUrl, signal }: TransferRequest): Promise<void> {
    const json = { legs: 'aleg', aleg_url: documentUrl, aleg_method: 'POST' };
    await this.ask({ method: 'POST', path: `/Call/${part(callId)}/`, json, signal });
  }

  async sendDigits(callId: string, digits: string, signal?: AbortSignal): Promise<void> {
    await this.ask({ method: 'POST', path: `/Call/${part(callId)}/DTMF/`, json: { digits, leg: 'aleg' }, signal });
  }

  async find(search: CallSearch, signal?: AbortSignal): Promise<FoundCall | undefined> {
    if (!('callId' in search)) return this.findByNumbers(search, signal);
    const { callId } = search;
    const live = await this.live(callId, signal);
    if (live) return { callId, state: plivoState(live.call_status) ?? 'answered', isExact: true };
    const ended = await this.ask({ method: 'GET', path: `/Call/${part(callId)}/`, signal, expects: [404] });
    return ended.status === 404 ? undefined : { ...foundEnded(answerIn(EndedCall, ended, 'plivo')), isExact: true };
  }

  /** Reads the account, which costs nothing. */
  async test(signal?: AbortSignal): Promise<void> {
    await this.ask({ method: 'GET', path: '/', signal });
  }

  private async findByNumbers(
    search: Exclude<CallSearch, { callId: string }>,
    signal?: AbortSignal,
  ): Promise<FoundCall | undefined> {
    const [from, to] = [e164Digits(search.from), e164Digits(search.to)];
    const { calls } = answerIn(LiveCalls, await this.ask({ method: 'GET', path: '/Call/?status=live', signal }), 'plivo');
    for (const callId of calls.slice(0, liveCallsMax)) {
      const live = await this.live(callId, signal);
      const isIt = live && e164Digits(live.to ?? '') === to && e164Digits(live.from ?? '') === from;
      if (isIt) return { callId, state: plivoState(live.call_status) ?? 'answered', isExact: false };
    }
    const query = new URLSearchParams({ from_number: from, to_number: to, limit: '20' });
    const { objects } = answerIn(EndedCalls, await this.ask({ method: 'GET', path: `/Call/?${query}`, signal }), 'plivo');
    return newest(
      objects.map((call) => ({ ...foundEnded(call), atMs: carrierTime(call.initiation_time) })),
      search.placedAfter,
    );
  }

  private async live(callId: string, signal?: AbortSignal): Promise<z.output<typeof LiveCall> | undefined> {
    const answer = await this.ask({ method: 'GET', path: `/Call/${part(callId)}/?status=live`, signal, expects: [404] });
    return answer.status === 404 ? undefined : answerIn(LiveCall, answer, 'plivo');
  }

  private ask({ path, ...question }: Ask): Promise<CarrierAnswer> {
    const { authId, authToken, apiUrl } = this.account;
    const url = `${apiUrl}/v1/Account/${part(authId)}${path}`;
    return askCarrier({ ...question, carrier: 'plivo', url, headers: basicAuth(authId, authToken), fetch: this.fetch });
  }
}

function foundEnded(call: z.output<typeof EndedCall>): Omit<FoundCall, 'isExact'> {
  const { hangup_cause_name: cause, hangup_cause_code: code, call_duration: durationSeconds } = call;
  return {
    callId: call.call_uuid,
    state: endOf(cause ?? ''),
    ...(cause && { cause }),
    ...(code && { code: String(code) }),
    ...(typeof durationSeconds === 'number' && { durationSeconds }),
  };
}

function endOf(cause: string): FoundCall['state'] {
  if (/normal hangup|end of xml|hungup|transfer/i.test(cause)) return 'completed';
  if (/busy/i.test(cause)) return 'busy';
  if (/no answer|ring timeout|unreachable/i.test(cause)) return 'no-answer';
  return /cancel/i.test(cause) ? 'cancelled' : cause === '' ? 'completed' : 'failed';
}

const part = encodeURIComponent;
