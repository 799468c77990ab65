import type { WebSocket } from 'ws';
import { socketLimits, usualBytesPerSecond } from './socket-limits';

interface Waiting {
  readonly data: string | Uint8Array;
  readonly isSound: boolean;
}

type Wire = Pick<WebSocket, 'send' | 'bufferedAmount'>;

const { handedBytesMax, behindWarnedMs, behindMsMax, behindBytesMin } = socketLimits;

/**
 * What is on its way to one client, in order. Most of it waits here and not in the operating system: sound of an answer that
 * was interrupted can still be dropped, and how far a reader is behind is known.
 */
export class SendQueue {
  bytesPerSecond = usualBytesPerSecond;
  private waiting: Waiting[] = [];
  private waitingBytes = 0;
  private isWarned = false;
  private isOver = false;

  constructor(
    private readonly wire: Wire,
    private readonly onBehind: (how: 'slow' | 'too slow') => void,
  ) {}

  text(text: string): void {
    this.push({ data: text, isSound: false });
  }

  sound(bytes: Uint8Array): void {
    this.push({ data: bytes, isSound: true });
  }

  /** For what must not wait behind the sound that it is about. */
  textFirst(text: string): void {
    this.waiting.unshift({ data: text, isSound: false });
    this.waitingBytes += text.length;
    this.pump();
  }

  /** Forgets the sound that still waits; nobody shall hear it any more. */
  dropSound(): void {
    this.waiting = this.waiting.filter(({ isSound }) => !isSound);
    this.waitingBytes = this.waiting.reduce((sum, { data }) => sum + data.length, 0);
  }

  /** Hands everything over that waits, for a socket that closes, and takes nothing more. */
  finish(): void {
    this.isOver = true;
    for (const { data } of this.waiting.splice(0)) this.wire.send(data);
  }

  /** Forgets everything; the socket is gone. */
  end(): void {
    this.isOver = true;
    this.waiting = [];
    this.waitingBytes = 0;
  }

  private push(item: Waiting): void {
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
      this.wire.send(next.data, { binary: next.isSound }, this.pump);
    }
  };

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
