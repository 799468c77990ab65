import { limits } from '../limits';

/** What a reader has taken so far. Totals, not steps: a message more or less does no harm. */
export interface Taken {
  readonly items: number;
  readonly bytes: number;
}

const totalBytes = 8;

/** The body of a credit frame; the count of items is its sequence number. */
export function encodeTakenBytes(bytes: number): Uint8Array {
  const body = Buffer.allocUnsafe(totalBytes);
  body.writeDoubleLE(bytes);
  return body;
}

/** Zero for a body that is no total: a reader who says nonsense gains no credit. */
export function decodeTakenBytes(body: Uint8Array): number {
  if (body.byteLength !== totalBytes) return 0;
  const total = new DataView(body.buffer, body.byteOffset, totalBytes).getFloat64(0, true);
  return Number.isFinite(total) ? total : 0;
}

/** The producer's count of how far its reader is behind. */
export class SendWindow {
  private sentItems = 0;
  private sentBytes = 0;
  private taken: Taken = { items: 0, bytes: 0 };
  private wake: (() => void) | undefined;

  /** Resolves once another item may be sent. One item larger than the window passes when nothing else is under way. */
  async room(signal: AbortSignal): Promise<void> {
    while (!this.isOpen() && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    signal.throwIfAborted();
  }

  sent(bytes: number): number {
    this.sentBytes += bytes;
    this.sentItems += 1;
    return this.sentItems;
  }

  credit(taken: Taken): void {
    if (taken.items > this.sentItems || taken.items < this.taken.items) return;
    this.taken = taken;
    this.wake?.();
  }

  private isOpen(): boolean {
    const items = this.sentItems - this.taken.items;
    return items === 0 || (items < limits.windowItems && this.sentBytes - this.taken.bytes < limits.windowBytes);
  }
}
