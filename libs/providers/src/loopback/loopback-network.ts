import { randomUUID } from 'node:crypto';
import type { CarrierCallState, FoundCall, MediaClock, PlacedCall } from '@parley/ports';
import { isEndState } from '@parley/ports';
import { Handset, hum, type Phone, phoneByNumber, preparedScript } from './handset';
import {
  AnswerDocument,
  connectByWebSocket,
  type ConnectMedia,
  type LoopbackEvent,
  type NetworkLine,
  postByHttp,
  type PostWebhook,
  signedRequest,
} from './loopback-webhooks';

const callsMax = 5000;
const ringMsUsual = 2000;
const dialMs = 100;
const repeatMs = 1000;
const postsMax = 4;

/** The numbers and addresses of a call, placed or received by an account. */
export interface LoopbackOrder {
  readonly reference: string;
  readonly from: string;
  readonly to: string;
  readonly answerUrl: string;
  readonly statusUrl: string;
  readonly ringSeconds: number;
  readonly secondsMax: number;
  readonly detectMachine: boolean;
  /** The key that signs requests to these addresses. */
  readonly secret: string;
}

/** How status callbacks are disturbed, as those of real carriers are. */
export interface LoopbackFaults {
  /** The delay of each callback. */
  readonly lateMs?: number | ((state: CarrierCallState) => number);
  readonly duplicates?: boolean;
  readonly loses?: (state: CarrierCallState) => boolean;
}

interface LoopbackOptions {
  readonly clock: MediaClock;
  readonly connect?: ConnectMedia;
  readonly post?: PostWebhook;
  /** Synthesizes the words of a script, as 16-bit samples at 8 kHz. */
  readonly voice?: (words: string) => Promise<Int16Array>;
  readonly faults?: LoopbackFaults;
}

interface NetworkCall {
  readonly callId: string;
  readonly order: LoopbackOrder;
  readonly direction: 'inbound' | 'outbound';
  phone: Phone;
  state: CarrierCallState;
  cause: string;
  notices: number;
  answeredMs?: number;
  endedMs?: number;
  handset?: Handset;
  line?: NetworkLine;
  readonly alarms: Set<() => void>;
}

/** A simulated telephone network, whose phones ring, answer, are busy or talk, and which sends notices like a carrier. */
export class LoopbackNetwork {
  private readonly phones = new Map<string, Phone>();
  private readonly calls = new Map<string, NetworkCall>();
  private readonly byReference = new Map<string, string>();

  constructor(private readonly options: LoopbackOptions) {}

  /** Assigns a phone to a number. */
  connect(number: string, phone: Phone): void {
    this.phones.set(number, phone);
  }

  /** Calls a number of this network. Repeating a reference returns the same call. */
  place(order: LoopbackOrder): PlacedCall {
    const known = this.calls.get(this.byReference.get(order.reference) ?? '');
    if (known) return { callId: known.callId, state: known.state };
    const call = this.begin(order, 'outbound', this.phoneOf(order.to));
    this.inMs(call, dialMs, () => this.ring(call));
    return { callId: call.callId, state: call.state };
  }

  /** Calls an account's number from this network; `phone` is the caller's behaviour once answered. */
  async call(order: LoopbackOrder, phone: Phone = this.phoneOf(order.from)): Promise<string> {
    const call = this.begin(order, 'inbound', phone);
    call.state = 'ringing';
    await this.ask(call, order.answerUrl, { event: 'incoming' });
    return call.callId;
  }

  end(callId: string): void {
    const call = this.calls.get(callId);
    if (call) this.finish(call, call.state === 'answered' ? 'completed' : 'cancelled', 'ended by the account');
  }

  find(search: { callId: string } | { reference: string }): FoundCall | undefined {
    const call = this.calls.get('callId' in search ? search.callId : (this.byReference.get(search.reference) ?? ''));
    return call && { callId: call.callId, state: call.state, cause: call.cause, isExact: true, ...this.duration(call) };
  }

  /** Sends keys to the far side. */
  sendDigits(callId: string, digits: string): void {
    this.calls.get(callId)?.handset?.receive(JSON.stringify({ event: 'digits', digits }));
  }

  /** Connects the far side to another phone, which ends the account's media. If unanswered, asks `afterUrl` what to do. */
  transfer(callId: string, to: { readonly to: string; readonly ringSeconds: number; readonly afterUrl: string }): void {
    const call = this.calls.get(callId);
    if (!call || isEndState(call.state)) return;
    this.dropMedia(call);
    const target = this.phoneOf(to.to);
    const ringMs = target.ringMs ?? ringMsUsual;
    const answers = target.answers === 'picks-up' && ringMs <= to.ringSeconds * 1000;
    this.inMs(call, answers ? ringMs : Math.min(ringMs, to.ringSeconds * 1000), () => {
      if (answers) call.phone = target;
      void this.ask(call, to.afterUrl, { event: 'continuing', transfer: answers ? 'answered' : 'unanswered' }, answers);
    });
  }

  /** The far side's handset; undefined before it has picked up and after it has hung up. */
  handsetOf(callId: string): Handset | undefined {
    return this.calls.get(callId)?.handset;
  }

  /** Ends everything without notifications. */
  close(): void {
    for (const call of this.calls.values()) {
      for (const cancel of call.alarms) cancel();
      this.dropMedia(call);
    }
    this.calls.clear();
    this.byReference.clear();
  }

  private phoneOf(number: string): Phone {
    return this.phones.get(number) ?? phoneByNumber(number);
  }

  private begin(order: LoopbackOrder, direction: NetworkCall['direction'], phone: Phone): NetworkCall {
    const callId = `LB${randomUUID().replaceAll('-', '')}`;
    const call: NetworkCall = {
      callId,
      order,
      direction,
      phone,
      state: 'queued',
      cause: 'queued',
      notices: 0,
      alarms: new Set(),
    };
    this.forgetOldest();
    this.calls.set(callId, call);
    this.byReference.set(order.reference, callId);
    return call;
  }

  private ring(call: NetworkCall): void {
    const { phone, order } = call;
    if (phone.answers === 'failed') return this.finish(call, 'failed', 'no route to this number');
    this.publish(call, 'ringing');
    const ringMs = Math.min(phone.ringMs ?? ringMsUsual, order.ringSeconds * 1000);
    if (phone.answers === 'no-answer')
      return this.inMs(call, order.ringSeconds * 1000, () => this.finish(call, 'no-answer', 'no answer'));
    this.inMs(call, ringMs, () => {
      if (phone.answers === 'busy') this.finish(call, 'busy', 'user busy');
      else if (phone.answers === 'declines') this.finish(call, 'declined', 'call rejected');
      else if ((phone.ringMs ?? ringMsUsual) > order.ringSeconds * 1000) this.finish(call, 'no-answer', 'no answer');
      else this.pickUp(call);
    });
  }

  private pickUp(call: NetworkCall): void {
    this.answered(call);
    void this.ask(call, call.order.answerUrl, { event: 'answering' });
  }

  private answered(call: NetworkCall): void {
    call.answeredMs ??= this.options.clock.now();
    this.publish(call, 'answered');
    this.inMs(call, call.order.secondsMax * 1000, () => this.finish(call, 'completed', 'time limit'));
  }

  /** Asks what to do with the call, and does it. */
  private async ask(call: NetworkCall, url: string, event: LoopbackEvent, isTalking = false): Promise<void> {
    try {
      const answer = await this.post(call, url, event);
      // After a transfer, the two people talk to each other and need no instructions.
      if (isTalking || isEndState(call.state)) return;
      const document = AnswerDocument.parse(JSON.parse(answer.body));
      if (document.kind === 'connect') await this.connectMedia(call, document);
      else if (document.kind === 'transfer') this.transfer(call.callId, document);
      else if (document.kind === 'refuse') this.finish(call, document.reason === 'busy' ? 'busy' : 'failed', document.reason);
      else this.finish(call, 'completed', 'hung up by document');
    } catch (error) {
      this.finish(call, 'failed', `no document: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  private async connectMedia(
    call: NetworkCall,
    { mediaUrl, parameters }: { mediaUrl: string; parameters?: Record<string, string> },
  ) {
    const script = await preparedScript(call.phone, this.options.voice ?? hum);
    let isClosed = false;
    const line = await (this.options.connect ?? connectByWebSocket)(mediaUrl, {
      message: (message) => call.handset?.receive(message),
      closed: () => {
        isClosed = true;
        call.handset?.end('them');
      },
    });
    if (isEndState(call.state)) return line.close();
    if (isClosed) throw new Error('the media connection was closed at once');
    if (call.direction === 'inbound' && call.state !== 'answered') this.answered(call);
    const { from, to } = call.order;
    line.send(JSON.stringify({ event: 'start', callId: call.callId, from, to, encoding: 'mulaw', sampleRate: 8000, parameters }));
    call.line = line;
    call.handset = new Handset({
      clock: this.options.clock,
      script,
      send: (message) => line.send(message),
      over: (by) => {
        line.close();
        this.finish(call, 'completed', by === 'us' ? 'the far side hung up' : 'the account hung up');
      },
    });
    call.phone.attach?.(call.handset);
  }

  private dropMedia(call: NetworkCall): void {
    const { handset, line } = call;
    call.handset = undefined;
    call.line = undefined;
    if (!handset) return;
    line?.send('{"event":"stop"}');
    handset.silence();
    line?.close();
  }

  private finish(call: NetworkCall, state: CarrierCallState, cause: string): void {
    if (isEndState(call.state)) return;
    for (const cancel of call.alarms) cancel();
    call.alarms.clear();
    call.cause = cause;
    call.endedMs = this.options.clock.now();
    this.dropMedia(call);
    this.publish(call, state);
  }

  private publish(call: NetworkCall, state: CarrierCallState): void {
    call.state = state;
    if (!isEndState(state)) call.cause = state;
    const order = ++call.notices;
    const { faults = {} } = this.options;
    if (faults.loses?.(state)) return;
    const event: LoopbackEvent = { event: 'state', state, cause: call.cause, order, ...this.duration(call) };
    const lateMs = typeof faults.lateMs === 'function' ? faults.lateMs(state) : (faults.lateMs ?? 0);
    for (let copy = 0; copy < (faults.duplicates ? 2 : 1); copy++)
      this.options.clock.wakeAt(this.options.clock.now() + lateMs, () => this.notify(call, event, 1));
  }

  /** Sends a webhook, and repeats it if it is not delivered, as carriers do. */
  private notify(call: NetworkCall, event: LoopbackEvent, attempt: number): void {
    const again = () => {
      if (attempt < postsMax)
        this.options.clock.wakeAt(this.options.clock.now() + repeatMs * attempt, () => this.notify(call, event, attempt + 1));
    };
    this.post(call, call.order.statusUrl, event).catch(again);
  }

  private async post(call: NetworkCall, url: string, event: LoopbackEvent) {
    const { order, callId } = call;
    const body = JSON.stringify({ ...event, callId, reference: order.reference, from: order.from, to: order.to });
    const answer = await (this.options.post ?? postByHttp)(url, signedRequest(order.secret, url, body));
    if (answer.status >= 300) throw new Error(`${url} answered ${answer.status}`);
    return answer;
  }

  private duration({ answeredMs, endedMs }: NetworkCall): { durationSeconds?: number } {
    if (answeredMs === undefined || endedMs === undefined) return {};
    return { durationSeconds: Math.ceil((endedMs - answeredMs) / 1000) };
  }

  private inMs(call: NetworkCall, ms: number, wake: () => void): void {
    const cancel = this.options.clock.wakeAt(this.options.clock.now() + ms, () => {
      call.alarms.delete(cancel);
      if (!isEndState(call.state)) wake();
    });
    call.alarms.add(cancel);
  }

  private forgetOldest(): void {
    if (this.calls.size < callsMax) return;
    for (const call of this.calls.values()) {
      if (!isEndState(call.state)) continue;
      this.calls.delete(call.callId);
      this.byReference.delete(call.order.reference);
      return;
    }
    throw new Error('the simulated network is full');
  }
}
