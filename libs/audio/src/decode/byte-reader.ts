/** Reads an asynchronous stream of bytes in the portions that a parser asks for. */
export class ByteReader {
  private readonly source: AsyncIterator<Uint8Array>;
  private held: Buffer = Buffer.alloc(0);
  private ended = false;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.source = source[Symbol.asyncIterator]();
  }

  /** Looks at up to so many bytes without taking them; fewer only at the end. */
  async peek(length: number): Promise<Uint8Array> {
    while (this.held.length < length && !this.ended) await this.fetch();
    return this.held.subarray(0, length);
  }

  /** Takes exactly so many bytes, or nothing when the stream ends before. */
  async take(length: number): Promise<Buffer | undefined> {
    await this.peek(length);
    if (this.held.length < length) return undefined;
    const taken = this.held.subarray(0, length);
    this.held = this.held.subarray(length);
    return taken;
  }

  /** Whatever is at hand, up to so many bytes; nothing at the end. */
  async some(lengthMax: number): Promise<Uint8Array | undefined> {
    while (this.held.length === 0 && !this.ended) await this.fetch();
    if (this.held.length === 0) return undefined;
    const taken = this.held.subarray(0, lengthMax);
    this.held = this.held.subarray(taken.length);
    return taken;
  }

  /** Lets the source go when nobody will read further. */
  async close(): Promise<void> {
    if (this.ended) return;
    this.ended = true;
    await this.source.return?.();
  }

  private async fetch(): Promise<void> {
    const next = await this.source.next();
    if (next.done) this.ended = true;
    else this.held = this.held.length > 0 ? Buffer.concat([this.held, next.value]) : viewOf(next.value);
  }
}

function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
