import { messageLimits } from './sip-message';

const contentLength = /^(?:content-length|l)[ \t]*:[ \t]*(\d{1,6})[ \t]*$/im;
const headEnd = '\r\n\r\n';
const nothing: Buffer = Buffer.alloc(0);

/**
 * Cuts the bytes of a connection into messages. `undefined` says that nothing sensible can follow: close the connection. However
 * small its packets are, a byte is copied and looked at a few times at most.
 */
export class MessageCutter {
  private held = nothing;
  private from = 0;
  private to = 0;
  /** Before here no head ends. */
  private searched = 0;
  /** The length of the first message, once its head is there. */
  private wanted: number | undefined;

  /** Keep-alives are dropped; the buffer never exceeds one message and its limit. */
  push(bytes: Buffer): Buffer[] | undefined {
    this.append(bytes);
    const messages: Buffer[] = [];
    for (;;) {
      this.skipKeepAlives();
      const length = this.wanted ?? this.lengthOfFirst();
      if (length === 'unknown') return messages;
      if (length === 'unreadable') return undefined;
      this.wanted = length;
      if (this.to - this.from < length) return messages;
      messages.push(this.held.subarray(this.from, this.from + length));
      this.from += length;
      this.searched = this.from;
      this.wanted = undefined;
    }
  }

  /** Messages are views on what is held: it is written behind its end only, and left behind when it is full. */
  private append(bytes: Buffer): void {
    const length = this.to - this.from;
    if (length === 0) this.hold(bytes, bytes.length);
    else if (this.to + bytes.length > this.held.length) {
      const larger = Buffer.alloc(Math.max(2 * length, length + bytes.length));
      this.held.copy(larger, 0, this.from, this.to);
      bytes.copy(larger, length);
      this.hold(larger, length + bytes.length);
    } else this.to += bytes.copy(this.held, this.to);
  }

  private hold(buffer: Buffer, length: number): void {
    this.searched = Math.max(0, this.searched - this.from);
    this.held = buffer;
    this.from = 0;
    this.to = length;
  }

  private lengthOfFirst(): number | 'unknown' | 'unreadable' {
    const since = Math.max(this.from, this.searched - headEnd.length + 1);
    const end = this.held.subarray(0, this.to).indexOf(headEnd, since);
    this.searched = this.to;
    const headBytes = (end < 0 ? this.to : end) - this.from;
    if (headBytes > messageLimits.headBytes) return 'unreadable';
    if (end < 0) return 'unknown';
    const head = this.held.toString('latin1', this.from, end).replace(/\r\n[ \t]+/g, ' ');
    // Without a length the start of the next message is unknown.
    const body = Number(contentLength.exec(head)?.[1] ?? Number.NaN);
    return body <= messageLimits.bodyBytes ? headBytes + headEnd.length + body : 'unreadable';
  }

  private skipKeepAlives(): void {
    if (this.wanted !== undefined) return;
    while (this.from < this.to && (this.held[this.from] === 0x0d || this.held[this.from] === 0x0a)) this.from += 1;
  }
}
