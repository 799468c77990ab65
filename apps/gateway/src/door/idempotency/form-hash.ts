import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const boundaryOf = /boundary=(?:"([^"]{1,200})"|([^;\s]{1,200}))/i;

/**
 * Hashes a multipart body without its boundary, which clients generate anew for each attempt. It works on the stream and buffers
 * at most one boundary's length.
 */
class FormHash {
  private readonly hash: Hash = createHash('sha256');
  private readonly delimiter: Buffer;
  private tail = Buffer.alloc(0);

  constructor(contentType: string) {
    const [, quoted, bare] = boundaryOf.exec(contentType) ?? [];
    this.delimiter = Buffer.from(`--${quoted ?? bare ?? ''}`);
  }

  update(chunk: Uint8Array): void {
    let rest = Buffer.concat([this.tail, chunk]);
    for (let at = rest.indexOf(this.delimiter); at >= 0; at = rest.indexOf(this.delimiter)) {
      this.hash.update(rest.subarray(0, at)).update('--boundary');
      rest = rest.subarray(at + this.delimiter.length);
    }
    const safe = Math.max(0, rest.length - this.delimiter.length + 1);
    this.hash.update(rest.subarray(0, safe));
    this.tail = rest.subarray(safe);
  }

  digest(): Buffer {
    return this.hash.update(this.tail).digest();
  }
}

/** Hashes a form while its reader reads it. */
export class BodyTap {
  private readonly hash: FormHash;
  private readonly ended = Promise.withResolvers<Buffer>();
  private final: Buffer | null = null;

  /** Must be created before the first byte arrives: in a synchronous `onRequest` hook. */
  constructor(
    private readonly body: IncomingMessage,
    scope: string,
  ) {
    this.hash = new FormHash(body.headers['content-type'] ?? '');
    this.hash.update(Buffer.from(scope));
    // The HTTP parser hands each piece of the body to `push`. A data listener would start the flow before the body has a reader.
    const push = body.push.bind(body);
    body.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
      if (chunk instanceof Uint8Array) this.hash.update(chunk);
      else if (chunk === null) this.end();
      return push(chunk, encoding);
    };
  }

  /** The hash of the whole body; null until all of it has arrived. */
  get whole(): Buffer | null {
    return this.final;
  }

  /** Reads the rest and returns the hash. */
  async drain(bytesMax: number): Promise<Buffer | 'tooLarge'> {
    let bytes = 0;
    const tooLarge = Promise.withResolvers<'tooLarge'>();
    this.body.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesMax) tooLarge.resolve('tooLarge');
    });
    this.body.once('close', () => tooLarge.resolve('tooLarge'));
    return Promise.race([this.ended.promise, tooLarge.promise]);
  }

  private end(): void {
    if (this.final) return;
    this.final = this.hash.digest();
    this.ended.resolve(this.final);
  }
}
