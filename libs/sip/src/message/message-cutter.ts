import { messageLimits } from './sip-message';

const contentLength = /^(?:content-length|l)[ \t]*:[ \t]*(\d{1,6})[ \t]*$/im;

/** Cuts the bytes of a connection into messages. `undefined` says that nothing sensible can follow: close the connection. */
export class MessageCutter {
  private rest: Buffer = Buffer.alloc(0);

  /** Keep-alives are dropped; the buffer never exceeds one message and its limit. */
  push(bytes: Buffer): Buffer[] | undefined {
    this.rest = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    const messages: Buffer[] = [];
    for (;;) {
      this.skipKeepAlives();
      const end = this.rest.indexOf('\r\n\r\n');
      if (end < 0) return this.rest.length > messageLimits.headBytes ? undefined : messages;
      const length = this.lengthWithBody(end);
      if (length === undefined) return undefined;
      if (this.rest.length < length) return messages;
      messages.push(this.rest.subarray(0, length));
      this.rest = this.rest.subarray(length);
    }
  }

  private lengthWithBody(end: number): number | undefined {
    if (end > messageLimits.headBytes) return undefined;
    const head = this.rest.toString('latin1', 0, end).replace(/\r\n[ \t]+/g, ' ');
    // Without a length the start of the next message is unknown.
    const body = Number(contentLength.exec(head)?.[1] ?? Number.NaN);
    return body <= messageLimits.bodyBytes ? end + 4 + body : undefined;
  }

  private skipKeepAlives(): void {
    let at = 0;
    while (this.rest[at] === 0x0d || this.rest[at] === 0x0a) at++;
    if (at > 0) this.rest = this.rest.subarray(at);
  }
}
