import { type ServerFrame, socketCloseCodes, type SocketWarning, socketWarnings } from '@parley/contracts';
import type { Writable } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { type Closing, socketLimits, usualBytesPerSecond } from './relay';

const { soundAheadMsMax, soundSpeedMax, textFramesAtOnce, textFramesPerSecond } = socketLimits;

/** Receives a client's frames. Must neither throw nor block. */
interface FrameListener {
  text(text: string): void;
  sound(bytes: Buffer): void;
}

/** One client's connection: input is paced, output is bounded, and a client that does not close is cut off. */
export class ClientSocket {
  /** Resolves when the connection is gone, with its close code and reason. */
  readonly closed: Promise<Closing>;
  private readonly queue: SendQueue;
  private readonly intake = new Intake();
  private isAnswering = true;
  private closing: Closing | undefined;
  private holds = 1;

  /** A new socket is not read until `begin`. */
  constructor(
    private readonly socket: WebSocket,
    stream?: Gathering,
  ) {
    socket.pause();
    this.queue = new SendQueue(socket, (how) => this.fallBehind(how), stream);
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => {
        this.queue.end();
        // A client that was cut off reports another code, or none; what counts is why it was.
        resolve(this.closing ?? { code, reason: reason.toString() });
      });
    });
    // An invalid frame closes the socket without our help.
    socket.on('error', () => undefined);
    socket.on('pong', () => (this.isAnswering = true));
  }

  set bytesPerSecond(rate: number) {
    this.queue.bytesPerSecond = rate;
    this.intake.bytesPerSecond = rate;
  }

  listen(listener: FrameListener): void {
    this.socket.on('message', (data, isBinary) => {
      this.isAnswering = true;
      if (this.closing) return;
      const bytes = bufferOf(data);
      this.pauseReading(isBinary ? this.intake.sound(bytes.length) : this.intake.text());
      if (isBinary) listener.sound(bytes);
      else listener.text(bytes.toString('utf8'));
    });
  }

  /** Starts reading the client's frames. */
  begin(): void {
    this.release();
  }

  tell(frame: ServerFrame): void {
    this.queue.text(JSON.stringify(frame));
  }

  warn(code: SocketWarning): void {
    this.queue.textFirst(JSON.stringify({ type: 'warning', code, message: socketWarnings[code] } satisfies ServerFrame));
  }

  sound(bytes: Uint8Array): void {
    this.queue.sound(bytes);
  }

  /** Drops sound not yet sent: the answer it belongs to was cancelled. */
  dropSound(): void {
    this.queue.dropSound();
  }

  /** Pings the client, and cuts off one that has sent nothing since the last ping. */
  beat(): void {
    if (this.holds > 0) return;
    if (!this.isAnswering) return this.socket.terminate();
    this.isAnswering = false;
    this.socket.ping();
  }

  /** Sends what is queued and closes. A client that does not respond is cut off. */
  close(code: number, reason: string): void {
    if (this.closing) return;
    this.closing = { code, reason };
    this.queue.finish();
    // A paused socket would not notice that the other side closes.
    this.socket.resume();
    this.socket.close(code, reason);
    const cut = setTimeout(() => this.socket.terminate(), socketLimits.closeMs);
    void this.closed.then(() => clearTimeout(cut));
  }

  private fallBehind(how: 'slow' | 'too slow'): void {
    if (how === 'slow') return this.warn('SLOW_READER');
    this.dropSound();
    this.close(socketCloseCodes.slowReader, 'the reader is too slow');
  }

  /** Stops reading for a while, so that what the client sends waits on its side. */
  private pauseReading(ms: number): void {
    if (ms <= 0) return;
    this.holds += 1;
    this.socket.pause();
    setTimeout(() => this.release(), ms).unref();
  }

  private release(): void {
    this.holds -= 1;
    if (this.holds === 0 && !this.closing) this.socket.resume();
  }
}

function bufferOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? Buffer.from(data) : data;
}

/**
 * How fast a client may send. Sound may arrive a little faster than real time, and text frames in a burst. Beyond that, the
 * result is how long to stop reading the socket, so that TCP slows the client down and nothing is lost.
 */
class Intake {
  bytesPerSecond = usualBytesPerSecond;
  private soundPaidUntilMs = 0;
  private textPaidUntilMs = 0;

  constructor(private readonly now: () => number = performance.now.bind(performance)) {}

  /** How many milliseconds to wait after this much sound. */
  sound(bytes: number): number {
    const nowMs = this.now();
    const lastsMs = (bytes * 1_000) / this.bytesPerSecond / soundSpeedMax;
    this.soundPaidUntilMs = Math.max(this.soundPaidUntilMs, nowMs) + lastsMs;
    return Math.max(0, this.soundPaidUntilMs - nowMs - soundAheadMsMax);
  }

  /** How many milliseconds to wait after one more text frame. */
  text(): number {
    const nowMs = this.now();
    const everyMs = 1_000 / textFramesPerSecond;
    this.textPaidUntilMs = Math.max(this.textPaidUntilMs, nowMs) + everyMs;
    return Math.max(0, this.textPaidUntilMs - nowMs - textFramesAtOnce * everyMs);
  }
}

interface QueuedMessage {
  readonly data: string | Uint8Array;
  readonly isSound: boolean;
}

type SendingSocket = Pick<WebSocket, 'send' | 'bufferedAmount'>;
/** The stream below a socket, which can be told to wait for more before it writes. */
type Gathering = Pick<Writable, 'cork' | 'uncork'>;

const { handedBytesMax, behindWarnedMs, behindMsMax, behindBytesMin } = socketLimits;

/**
 * Data queued for one client, in order. Most of it waits here and not in the operating system, so that the sound of an
 * interrupted answer can still be dropped, and a slow reader is noticed.
 */
export class SendQueue {
  bytesPerSecond = usualBytesPerSecond;
  private waiting: QueuedMessage[] = [];
  private waitingBytes = 0;
  private isWarned = false;
  private isOver = false;
  private isGathering = false;

  constructor(
    private readonly wire: SendingSocket,
    private readonly onBehind: (how: 'slow' | 'too slow') => void,
    private readonly stream?: Gathering,
  ) {}

  text(text: string): void {
    this.push({ data: text, isSound: false });
  }

  sound(bytes: Uint8Array): void {
    this.push({ data: bytes, isSound: true });
  }

  /** Sends text ahead of the queue, for what must not wait behind the sound that it is about. */
  textFirst(text: string): void {
    this.waiting.unshift({ data: text, isSound: false });
    this.waitingBytes += text.length;
    this.pump();
  }

  /** Drops sound that is still queued. */
  dropSound(): void {
    this.waiting = this.waiting.filter(({ isSound }) => !isSound);
    this.waitingBytes = this.waiting.reduce((sum, { data }) => sum + data.length, 0);
  }

  /** Sends everything queued because the socket is closing, and accepts nothing more. */
  finish(): void {
    this.isOver = true;
    for (const { data } of this.waiting.splice(0)) this.wire.send(data);
  }

  /** Drops everything; the socket is closed. */
  end(): void {
    this.isOver = true;
    this.waiting = [];
    this.waitingBytes = 0;
  }

  private push(item: QueuedMessage): void {
    if (this.isOver) return;
    this.waiting.push(item);
    this.waitingBytes += item.data.length;
    this.pump();
    this.watch();
  }

  private readonly pump = (): void => {
    while (!this.isOver && this.wire.bufferedAmount < handedBytesMax) {
      const next = this.waiting.shift();
      if (!next) return;
      this.waitingBytes -= next.data.length;
      this.gather();
      this.wire.send(next.data, { binary: next.isSound }, this.pump);
    }
  };

  /** Writes all frames of one turn of the event loop at once: the words of an answer mostly come several at a time. */
  private gather(): void {
    const { stream } = this;
    if (!stream || this.isGathering) return;
    this.isGathering = true;
    stream.cork();
    process.nextTick(() => {
      this.isGathering = false;
      stream.uncork();
    });
  }

  private watch(): void {
    const behindBytes = this.waitingBytes + this.wire.bufferedAmount;
    if (behindBytes > this.bytesIn(behindMsMax)) this.onBehind('too slow');
    else if (behindBytes > this.bytesIn(behindWarnedMs) && !this.isWarned) {
      this.isWarned = true;
      this.onBehind('slow');
    } else if (behindBytes < this.bytesIn(behindWarnedMs) / 2) this.isWarned = false;
  }

  private bytesIn(ms: number): number {
    return Math.max((this.bytesPerSecond * ms) / 1_000, (behindBytesMin * ms) / behindWarnedMs);
  }
}
