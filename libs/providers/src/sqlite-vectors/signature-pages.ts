import { SignatureKernel } from './signature-kernel.ts';

export const pageBytes = 65_536;
/** Two gigabytes, thirty million signatures of 512 dimensions: beyond it a search fails instead of the machine. */
const pagesMax = 32_768;
const queryBytesMax = 4_096;

/** The memory that a kernel searches, in pages that are given back: the signatures of every open collection of a thread. */
export class SignaturePages {
  private readonly kernel = new SignatureKernel();
  private readonly free: number[] = [];
  private used = 1;

  /** The number of a page that nobody uses. */
  take(): number {
    const known = this.free.pop();
    if (known !== undefined) return known;
    if (this.used === pagesMax) throw new RangeError('too many vectors are open');
    this.kernel.memory.grow(1);
    return this.used++;
  }

  giveBack(pages: readonly number[]): void {
    this.free.push(...pages);
  }

  write(page: number, offset: number, signature: Uint8Array): void {
    new Uint8Array(this.kernel.memory.buffer, page * pageBytes + offset, signature.length).set(signature);
  }

  /** Copies one signature over another. */
  move(from: { page: number; offset: number }, to: { page: number; offset: number }, bytes: number): void {
    const source = from.page * pageBytes + from.offset;
    new Uint8Array(this.kernel.memory.buffer).copyWithin(to.page * pageBytes + to.offset, source, source + bytes);
  }

  /** How far the first signatures of a page are from the query. The answer is only good until the next question. */
  distances(query: Uint8Array, page: number, count: number): Uint16Array {
    this.write(0, 0, query);
    this.kernel.measure({ query: 0, at: page * pageBytes, count, bytes: query.length, out: queryBytesMax });
    return new Uint16Array(this.kernel.memory.buffer, queryBytesMax, count);
  }
}
