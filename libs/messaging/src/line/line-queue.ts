import { limits } from '../limits';

export type Incoming<Signal> = { frame: Uint8Array } | { signal: Signal };

/**
 * What arrived on a live line and was not read yet. Old sound is worthless, so a full queue drops its oldest frame;
 * signals are never dropped, so too many of them are an error of the peer.
 */
export class LineQueue<Signal> {
  dropped = 0;
  private readonly queue: Incoming<Signal>[] = [];
  private frames = 0;
  private frameBytes = 0;
  private ended = false;
  private wake: (() => void) | undefined;

  pushFrame(frame: Uint8Array): void {
    this.frames += 1;
    this.frameBytes += frame.byteLength;
    while (this.frames > limits.queuedFramesMax || this.frameBytes > limits.queuedFrameBytesMax) {
      if (!this.dropOldestFrame()) break;
    }
    this.push({ frame });
  }

  /** False when there is no room left for signals. */
  pushSignal(signal: Signal): boolean {
    if (this.queue.length - this.frames >= limits.queuedSignalsMax) return false;
    this.push({ signal });
    return true;
  }

  /** What arrived before is still read. */
  end(): void {
    this.ended = true;
    this.wake?.();
  }

  async *read(): AsyncGenerator<Incoming<Signal>> {
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
