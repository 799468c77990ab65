import { type ChannelContract, Fault, type StreamContract } from '@parley/contracts';
import type { z } from 'zod';
import type { Call } from '../call';
import type { TransportEndpoint } from '../endpoint';
import { limits } from '../limits';
import { asAnswerFault, decodeBody, isPause, parse, textOf, unavailable } from '../wire/body';
import { ChannelAccepted, encodeFrame, encodeTakenBytes, type Frame } from '../wire/frame';
import { type Channel, ChannelEnd } from '../line/channel-end';
import { type AskOptions, OutgoingCall, OutgoingRequest, textOfRequest, unexpected } from './ask';

/** The reading end of a stream: sends the request, keeps items in order, and tells the producer how many were taken. */
class StreamReader<Item extends z.ZodType> {
  private readonly arrived = new ItemQueue<Uint8Array>();
  private readonly outgoing: OutgoingRequest;
  private producer: string | undefined;
  private expected = 1;
  private takenItems = 0;
  private takenBytes = 0;
  private unsaidItems = 0;
  private unsaidBytes = 0;

  constructor(
    private readonly endpoint: TransportEndpoint,
    private readonly contract: StreamContract<z.ZodType, Item>,
    body: unknown,
    options: AskOptions,
    parent: Call | undefined,
  ) {
    const text = textOfRequest(contract.request, body);
    this.outgoing = new OutgoingRequest(endpoint, new OutgoingCall(contract, options, parent), contract.subject, {
      frame: (frame) => this.hear(frame),
      failed: (fault) => this.arrived.fail(fault),
      beat: () => this.reportTaken(),
    });
    this.outgoing.send(text);
  }

  async *items(): AsyncGenerator<z.output<Item>> {
    try {
      for (;;) {
        const next = await this.arrived.next();
        if (!next) return;
        const item = this.read(next.item);
        const pauses = isPause(this.contract, item);
        if (!pauses) this.take(next.item);
        yield item;
        if (pauses) this.take(next.item, { isAwaited: true });
      }
    } finally {
      // After the end this does nothing; after an early break it stops the producer.
      this.outgoing.abandon();
    }
  }

  private hear(frame: Frame): void {
    if (frame.kind === 'accept') this.producer = textOf(frame.body);
    else if (frame.kind !== 'item' && frame.kind !== 'end') this.outgoing.giveUp(unexpected(frame.kind));
    else if (frame.sequence !== this.expected) this.outgoing.giveUp(unavailable(`item ${this.expected} is missing`));
    else this.keep(frame);
  }

  private keep(frame: Frame): void {
    this.expected += 1;
    if (frame.kind === 'item') return this.arrived.push(frame.body);
    this.outgoing.finish();
    this.arrived.end();
  }

  private take(bytes: Uint8Array, { isAwaited = false } = {}): void {
    this.takenItems += 1;
    this.takenBytes += bytes.byteLength;
    this.unsaidItems += 1;
    this.unsaidBytes += bytes.byteLength;
    const isMuch = this.unsaidItems >= limits.windowItems / 4 || this.unsaidBytes >= limits.windowBytes / 4;
    if (isMuch || isAwaited) this.reportTaken();
  }

  private read(bytes: Uint8Array): z.output<Item> {
    try {
      return decodeBody(this.contract.item, bytes);
    } catch (error) {
      this.endpoint.log.error({ err: error, subject: this.contract.subject }, 'An item does not fit its contract');
      throw asAnswerFault(error);
    }
  }

  // Also this side's sign of life: without one for two seconds, the producer stops.
  private reportTaken(): void {
    if (this.producer === undefined) return;
    this.unsaidItems = 0;
    this.unsaidBytes = 0;
    this.endpoint.transport.publish(this.producer, encodeFrame('credit', this.takenItems, encodeTakenBytes(this.takenBytes)));
  }
}

/**
 * Sends the request on the first read, so that an unread stream costs nothing; keeps the call that was current when it was
 * created.
 */
export async function* readLater<Item extends z.ZodType>(
  ...parameters: ConstructorParameters<typeof StreamReader<Item>>
): AsyncGenerator<z.output<Item>> {
  yield* new StreamReader(...parameters).items();
}

/** Items that arrived and were not read yet. The producer's window limits their number. */
class ItemQueue<T> {
  private readonly items: T[] = [];
  private ending: { error?: unknown } | undefined;
  private wake: (() => void) | undefined;

  push(item: T): void {
    this.items.push(item);
    this.wake?.();
  }

  /** What arrived before can still be read. */
  end(): void {
    this.ending ??= {};
    this.wake?.();
  }

  /** What arrived before can still be read; then the error is thrown. */
  fail(error: unknown): void {
    this.ending ??= { error };
    this.wake?.();
  }

  /** The next item; undefined after the last. */
  async next(): Promise<{ item: T } | undefined> {
    for (;;) {
      if (this.items.length > 0) return { item: this.items.shift() as T };
      if (this.ending) break;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
    if ('error' in this.ending) throw this.ending.error;
    return undefined;
  }
}

interface Opened<Accepted, Signal> {
  accepted: Accepted;
  channel: Channel<Signal>;
}

/** Opens a channel and owns the calling end once it is accepted. */
export async function openChannel<Accepted extends z.ZodType, Signal extends z.ZodType>(
  endpoint: TransportEndpoint,
  contract: ChannelContract<z.ZodType, Accepted, Signal>,
  opening: unknown,
  options: AskOptions,
): Promise<Opened<z.output<Accepted>, z.output<Signal>>> {
  const text = textOfRequest(contract.opening, opening);
  const call = new OutgoingCall(contract, options);
  return new Promise((resolve, reject) => {
    let channel: ChannelEnd<Signal> | undefined;
    const accept = (frame: Frame) => {
      if (frame.kind !== 'accept') return outgoing.giveUp(unexpected(frame.kind));
      const taken = readAccepted(contract, frame);
      const end = new ChannelEnd(endpoint, contract, taken.address);
      channel = end;
      call.stopClock();
      void end.closed.then(() => outgoing.finish());
      resolve({ accepted: taken.accepted, channel: end });
    };
    const outgoing = new OutgoingRequest(endpoint, call, contract.subject, {
      frame: (frame) => (channel ? channel.hear(frame) : attempt(() => accept(frame), outgoing)),
      beat: () => channel?.beat(outgoing.address),
      isUrgent: true,
      failed: (fault) => {
        reject(fault);
        channel?.close(fault.code);
      },
    });
    outgoing.send(text);
  });
}

function attempt(work: () => void, outgoing: OutgoingRequest): void {
  try {
    work();
  } catch (error) {
    const fault = asAnswerFault(error);
    outgoing.giveUp(fault instanceof Fault ? fault : new Fault('INTERNAL', { cause: error }));
  }
}

function readAccepted<Accepted extends z.ZodType>(
  contract: { accepted: Accepted },
  frame: Frame,
): { address: string; accepted: z.output<Accepted> } {
  const { address, accepted } = decodeBody(ChannelAccepted, frame.body);
  return { address, accepted: parse(contract.accepted, accepted) };
}
