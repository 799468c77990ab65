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
  type CarrierAnswer,
  type CarrierQuestion,
  carrierTime,
  e164Digits,
  newest,
  withQuery,
} from '../carrier-http';
import { applicationToken } from './vonage-token';
import { ncco, outboundMark, vonageState } from './vonage-webhooks';

/** Vonage takes no name of ours for a call, so after a crash one is found by its numbers and time. */
export const vonageControlCapabilities: ControlCapabilities = {
  placeIsIdempotent: false,
  finds: 'by-numbers',
  transfers: 'command',
  sendsDigits: true,
  ends: true,
  detectsMachines: true,
};

const End = z.union([z.object({ number: z.string().nullish() }), z.array(z.object({ number: z.string().nullish() }))]).nullish();
const Call = z.object({
  uuid: z.string(),
  status: z.string(),
  duration: z.union([z.string(), z.number()]).nullish(),
  start_time: z.string().nullish(),
  to: End,
  from: End,
});
const Calls = z.object({ _embedded: z.object({ calls: z.array(Call) }) });
const Placed = z.object({ uuid: z.string(), status: z.string() });

interface Account {
  readonly applicationId: string;
  readonly privateKey: string;
  readonly apiUrl: string;
}
type Ask = Pick<CarrierQuestion, 'method' | 'json' | 'signal' | 'expects'> & { readonly path: string };

/** Commands to Vonage's Voice API. */
export class VonageControl implements CallControl {
  readonly capabilities = vonageControlCapabilities;

  constructor(
    private readonly account: Account,
    private readonly fetch: typeof globalThis.fetch | undefined,
  ) {}

  async place(request: PlaceRequest): Promise<PlacedCall> {
    const to = request.to.startsWith('sip:')
      ? { type: 'sip', uri: request.to }
      : { type: 'phone', number: e164Digits(request.to) };
    const json = {
      to: [to],
      from: { type: 'phone', number: e164Digits(request.from) },
      // Asked in the same words as for a call that comes in, so the address tells them apart.
      answer_url: [withQuery(request.answerUrl, outboundMark, '1')],
      answer_method: 'POST',
      event_url: [request.statusUrl],
      event_method: 'POST',
      ringing_timer: Math.min(120, request.ringSeconds),
      length_timer: Math.min(7200, request.secondsMax),
      ...(request.detectMachine && {
        advanced_machine_detection: { behavior: 'continue', mode: 'detect_beep', beep_timeout: 45 },
      }),
    };
    const call = answerIn(Placed, await this.ask({ method: 'POST', path: '', json, signal: request.signal }), 'vonage');
    return { callId: call.uuid, state: vonageState(call.status) ?? 'queued' };
  }

  async end(callId: string, signal?: AbortSignal): Promise<void> {
    await this.ask({ method: 'PUT', path: `/${part(callId)}`, json: { action: 'hangup' }, signal, expects: [400, 404] });
  }

  async transfer({ callId, to, from, ringSeconds, afterUrl, signal }: TransferRequest): Promise<void> {
    const destination = { type: 'ncco', ncco: ncco({ kind: 'transfer', to, from, ringSeconds, afterUrl }) };
    await this.ask({ method: 'PUT', path: `/${part(callId)}`, json: { action: 'transfer', destination }, signal });
  }

  async sendDigits(callId: string, digits: string, signal?: AbortSignal): Promise<void> {
    await this.ask({ method: 'PUT', path: `/${part(callId)}/dtmf`, json: { digits: digits.replaceAll('w', 'p') }, signal });
  }

  async find(search: CallSearch, signal?: AbortSignal): Promise<FoundCall | undefined> {
    if ('callId' in search) {
      const answer = await this.ask({ method: 'GET', path: `/${part(search.callId)}`, signal, expects: [404] });
      return answer.status === 404 ? undefined : { ...found(answerIn(Call, answer, 'vonage')), isExact: true };
    }
    const since = new Date(search.placedAfter.getTime() - 5000).toISOString();
    const query = new URLSearchParams({ date_start: since, page_size: '100', order: 'desc' });
    const answer = answerIn(Calls, await this.ask({ method: 'GET', path: `?${query}`, signal }), 'vonage');
    const [from, to] = [e164Digits(search.from), e164Digits(search.to)];
    const same = answer._embedded.calls.filter((call) => numbersOf(call.to).includes(to) && numbersOf(call.from).includes(from));
    // A call that nobody took has no start; it was asked for since the time that matters.
    return newest(
      same.map((call) => ({
        ...found(call),
        atMs: call.start_time ? carrierTime(call.start_time) : search.placedAfter.getTime(),
      })),
      search.placedAfter,
    );
  }

  /** Reads one call of the application, which costs nothing. */
  async test(signal?: AbortSignal): Promise<void> {
    await this.ask({ method: 'GET', path: '?page_size=1', signal });
  }

  private async ask({ path, ...question }: Ask): Promise<CarrierAnswer> {
    const authorization = `Bearer ${applicationToken(this.account, new Date())}`;
    const url = `${this.account.apiUrl}/v1/calls${path}`;
    return askCarrier({ ...question, carrier: 'vonage', url, headers: { authorization }, fetch: this.fetch });
  }
}

function numbersOf(end: z.output<typeof End>): string[] {
  return [end ?? []].flat().map(({ number }) => e164Digits(number ?? ''));
}

function found({ uuid, status, duration }: z.output<typeof Call>): Omit<FoundCall, 'isExact'> {
  const durationSeconds = Number(duration ?? Number.NaN);
  return {
    callId: uuid,
    state: vonageState(status) ?? (status === 'machine' || status === 'human' ? 'answered' : 'failed'),
    cause: status,
    ...(Number.isFinite(durationSeconds) && { durationSeconds }),
  };
}

const part = encodeURIComponent;
