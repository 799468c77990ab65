import { randomUUID } from 'node:crypto';
import { type ChannelContract, type EventContract, Fault, type ServiceName, type StreamContract } from '@parley/contracts';
import type { z } from 'zod';
import { runInCall } from '../call';
import type { TransportEndpoint } from '../endpoint';
import {
  type Delivery,
  type DeliveryOutcome,
  EventEnvelopeSchema,
  type EventMeta,
  isOfDeletedOrganization,
} from '../event-envelope';
import { limits } from '../limits';
import { traceIncoming } from '../tracing';
import type { Packet } from '../transport/transport';
import { asAnswerFault, ContractBreach, decodeBody, encodeBody, isPause, parse, unavailable } from '../wire/body';
import { ChannelAccepted, decodeFrame, decodeTakenBytes, encodeFrame, FrameBatches, SendWindow } from '../wire/frame';
import { type Channel, ChannelEnd } from '../line/channel-end';
import { type AcceptedRequests, type Handler, invoke, namesOf, type Request, ServedCall, type Work } from './accepted-requests';

/** Sends what the handler yields, no further ahead of the reader than its window allows. */
export function serveStream(requests: AcceptedRequests, contract: StreamContract, handler: Handler): Work {
  return async (request, call) => {
    const body = decodeBody(contract.request, request.body);
    const { inbox, heartbeats, transport } = requests.endpoint;
    const window = new SendWindow();
    const address = inbox.open({
      receive: (packet) => {
        watch.heard();
        hearReader(packet, window, call);
      },
      lost: () => call.abort(unavailable('the connection was lost')),
    });
    // The producer's address is sent with the first item, or with a beat if that takes longer.
    const reader = new FrameBatches(transport, request.reply, encodeFrame('accept', 0, address));
    const silent = (): void => call.abort(unavailable('the reader fell silent'));
    const watch = heartbeats.watch({ beat: () => reader.flush(), silent });
    try {
      await produce(requests, { contract, reader, call, window }, await invoke(handler, body, call));
    } finally {
      inbox.close(address);
      watch.stop();
    }
  };
}

interface Production {
  readonly contract: StreamContract;
  readonly call: ServedCall;
  readonly window: SendWindow;
  readonly reader: FrameBatches;
}

function hearReader(packet: Packet, window: SendWindow, call: ServedCall): void {
  if (packet.nobodyListens) return call.abort(unavailable('the reader is gone'));
  const frame = decodeFrame(packet.data);
  if (frame?.kind === 'credit') window.credit({ items: frame.sequence, bytes: decodeTakenBytes(frame.body) });
}

async function produce(
  requests: AcceptedRequests,
  { contract, reader, call, window }: Production,
  items: unknown,
): Promise<void> {
  if (!isAsyncIterable(items)) throw new TypeError(`the handler of ${contract.subject} returned no async iterable`);
  const iterator = items[Symbol.asyncIterator]();
  const wanted = new UnlessAborted(call.signal);
  let sent = 0;
  try {
    for (;;) {
      call.signal.throwIfAborted();
      const room = window.room();
      if (room) await wanted.outcome(room);
      const next = await wanted.outcome(iterator.next());
      if (next.done) break;
      const text = textOfItem(contract, next.value);
      sent = window.sent(Buffer.byteLength(text));
      reader.send(encodeFrame('item', sent, text));
      if (isPause(contract, next.value)) await wanted.outcome(window.emptied());
    }
    reader.send(encodeFrame('end', sent + 1));
  } catch (error) {
    // A producer waiting for something else only ends when that arrives, so it is not awaited.
    Promise.resolve(iterator.return?.()).catch((cause: unknown) => {
      requests.endpoint.log.warn({ err: cause, subject: contract.subject }, 'A producer failed while it was stopped');
    });
    throw error;
  } finally {
    wanted.end();
  }
}

function textOfItem(contract: StreamContract, item: unknown): string {
  try {
    return encodeBody(contract.item, item);
  } catch (error) {
    throw asAnswerFault(error);
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/**
 * Waits for one thing after another until a signal aborts. There is one listener for all: adding and removing one costs as much as
 * sending a word.
 */
class UnlessAborted {
  private fail: ((reason: unknown) => void) | undefined;
  private readonly abort = (): void => this.fail?.(this.signal.reason);

  constructor(private readonly signal: AbortSignal) {
    signal.addEventListener('abort', this.abort, { once: true });
  }

  outcome<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.fail = reject;
      work.then(resolve, reject);
      if (this.signal.aborted) this.abort();
    });
  }

  end(): void {
    this.signal.removeEventListener('abort', this.abort);
  }
}

/** What a channel's handler returns to accept it: the reply for the caller, and what to do on the channel. */
export interface AcceptedChannel<Accepted, Signal> {
  accepted: Accepted;
  /** The channel closes when this resolves. */
  serve(channel: Channel<Signal>): Promise<void>;
}

/** Accepts a channel if the handler does, and keeps it open until either side ends. */
export function serveChannel(requests: AcceptedRequests, contract: ChannelContract, handler: Handler): Work {
  return async (request, call) => {
    const opening = decodeBody(contract.opening, request.body);
    const taken = await invoke(handler, opening, call);
    if (!isAcceptedChannel(taken)) throw new TypeError(`the handler of ${contract.subject} accepted no channel`);
    if (call.abandoned) throw call.abandoned;
    const accepted = textOfAccepted(contract, taken.accepted);
    call.withoutDeadline();
    await keepOpen(requests, { contract, request, call }, { accepted, serve: taken.serve.bind(taken) });
  };
}

interface ServedChannel {
  readonly contract: ChannelContract;
  readonly request: Request;
  readonly call: ServedCall;
}

async function keepOpen(
  requests: AcceptedRequests,
  { contract, request, call }: ServedChannel,
  taken: AcceptedChannel<unknown, unknown>,
): Promise<void> {
  const { inbox, heartbeats, transport, log } = requests.endpoint;
  const channel = new ChannelEnd<z.ZodType>(requests.endpoint, contract, request.reply);
  const watch = heartbeats.watch({ beat: () => undefined, silent: () => channel.close('the other side fell silent') });
  const address = inbox.open({
    receive: ({ data }) => {
      watch.heard();
      const frame = decodeFrame(data);
      if (frame) channel.hear(frame);
    },
    lost: () => channel.close('the connection was lost'),
  });
  const stopped = () => channel.close(call.abandoned?.code ?? 'CANCELLED');
  call.signal.addEventListener('abort', stopped, { once: true });
  void channel.closed.then(({ reason }) => call.abort(new Fault('CANCELLED', { cause: new Error(reason) })));
  const word = JSON.stringify({ address, accepted: taken.accepted });
  transport.publish(request.reply, encodeFrame('accept', 0, word));
  try {
    await taken.serve(channel);
    channel.close();
  } catch (error) {
    if (!call.signal.aborted)
      log.error({ err: error, subject: contract.subject, ...namesOf(call) }, 'The handler of a channel failed');
    channel.close('failed');
  } finally {
    inbox.close(address);
    watch.stop();
  }
}

function textOfAccepted(contract: ChannelContract, accepted: unknown): unknown {
  try {
    encodeBody(ChannelAccepted, { address: '', accepted });
    parse(contract.accepted, accepted);
    return accepted;
  } catch (error) {
    throw asAnswerFault(error);
  }
}

function isAcceptedChannel(value: unknown): value is AcceptedChannel<unknown, unknown> {
  if (typeof value !== 'object' || value === null || !('accepted' in value) || !('serve' in value)) return false;
  return typeof value.serve === 'function';
}

/** Deliveries that end with their process, beside the attempts that fail: its replica was killed, or replaced while it waited. */
const lostDeliveriesMax = 8;
const awayAgainMs = 30_000;

/**
 * Handles each delivery of an event: done, retried later, or a dead letter after the last attempt. An event whose consumer's Postgres, or
 * whatever else it needs, is away is no dead letter however long that lasts.
 */
export function serveEvent(endpoint: TransportEndpoint, contract: EventContract, service: ServiceName, handler: Handler) {
  const { redeliveryMs } = endpoint.transport.events;
  return async (delivery: Delivery): Promise<DeliveryOutcome> => {
    const waitMs = redeliveryMs[delivery.attempt - 1];
    try {
      // The process may have died during the last attempt too; this event must not kill it forever.
      if (delivery.attempt > redeliveryMs.length + 1 + lostDeliveriesMax) throw new Error('delivered too often');
      await work(contract, handler, delivery);
      return 'done';
    } catch (error) {
      const fields = { err: error, subject: contract.subject, attempt: delivery.attempt };
      if (isOfDeletedOrganization(error)) {
        endpoint.log.info({ subject: contract.subject }, 'An event came after its organization was deleted');
        return 'done';
      }
      if (waitMs !== undefined && !(error instanceof ContractBreach)) {
        endpoint.log.warn(fields, 'A consumer failed; the event will be redelivered');
        return { againInMs: waitMs };
      }
      if (error instanceof Fault && error.code === 'SERVICE_UNAVAILABLE') {
        endpoint.log.warn(fields, 'What a consumer needs is away; the event waits for it');
        return { againInMs: Math.min(redeliveryMs.at(-1) ?? awayAgainMs, awayAgainMs), isUncounted: true };
      }
      endpoint.log.error(fields, 'A consumer gave up on an event; it is kept as a dead letter');
      return storeDeadLetter(endpoint, contract, service, delivery);
    }
  };
}

async function work(contract: EventContract, handler: Handler, { data, attempt }: Delivery): Promise<void> {
  const { payload, ...envelope } = decodeBody(EventEnvelopeSchema, data);
  const body = parse(contract.payload, payload);
  const meta: EventMeta = { ...envelope, attempt };
  const call = new ServedCall({
    requestId: randomUUID(),
    leftMs: limits.consumerTimeoutMs,
    ...(envelope.traceparent ? { traceparent: envelope.traceparent } : {}),
  });
  try {
    const run = () => runInCall(call, () => withinDeadline(invoke(handler, body, meta, call), call));
    await traceIncoming(contract.subject, call, run);
  } finally {
    call.end();
  }
}

// The broker redelivers after a longer silence, so the attempt must be over by then.
function withinDeadline<T>(working: Promise<T>, call: ServedCall): Promise<T> {
  return new Promise((resolve, reject) => {
    call.signal.addEventListener('abort', () => reject(call.signal.reason), { once: true });
    working.then(resolve, reject);
  });
}

async function storeDeadLetter(
  endpoint: TransportEndpoint,
  contract: EventContract,
  service: ServiceName,
  { data }: Delivery,
): Promise<DeliveryOutcome> {
  try {
    await endpoint.transport.events.addDeadLetter(service, { id: randomUUID(), subject: contract.subject, data });
    return 'done';
  } catch (error) {
    endpoint.log.error(
      { err: error, subject: contract.subject },
      'A dead letter could not be stored; the event will be redelivered',
    );
    return { againInMs: endpoint.transport.events.redeliveryMs.at(-1) ?? 0 };
  }
}
