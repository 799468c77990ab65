import { AsyncResource } from 'node:async_hooks';
import type { z } from 'zod';
import type { TransportEndpoint } from '../endpoint';
import { limits } from '../limits';
import { decodeBody, encodeBody, Oversize, textOf } from '../wire/body';
import { encodeFrame, type Frame } from '../wire/frame';

type Incoming<Signal> = { frame: Uint8Array } | { signal: Signal };

const reasonCharactersMax = 200;

/** Receives what arrives on a channel. */
interface ChannelReader<Signal> {
  frame(frame: Uint8Array): void;
  signal(signal: Signal): void;
}

/** One end of a channel. Frames keep their order; a full queue drops the oldest and counts it in `dropped`. */
export interface Channel<Signal> {
  send(frame: Uint8Array): void;
  signal(signal: Signal): void;
  readonly incoming: AsyncIterable<{ frame: Uint8Array } | { signal: Signal }>;
  /**
   * Reads by callbacks, for lines of sound: a loop over `incoming` costs two promises for each frame. Resolves once everything has
   * been read; rejects if a callback throws, and reads no further.
   */
  read(reader: ChannelReader<Signal>): Promise<void>;
  readonly dropped: number;
  /** Resolves once either side has closed or gone silent. */
  readonly closed: Promise<{ reason: string }>;
  close(reason?: string): void;
}

/** Either end of an established channel; both ends work alike. */
export class ChannelEnd<Signal extends z.ZodType> implements Channel<z.output<Signal>> {
  readonly incoming: AsyncIterable<Incoming<z.output<Signal>>>;
  readonly closed: Promise<{ reason: string }>;
  private readonly queue = new IncomingQueue<z.output<Signal>>();
  private sent = 0;
  private heardSequence = 0;
  private lost = 0;
  private open = true;
  private settleClosed: (outcome: { reason: string }) => void = () => undefined;

  constructor(
    private readonly endpoint: TransportEndpoint,
    private readonly contract: { subject: string; signal: Signal },
    private readonly peer: string,
  ) {
    this.incoming = this.queue.items();
    this.closed = new Promise((resolve) => (this.settleClosed = resolve));
  }

  get dropped(): number {
    return this.queue.dropped + this.lost;
  }

  read(reader: ChannelReader<z.output<Signal>>): Promise<void> {
    return this.queue.readBy(reader);
  }

  send(frame: Uint8Array): void {
    if (frame.byteLength > limits.bodyBytesMax) throw new Oversize(frame.byteLength);
    this.post('frame', frame);
  }

  signal(signal: z.output<Signal>): void {
    this.post('signal', encodeBody(this.contract.signal, signal));
  }

  close(reason = 'closed'): void {
    this.post('close', reason.slice(0, reasonCharactersMax));
    this.ended(reason);
  }

  /**
   * Called by the owner of the line: sends a sign of life to the other side. If the other process has ended, the transport
   * reports it at once; only a process that hangs has to time out.
   */
  beat(reply: string): void {
    if (this.open) this.endpoint.transport.publish(this.peer, encodeFrame('beat', 0), { reply });
  }

  /** Called by the owner of the line: a frame arrived from the other side. */
  hear(frame: Frame): void {
    if (!this.open || frame.sequence <= this.heardSequence) return;
    this.lost += frame.sequence - this.heardSequence - 1;
    this.heardSequence = frame.sequence;
    if (frame.kind === 'frame') this.queue.pushFrame(frame.body);
    else if (frame.kind === 'close') this.ended(textOf(frame.body));
    else if (frame.kind === 'signal') this.hearSignal(frame.body);
  }

  /** Called by the owner of the line: the other side has ended. */
  ended(reason: string): void {
    if (!this.open) return;
    this.open = false;
    this.queue.end();
    this.settleClosed({ reason });
  }

  private hearSignal(body: Uint8Array): void {
    try {
      if (!this.queue.pushSignal(decodeBody(this.contract.signal, body))) this.close('too many unread signals');
    } catch (error) {
      this.endpoint.log.error({ err: error, subject: this.contract.subject }, 'A signal does not fit its contract');
      this.close('a signal does not fit its contract');
    }
  }

  private post(kind: 'frame' | 'signal' | 'close', body: Uint8Array | string): void {
    if (!this.open) return;
    this.sent += 1;
    this.endpoint.transport.publish(this.peer, encodeFrame(kind, this.sent, body));
  }
}

/**
 * What arrived on a channel and was not read yet. Old sound is worthless, so a full queue drops its oldest frame. Signals are
 * never dropped, so too many of them are the peer's error.
 */
class IncomingQueue<Signal> {
  dropped = 0;
  private readonly queue: Incoming<Signal>[] = [];
  private frames = 0;
  private frameBytes = 0;
  private ended = false;
  private wake: (() => void) | undefined;
  private reading: Reading<Signal> | undefined;

  pushFrame(frame: Uint8Array): void {
    if (this.reading) return this.reading.frame(frame);
    this.frames += 1;
    this.frameBytes += frame.byteLength;
    while (this.frames > limits.queuedFramesMax || this.frameBytes > limits.queuedFrameBytesMax) {
      if (!this.dropOldestFrame()) break;
    }
    this.push({ frame });
  }

  /** Returns false if there is no room for more signals. */
  pushSignal(signal: Signal): boolean {
    if (this.reading) {
      this.reading.signal(signal);
      return true;
    }
    if (this.queue.length - this.frames >= limits.queuedSignalsMax) return false;
    this.push({ signal });
    return true;
  }

  /** What arrived before can still be read. */
  end(): void {
    this.ended = true;
    this.wake?.();
    this.reading?.end();
  }

  readBy(reader: ChannelReader<Signal>): Promise<void> {
    const reading = new Reading(reader);
    // A callback may cause something else to arrive, which has to wait for what arrived before.
    for (let next = this.queue.shift(); next; next = this.queue.shift()) {
      if ('signal' in next) reading.signal(next.signal);
      else {
        this.forget(next.frame);
        reading.frame(next.frame);
      }
    }
    this.reading = reading;
    if (this.ended) reading.end();
    return reading.over;
  }

  async *items(): AsyncGenerator<Incoming<Signal>> {
    for (;;) {
      const next = this.queue.shift();
      if (next) {
        if ('frame' in next) this.forget(next.frame);
        yield next;
      } else if (this.ended) return;
      else await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  private push(item: Incoming<Signal>): void {
    this.queue.push(item);
    this.wake?.();
  }

  private dropOldestFrame(): boolean {
    const index = this.queue.findIndex((item) => 'frame' in item);
    const [oldest] = index < 0 ? [] : this.queue.splice(index, 1);
    if (!oldest || !('frame' in oldest)) return false;
    this.forget(oldest.frame);
    this.dropped += 1;
    return true;
  }

  private forget(frame: Uint8Array): void {
    this.frames -= 1;
    this.frameBytes -= frame.byteLength;
  }
}

/** Calls a reader in the async context in which it began to read, and not at all once it has thrown. */
class Reading<Signal> {
  readonly over: Promise<void>;
  private readonly context = new AsyncResource('ChannelReading');
  private readonly settling = Promise.withResolvers<void>();
  private hasFailed = false;

  constructor(private readonly reader: ChannelReader<Signal>) {
    this.over = this.settling.promise;
  }

  frame(frame: Uint8Array): void {
    this.attempt(this.reader.frame, frame);
  }

  signal(signal: Signal): void {
    this.attempt(this.reader.signal, signal);
  }

  end(): void {
    this.settling.resolve();
  }

  private attempt<Item>(hear: (item: Item) => void, item: Item): void {
    if (this.hasFailed) return;
    try {
      this.context.runInAsyncScope(hear, this.reader, item);
    } catch (error) {
      this.hasFailed = true;
      this.settling.reject(error);
    }
  }
}
