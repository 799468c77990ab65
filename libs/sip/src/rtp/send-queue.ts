const frameBytes = 160;

/** What a frame's turn brings: the marks that everything before it has passed, and the sound, if there is any. */
interface Turn {
  readonly marks: readonly string[];
  readonly payload: Uint8Array | undefined;
}

/** Sound on its way out, and the marks between it. Sound that no full frame is left of waits one turn for more. */
export class SendQueue {
  private items: (Uint8Array | string)[] = [];
  private offset = 0;
  private bytes = 0;
  private hasWaited = false;

  constructor(private readonly limits = { bytes: 8000 * 120, marks: 1000 }) {}

  /** Milliseconds of sound that wait. */
  get queuedMs(): number {
    return this.bytes / 8;
  }

  /** False when it would not fit: nothing of it is taken. */
  push(sound: Uint8Array): boolean {
    if (this.bytes + sound.length > this.limits.bytes || this.items.length >= this.limits.bytes / frameBytes + this.limits.marks)
      return false;
    if (sound.length > 0) this.items.push(sound);
    this.bytes += sound.length;
    return true;
  }

  mark(name: string): boolean {
    if (this.items.length >= this.limits.bytes / frameBytes + this.limits.marks) return false;
    this.items.push(name);
    return true;
  }

  /** Drops everything; the names of the marks that were in it. */
  clear(): string[] {
    const marks = this.items.filter((item) => typeof item === 'string');
    this.items = [];
    this.offset = this.bytes = 0;
    return marks;
  }

  /** One frame's turn, every 20 ms. */
  take(silent: number): Turn {
    const marks = this.passedMarks();
    const ready = this.readyBytes();
    if (ready === 0) return { marks, payload: undefined };
    if (ready < frameBytes && !this.hasWaited && ready === this.bytes && !this.items.some((item) => typeof item === 'string')) {
      this.hasWaited = true;
      return { marks, payload: undefined };
    }
    this.hasWaited = false;
    return { marks, payload: this.cut(Math.min(ready, frameBytes), silent) };
  }

  private passedMarks(): string[] {
    const marks: string[] = [];
    for (let first = this.items[0]; typeof first === 'string'; first = this.items[0]) {
      marks.push(first);
      this.items.shift();
    }
    return marks;
  }

  /** How much of a frame there is before the next mark. */
  private readyBytes(): number {
    let ready = -this.offset;
    for (const item of this.items) {
      if (typeof item === 'string' || ready >= frameBytes) break;
      ready += item.length;
    }
    return Math.max(0, ready);
  }

  private cut(length: number, silent: number): Uint8Array {
    const first = this.items[0];
    this.bytes -= length;
    if (typeof first === 'object' && first.length - this.offset >= frameBytes) {
      const whole = first.subarray(this.offset, this.offset + frameBytes);
      this.advance(first, frameBytes);
      return whole;
    }
    const frame = new Uint8Array(frameBytes).fill(silent, length);
    for (let filled = 0; filled < length;) {
      const item = this.items[0];
      if (typeof item !== 'object') break;
      const part = item.subarray(this.offset, this.offset + length - filled);
      frame.set(part, filled);
      filled += part.length;
      this.advance(item, part.length);
    }
    return frame;
  }

  private advance(item: Uint8Array, bytes: number): void {
    this.offset += bytes;
    if (this.offset < item.length) return;
    this.items.shift();
    this.offset = 0;
  }
}
