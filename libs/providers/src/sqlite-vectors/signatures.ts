import { SignaturePages } from './signature-pages.ts';
import { SignatureShelf } from './signature-shelf.ts';

const pages = new SignaturePages();
const bitsPerWord = 64;

/**
 * One sign bit for each dimension of every vector, in memory: a hundred thousand are compared in a millisecond.
 * Finds the few candidates whose exact vectors are worth reading.
 */
export class Signatures {
  private readonly bytes: number;
  private readonly shelves = new Map<number, SignatureShelf>();

  constructor(dimensions: number) {
    if (dimensions % 16 !== 0) throw new TypeError('dimensions must be a multiple of 16');
    this.bytes = Math.ceil(dimensions / bitsPerWord) * 8;
  }

  add(id: number, kind: number, signature: Uint8Array): void {
    const shelf = this.shelves.get(kind) ?? new SignatureShelf(pages, this.bytes);
    this.shelves.set(kind, shelf);
    shelf.add(id, this.padded(signature));
  }

  remove(id: number): void {
    for (const shelf of this.shelves.values()) shelf.remove(id);
  }

  /** The ids nearest by sign, at least `wanted` of them if there are so many, ties included up to twice as many. */
  nearest(signature: Uint8Array, wanted: number, kinds: ReadonlySet<number> | undefined): number[] {
    const query = this.padded(signature);
    const measured = [...this.shelves]
      .filter(([kind]) => kinds?.has(kind) ?? true)
      .map(([, shelf]) => ({ shelf, distances: shelf.measure(query) }));
    const cutoff = this.cutoff(
      measured.map(({ distances }) => distances),
      wanted,
    );
    const found: number[] = [];
    for (const { shelf, distances } of measured) {
      for (let slot = 0; slot < distances.length && found.length < wanted * 2; slot += 1)
        if ((distances[slot] ?? Infinity) <= cutoff) found.push(shelf.idAt(slot));
    }
    return found;
  }

  /** Gives the memory back. Nothing may be asked afterwards. */
  release(): void {
    for (const shelf of this.shelves.values()) shelf.release();
    this.shelves.clear();
  }

  /** The distance within which there are as many as wanted. */
  private cutoff(measured: readonly Uint16Array[], wanted: number): number {
    const histogram = new Uint32Array(this.bytes * 8 + 1);
    for (const distances of measured)
      for (let slot = 0; slot < distances.length; slot += 1) {
        const distance = distances[slot] ?? 0;
        histogram[distance] = (histogram[distance] ?? 0) + 1;
      }
    let seen = 0;
    const cutoff = histogram.findIndex((count) => (seen += count) >= wanted);
    return cutoff === -1 ? histogram.length - 1 : cutoff;
  }

  private padded(signature: Uint8Array): Uint8Array {
    if (signature.length === this.bytes) return signature;
    const padded = new Uint8Array(this.bytes);
    padded.set(signature);
    return padded;
  }
}
