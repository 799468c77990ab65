import { type ChannelContract, Fault, type StreamContract } from '@parley/contracts';
import type { z } from 'zod';
import type { Call } from '../call';
import type { TransportEndpoint } from '../endpoint';
import { limits } from '../limits';
import { asAnswerFault, decodeBody, parse, textOf } from '../wire/body';
import { encodeFrame, encodeTakenBytes, type Frame, LineAccepted } from '../wire/frame';
import { type Channel, LiveLine } from '../line/live-line';
import { type AskOptions, Conversation, OutgoingCall, textOfRequest, Unanswered, unexpected } from './ask';

/** The reading end of a stream: sends the request, keeps items in order, and tells the producer how many were taken. */
class StreamReader<Item extends z.ZodType> {
  private readonly arrived = new ItemQueue<Uint8Array>();
  private readonly conversation: Conversation;
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
    this.conversation = new Conversation(endpoint, new OutgoingCall(contract, options, parent), contract.subject, {
      frame: (frame) => this.hear(frame),
      failed: (fault) => this.arrived.fail(fault),
      beat: () => this.sayTaken(),
    });
    this.conversation.send(text);
  }

  async *items(): AsyncGenerator<z.output<Item>> {
    try {
      for (;;) {
        const next = await this.arrived.next();
        if (!next) return;
        yield this.take(next.item);
      }
    } finally {
      // After the end this does nothing; after an early break it stops the producer.
      this.conversation.abandon();
    }
  }

  private hear(frame: Frame): void {
    if (frame.kind === 'accept') this.producer = textOf(frame.body);
    else if (frame.kind !== 'item' && frame.kind !== 'end') this.conversation.giveUp(unexpected(frame.kind));
    else if (frame.sequence !== this.expected) this.conversation.giveUp(new Unanswered(`item ${this.expected} is missing`));
    else this.keep(frame);
  }

  private keep(frame: Frame): void {
    this.expected += 1;
    if (frame.kind === 'item') return this.arrived.push(frame.body);
    this.conversation.finish();
    this.arrived.end();
  }

  private take(bytes: Uint8Array): z.output<Item> {
    this.takenItems += 1;
    this.takenBytes += bytes.byteLength;
    this.unsaidItems += 1;
    this.unsaidBytes += bytes.byteLength;
    if (this.unsaidItems >= limits.windowItems / 4 || this.unsaidBytes >= limits.windowBytes / 4) this.sayTaken();
    try {
      return decodeBody(this.contract.item, bytes);
    } catch (error) {
      this.endpoint.log.error({ err: error, subject: this.contract.subject }, 'An item does not fit its contract');
      throw asAnswerFault(error);
    }
  }

  // Also this side's sign of life: without one for two seconds, the producer stops.
  private sayTaken(): void {
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
  ...asked: ConstructorParameters<typeof StreamReader<Item>>
): AsyncGenerator<z.output<Item>> {
  yield* new StreamReader(...asked).items();
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
    let line: LiveLine<Signal> | undefined;
    const accept = (frame: Frame) => {
      if (frame.kind !== 'accept') return conversation.giveUp(unexpected(frame.kind));
      const taken = readAccepted(contract, frame);
      const opened = new LiveLine(endpoint, contract, taken.address);
      line = opened;
      call.stopClock();
      void opened.closed.then(() => conversation.finish());
      resolve({ accepted: taken.accepted, channel: opened });
    };
    const conversation = new Conversation(endpoint, call, contract.subject, {
      frame: (frame) => (line ? line.hear(frame) : attempt(() => accept(frame), conversation)),
      beat: () => line?.beat(conversation.address),
      isUrgent: true,
      failed: (fault) => {
        reject(fault);
        line?.close(fault.code);
      },
    });
    conversation.send(text);
  });
}

function attempt(work: () => void, conversation: Conversation): void {
  try {
    work();
  } catch (error) {
    const fault = asAnswerFault(error);
    conversation.giveUp(fault instanceof Fault ? fault : new Fault('INTERNAL', { cause: error }));
  }
}

function readAccepted<Accepted extends z.ZodType>(
  contract: { accepted: Accepted },
  frame: Frame,
): { address: string; accepted: z.output<Accepted> } {
  const { address, accepted } = decodeBody(LineAccepted, frame.body);
  return { address, accepted: parse(contract.accepted, accepted) };
}
