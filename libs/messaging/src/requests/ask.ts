import { randomUUID } from 'node:crypto';
import {
  Fault,
  isOurFault,
  type MessageContract,
  ownerOf,
  type Principal,
  type RequestContract,
  type ServiceName,
  type Subject,
} from '@parley/contracts';
import type { z } from 'zod';
import { channelMs } from '../access/signed-principals';
import { type Call, currentCall } from '../call';
import type { AnswerReceiver, TransportEndpoint } from '../endpoint';
import { limits } from '../limits';
import { type MessageSpan, startOutgoing } from '../tracing';
import type { Packet } from '../transport/transport';
import {
  asAnswerFault,
  asRequestFault,
  type CallHeaders,
  decodeBody,
  decodeFault,
  encodeBody,
  encodeRequest,
  unavailable,
} from '../wire/body';
import { eachFrame, type Frame } from '../wire/frame';
import type { Peer, Watch } from '../wire/heartbeats';

export interface AskOptions {
  /** Times out sooner than the contract and the surrounding call would. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** Set only by the gateway and timers; everyone else passes on the principal of the call they serve. */
  principal?: Principal;
}

/**
 * One request, one reply. If a replica falls silent, a read-only request is repeated within the same deadline, and another
 * replica may get it. A request that may have changed something is never repeated.
 */
export async function ask<Body extends z.ZodType, Reply extends z.ZodType>(
  endpoint: TransportEndpoint,
  contract: RequestContract<Body, Reply>,
  body: z.input<Body>,
  options: AskOptions,
): Promise<z.output<Reply>> {
  const text = textOfRequest(contract.request, body);
  const sinceMs = performance.now();
  let call = new OutgoingCall(contract, options);
  const { leftMs } = call.headers;
  const attempts = contract.onlyReads ? limits.readAttemptsMax : 1;
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt === attempts;
    try {
      const answer = await answerTo(endpoint, contract, {
        call,
        text,
        ...(!isLast && { silentBeatsMax: limits.readSilentBeatsMax }),
      });
      return readAnswer(endpoint, contract, answer);
    } catch (error) {
      if (isLast || !(error instanceof PeerSilent)) throw error;
      call = new OutgoingCall(contract, { ...options, timeoutMs: leftMs - (performance.now() - sinceMs) });
    }
  }
}

interface Attempt {
  readonly call: OutgoingCall;
  readonly text: string;
  readonly silentBeatsMax?: number;
}

function answerTo(
  endpoint: TransportEndpoint,
  { subject }: RequestContract,
  { call, text, silentBeatsMax }: Attempt,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const outgoing = new OutgoingRequest(endpoint, call, subject, {
      failed: reject,
      frame: (frame) => {
        if (frame.kind !== 'reply') return outgoing.giveUp(unexpected(frame.kind));
        outgoing.finish();
        resolve(frame.body);
      },
      ...(silentBeatsMax !== undefined && { silentBeatsMax }),
    });
    outgoing.send(text);
  });
}

/** The text of a request. If it is invalid, that is the caller's fault. */
export function textOfRequest(schema: z.ZodType, body: unknown): string {
  try {
    return encodeBody(schema, body);
  } catch (error) {
    throw asRequestFault(error);
  }
}

function readAnswer<Reply extends z.ZodType>(
  endpoint: TransportEndpoint,
  contract: RequestContract<z.ZodType, Reply>,
  answer: Uint8Array,
): z.output<Reply> {
  try {
    return decodeBody(contract.reply, answer);
  } catch (error) {
    endpoint.log.error({ err: error, subject: contract.subject }, 'An answer does not fit its contract');
    throw asAnswerFault(error);
  }
}

/** The fault for a peer that answers in another way than its contract says. */
export function unexpected(kind: string): Fault {
  return new Fault('INTERNAL', { cause: new Error(`unexpected ${kind}`) });
}

interface AskedContract {
  readonly kind: MessageContract['kind'];
  readonly subject: Subject;
  readonly timeoutMs: number;
}

/** What a message inherits from the call in which it is sent, and when its answer is no longer wanted. */
export class OutgoingCall {
  readonly headers: CallHeaders;
  readonly isChannel: boolean;
  private readonly leftMs: number;
  private readonly owner: ServiceName;
  private readonly span: MessageSpan;
  private readonly signals: AbortSignal[];
  private timer: NodeJS.Timeout | undefined;
  private abandon: (() => void) | undefined;

  constructor(contract: AskedContract, options: AskOptions, parent: Call | undefined = currentCall()) {
    this.isChannel = contract.kind === 'channel';
    this.owner = ownerOf(contract);
    this.leftMs = leftFor(contract, options, parent);
    this.signals = [parent?.signal, options.signal].filter((signal) => signal !== undefined);
    const gone = this.signals.find(({ aborted }) => aborted);
    if (gone) throw givenUp(gone);
    this.span = startOutgoing(contract.subject);
    this.headers = {
      requestId: parent?.requestId ?? randomUUID(),
      leftMs: this.leftMs,
      ...principalFor(options, parent),
      ...(this.isChannel ? { principalMs: channelMs } : {}),
      ...(this.span.traceparent ? { traceparent: this.span.traceparent } : {}),
      ...(this.span.tracestate ? { tracestate: this.span.tracestate } : {}),
    };
  }

  /** Calls back once, when the deadline passes or the caller leaves. */
  onGivenUp(listener: (fault: Fault) => void): void {
    const dependency = this.owner;
    this.timer = setTimeout(() => listener(new Fault('DEADLINE_EXCEEDED', { dependency })), this.leftMs);
    this.abandon = () => listener(givenUp(this.signals.find(({ aborted }) => aborted)));
    for (const signal of this.signals) signal.addEventListener('abort', this.abandon, { once: true });
  }

  /** Stops the deadline: an accepted channel may outlive it. */
  stopClock(): void {
    clearTimeout(this.timer);
  }

  end(error?: unknown): void {
    clearTimeout(this.timer);
    const { abandon } = this;
    if (abandon) for (const signal of this.signals) signal.removeEventListener('abort', abandon);
    this.span.end(error);
  }
}

function leftFor(contract: { timeoutMs: number }, options: AskOptions, parent: Call | undefined): number {
  const ofParent = parent ? parent.deadlineAtMs - Date.now() : Number.POSITIVE_INFINITY;
  const leftMs = Math.min(contract.timeoutMs, options.timeoutMs ?? contract.timeoutMs, ofParent);
  if (leftMs <= 0) throw new Fault('DEADLINE_EXCEEDED');
  return leftMs;
}

function principalFor(options: AskOptions, parent: Call | undefined): { principal?: Principal } {
  const principal = options.principal ?? parent?.principal;
  return principal ? { principal } : {};
}

// A signal's reason may be a fault, as for a served call: an exceeded deadline stays one.
function givenUp(signal: AbortSignal | undefined): Fault {
  const reason: unknown = signal?.reason;
  return reason instanceof Fault ? reason : new Fault('CANCELLED', { cause: reason });
}

interface ReplyListener {
  /** A frame from the other side that is neither a beat nor a fault. */
  frame(frame: Frame): void;
  /** The exchange has failed and is over. */
  failed(fault: Fault): void;
  beat?(): void;
  /** Whether a reader waits for every frame. */
  readonly isUrgent?: boolean;
  /** After how many silent beats the other side is given up, if not the default. */
  readonly silentBeatsMax?: number;
}

/** Nothing was received from the other side for too long, so it is unknown whether it did what was asked. */
class PeerSilent extends Fault {
  constructor(subject: Subject) {
    const cause = new Error(`${subject} fell silent`);
    super('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1, cause, dependency: ownerOf({ subject }) });
  }
}

/**
 * The asking side of any exchange: sends one message and receives frames until it ends. It may finish, fail remotely, be given up
 * locally (deadline, caller gone), or be lost (no listener, silence, connection).
 */
export class OutgoingRequest implements AnswerReceiver, Peer {
  readonly address: string;
  private readonly watch: Watch;
  private over = false;

  constructor(
    private readonly endpoint: TransportEndpoint,
    private readonly call: OutgoingCall,
    readonly subject: Subject,
    private readonly hearing: ReplyListener,
  ) {
    this.address = endpoint.inbox.open(this);
    this.watch = endpoint.heartbeats.watch(this);
    call.onGivenUp((fault) => this.giveUp(fault));
  }

  get isUrgent(): boolean {
    return this.hearing.isUrgent ?? false;
  }

  get silentBeatsMax(): number | undefined {
    return this.hearing.silentBeatsMax;
  }

  send(body: string): void {
    const { transport } = this.endpoint;
    if (transport.status() !== 'connected') return this.fail(unavailable(`the connection is ${transport.status()}`, 'nats'));
    transport.publish(this.subject, encodeRequest(this.call.headers, body, transport.principals), { reply: this.address });
  }

  receive({ data, nobodyListens }: Packet): void {
    if (nobodyListens) this.fail(unavailable(`nobody answers ${this.subject}`, ownerOf(this)));
    else eachFrame(data, (frame) => this.hear(frame));
  }

  beat(): void {
    this.hearing.beat?.();
  }

  silent(): void {
    this.giveUp(new PeerSilent(this.subject));
  }

  lost(): void {
    this.fail(unavailable('the connection was lost', 'nats'));
  }

  finish(error?: unknown): void {
    if (this.over) return;
    this.over = true;
    this.endpoint.inbox.close(this.address);
    this.watch.stop();
    this.call.end(error);
  }

  /** Gives up unless the exchange is over. Creating a fault records a stack, which streams read to the end need not pay for. */
  abandon(): void {
    if (!this.over) this.giveUp(new Fault('CANCELLED'));
  }

  /**
   * Gives up locally and tells the other side to stop. It knows a deadline itself, and would take a cancellation for a caller that left,
   * who has to pay; only an accepted channel has no deadline any more.
   */
  giveUp(fault: Fault): void {
    if (this.over) return;
    const isLost = !this.call.isChannel && isOurFault(fault);
    if (fault.code !== 'DEADLINE_EXCEEDED' || this.call.isChannel) this.endpoint.cancel(ownerOf(this), this.address, { isLost });
    this.fail(fault);
  }

  fail(fault: Fault): void {
    if (this.over) return;
    this.finish(fault);
    this.hearing.failed(fault);
  }

  private hear(frame: Frame | undefined): void {
    if (this.over) return;
    this.watch.heard();
    if (frame?.kind === 'beat') return;
    if (!frame) this.giveUp(new Fault('INTERNAL', { cause: new Error('not a frame') }));
    else if (frame.kind === 'fault') this.fail(decodeFault(frame.body, ownerOf(this)));
    else this.hearing.frame(frame);
  }
}
