import type {
  AnswerPlan,
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

/** Telnyx gives our reference back as client state, and lists the calls that are live with it. */
export const telnyxControlCapabilities: ControlCapabilities = {
  placeIsIdempotent: false,
  finds: 'by-reference',
  transfers: 'command',
  sendsDigits: true,
  ends: true,
  detectsMachines: true,
};

const Placed = z.object({ data: z.object({ call_control_id: z.string() }) });
const Status = z.object({
  data: z.object({
    call_control_id: z.string(),
    is_alive: z.boolean(),
    call_duration: z.number().nullish(),
    start_time: z.string().nullish(),
  }),
});
const Active = z.object({ data: z.array(z.object({ call_control_id: z.string(), client_state: z.string().nullish() })) });

interface Account {
  readonly apiKey: string;
  readonly connectionId: string;
  readonly apiUrl: string;
}
type Ask = Pick<CarrierQuestion, 'method' | 'json' | 'signal' | 'expects'> & { readonly path: string };

/** Commands to Telnyx's call control. */
export class TelnyxControl implements CallControl {
  readonly capabilities = telnyxControlCapabilities;

  constructor(
    private readonly account: Account,
    private readonly fetch: typeof globalThis.fetch | undefined,
  ) {}

  async place(request: PlaceRequest): Promise<PlacedCall> {
    const json = {
      connection_id: this.account.connectionId,
      to: request.to,
      from: request.from,
      ...streamOf(request.mediaUrl),
      webhook_url: request.statusUrl,
      webhook_url_method: 'POST',
      timeout_secs: request.ringSeconds,
      time_limit_secs: Math.min(request.secondsMax, 14_400),
      client_state: Buffer.from(request.reference).toString('base64'),
      command_id: request.reference,
      ...(request.detectMachine && { answering_machine_detection: 'greeting_end' }),
    };
    const { data } = answerIn(Placed, await this.ask({ method: 'POST', path: '/calls', json, signal: request.signal }), 'telnyx');
    return { callId: data.call_control_id, state: 'queued' };
  }

  /** Takes an inbound call and streams it. */
  async answer(
    callId: string,
    { mediaUrl, statusUrl }: Extract<AnswerPlan, { kind: 'connect' }>,
    signal?: AbortSignal,
  ): Promise<void> {
    await this.act(callId, 'answer', { ...streamOf(mediaUrl), webhook_url: statusUrl, webhook_url_method: 'POST' }, signal);
  }

  async reject(callId: string, reason: 'busy' | 'rejected', signal?: AbortSignal): Promise<void> {
    await this.act(callId, 'reject', { cause: reason === 'busy' ? 'USER_BUSY' : 'CALL_REJECTED' }, signal);
  }

  /** A call that is over is answered with 404 or with 422, code 90018. */
  async end(callId: string, signal?: AbortSignal): Promise<void> {
    await this.ask({ method: 'POST', path: `/calls/${part(callId)}/actions/hangup`, json: {}, signal, expects: [404, 422] });
  }

  async transfer({ callId, to, from, ringSeconds, signal }: TransferRequest): Promise<void> {
    await this.act(callId, 'transfer', { to, from, timeout_secs: ringSeconds }, signal);
  }

  async sendDigits(callId: string, digits: string, signal?: AbortSignal): Promise<void> {
    await this.act(callId, 'send_dtmf', { digits }, signal);
  }

  /** By reference only calls that are live are found: of one that is over, its hang-up webhook is the word. */
  async find(search: CallSearch, signal?: AbortSignal): Promise<FoundCall | undefined> {
    if ('callId' in search) return this.byId(search.callId, signal);
    const path = `/connections/${part(this.account.connectionId)}/active_calls?page[limit]=250`;
    const { data } = answerIn(Active, await this.ask({ method: 'GET', path, signal }), 'telnyx');
    const state = Buffer.from(search.reference).toString('base64');
    const call = data.find(({ client_state }) => client_state === state);
    return call && this.byId(call.call_control_id, signal);
  }

  /** Reads one live call of the connection, which costs nothing. */
  async test(signal?: AbortSignal): Promise<void> {
    await this.ask({ method: 'GET', path: `/connections/${part(this.account.connectionId)}/active_calls?page[limit]=1`, signal });
  }

  private async byId(callId: string, signal?: AbortSignal): Promise<FoundCall | undefined> {
    const answer = await this.ask({ method: 'GET', path: `/calls/${part(callId)}`, signal, expects: [404] });
    if (answer.status === 404) return undefined;
    const { is_alive: isAlive, call_duration: durationSeconds } = answerIn(Status, answer, 'telnyx').data;
    const talked = typeof durationSeconds === 'number' && durationSeconds > 0;
    const state = isAlive ? (talked ? 'answered' : 'ringing') : talked ? 'completed' : 'failed';
    return { callId, state, ...(talked && { durationSeconds }), isExact: true };
  }

  private async act(callId: string, action: string, json: object, signal?: AbortSignal): Promise<void> {
    await this.ask({ method: 'POST', path: `/calls/${part(callId)}/actions/${action}`, json, signal });
  }

  private ask({ path, ...question }: Ask): Promise<CarrierAnswer> {
    const headers = { authorization: `Bearer ${this.account.apiKey}` };
    return askCarrier({ ...question, carrier: 'telnyx', url: `${this.account.apiUrl}/v2${path}`, headers, fetch: this.fetch });
  }
}

/** Without the mode nothing that we send is heard; the codec is asked for both ways lest it be that of the call. */
function streamOf(mediaUrl: string): object {
  return {
    stream_url: mediaUrl,
    stream_track: 'inbound_track',
    stream_codec: 'PCMU',
    stream_bidirectional_mode: 'rtp',
    stream_bidirectional_codec: 'PCMU',
    stream_bidirectional_sampling_rate: 8000,
  };
}

const part = encodeURIComponent;
