const pageBytes = 65_536;
/** Two gigabytes, or thirty million signatures of 512 dimensions; beyond that a search fails rather than exhausting the machine. */
const pagesMax = 32_768;
const queryBytesMax = 4_096;

/** The memory with the signatures of all open collections of a thread, in pages that can be freed. */
class SignaturePages {
  private readonly kernel = new SignatureKernel();
  private readonly free: number[] = [];
  private used = 1;

  /** The number of a free page. */
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

  /** The distances of the first signatures of a page from the query. The result is overwritten by the next call. */
  distances(query: Uint8Array, page: number, count: number): Uint16Array {
    this.write(0, 0, query);
    this.kernel.measure({ query: 0, at: page * pageBytes, count, bytes: query.length, out: queryBytesMax });
    return new Uint16Array(this.kernel.memory.buffer, queryBytesMax, count);
  }
}

const op = {
  ...{ block: 0x02, loop: 0x03, end: 0x0b, branchIf: 0x0d, get: 0x20, set: 0x21, tee: 0x22 },
  ...{ load64: 0x29, store16of64: 0x3d, const32: 0x41, const64: 0x42, isZero32: 0x45, isLess32: 0x49 },
  ...{ add32: 0x6a, subtract32: 0x6b, bitsSet64: 0x7b, add64: 0x7c, xor64: 0x85 },
} as const;
const type = { i32: 0x7f, i64: 0x7e, function: 0x60, none: 0x40 } as const;
const [query, at, count, bytes, out, end, queryAt, bits] = [0, 1, 2, 3, 4, 5, 6, 7];
const unaligned = [0, 0];

const advance = (local: number, by: number) => [op.get, local, op.const32, by, op.add32];

/** WebAssembly that counts the bits in which a signature differs from the query, eight bytes at a time. */
const compareOne = [
  ...[op.const64, 0, op.set, bits, op.get, query, op.set, queryAt],
  ...[op.get, at, op.get, bytes, op.add32, op.set, end],
  ...[op.loop, type.none],
  ...[op.get, bits, op.get, at, op.load64, ...unaligned, op.get, queryAt, op.load64, ...unaligned],
  ...[op.xor64, op.bitsSet64, op.add64, op.set, bits],
  ...[...advance(queryAt, 8), op.set, queryAt, ...advance(at, 8), op.tee, at],
  ...[op.get, end, op.isLess32, op.branchIf, 0, op.end],
];
const compareAll = [
  ...[op.block, type.none, op.get, count, op.isZero32, op.branchIf, 0],
  ...[op.loop, type.none, ...compareOne],
  ...[op.get, out, op.get, bits, op.store16of64, ...unaligned, ...advance(out, 2), op.set, out],
  ...[op.get, count, op.const32, 1, op.subtract32, op.tee, count, op.branchIf, 0, op.end],
  ...[op.end, op.end],
];

const letters = (word: string) => [...word].map((letter) => letter.charCodeAt(0));
const named = (word: string) => [word.length, ...letters(word)];
/** Encodes a length as LEB128. */
const length = (size: number): number[] => (size < 128 ? [size] : [(size & 127) | 128, ...length(size >>> 7)]);
const section = (id: number, content: readonly number[]) => [id, ...length(content.length), ...content];
const locals = [2, 2, type.i32, 1, type.i64];
const body = [...locals, ...compareAll];

const program = Uint8Array.from([
  ...[0, ...letters('asm'), 1, 0, 0, 0],
  ...section(1, [1, type.function, 5, ...new Array<number>(5).fill(type.i32), 0]),
  ...section(3, [1, 0]),
  ...section(5, [1, 0, 1]),
  ...section(7, [2, ...named('memory'), 2, 0, ...named('measure'), 0, 0]),
  ...section(10, [1, ...length(body.length), ...body]),
]);

/**
 * Counts the bits in which signatures differ from a query. It is WebAssembly, because JavaScript has no instruction to count bits and a
 * lookup table takes eight times as long. The size of signatures is a multiple of eight bytes.
 */
export class SignatureKernel {
  readonly memory: WebAssembly.Memory;
  private readonly compare: (...numbers: readonly number[]) => unknown;

  constructor() {
    const { memory, measure } = new WebAssembly.Instance(new WebAssembly.Module(program)).exports;
    if (!(memory instanceof WebAssembly.Memory) || typeof measure !== 'function') throw new TypeError('not the kernel');
    this.memory = memory;
    this.compare = (...numbers): unknown => Reflect.apply(measure, undefined, numbers);
  }

  /** Writes a distance of two bytes for each signature. */
  measure({ query: asked, at: first, count: signatures, bytes: size, out: distances }: Measured): void {
    this.compare(asked, first, signatures, size, distances);
  }
}

const pages = new SignaturePages();
const bitsPerWord = 64;

/**
 * The sign bits of all vectors, in memory. A hundred thousand are compared in a millisecond, which finds the few candidates whose exact
 * vectors are worth reading.
 */
export class Signatures {
  private readonly bytes: number;
  private readonly shelves = new Map<number, SignaturesOfKind>();

  constructor(dimensions: number) {
    if (dimensions % 16 !== 0) throw new TypeError('dimensions must be a multiple of 16');
    this.bytes = Math.ceil(dimensions / bitsPerWord) * 8;
  }

  add(id: number, kind: number, signature: Uint8Array): void {
    const shelf = this.shelves.get(kind) ?? new SignaturesOfKind(pages, this.bytes);
    this.shelves.set(kind, shelf);
    shelf.add(id, this.padded(signature));
  }

  remove(id: number): void {
    for (const shelf of this.shelves.values()) shelf.remove(id);
  }

  /** The ids nearest by sign bits: `wanted` of them if there are that many, with ties up to twice as many. */
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

  /** Frees the memory. It must not be used afterwards. */
  release(): void {
    for (const shelf of this.shelves.values()) shelf.release();
    this.shelves.clear();
  }

  /** The distance within which there are at least `wanted` signatures. */
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

const roomAtFirst = 256;

/** The signatures of one kind of passage, stored together, so that a search need not skip others. */
class SignaturesOfKind {
  private readonly memory: SignaturePages;
  private readonly bytes: number;
  private readonly perPage: number;
  private readonly pages: number[] = [];
  private readonly slots = new Map<number, number>();
  private ids = new Float64Array(roomAtFirst);
  private distances = new Uint16Array(roomAtFirst);

  /** @param bytes The size of a signature, a multiple of eight. */
  constructor(memory: SignaturePages, bytes: number) {
    this.memory = memory;
    this.bytes = bytes;
    this.perPage = Math.floor(pageBytes / bytes);
  }

  get size(): number {
    return this.slots.size;
  }

  idAt(slot: number): number {
    return this.ids[slot] ?? 0;
  }

  add(id: number, signature: Uint8Array): void {
    const slot = this.slots.get(id) ?? this.slots.size;
    if (slot === this.ids.length) this.grow();
    if (slot === this.pages.length * this.perPage) this.pages.push(this.memory.take());
    this.slots.set(id, slot);
    this.ids[slot] = id;
    const { page, offset } = this.placeOf(slot);
    this.memory.write(page, offset, signature);
  }

  /** Removes a signature, moving the last one into its slot. */
  remove(id: number): void {
    const slot = this.slots.get(id);
    if (slot === undefined) return;
    const last = this.slots.size - 1;
    const moved = this.idAt(last);
    this.memory.move(this.placeOf(last), this.placeOf(slot), this.bytes);
    this.ids[slot] = moved;
    this.slots.set(moved, slot);
    this.slots.delete(id);
  }

  /** The distance of each slot from the query. The result is overwritten by the next call. */
  measure(query: Uint8Array): Uint16Array {
    for (let from = 0, page = 0; from < this.size; from += this.perPage, page += 1) {
      const count = Math.min(this.perPage, this.size - from);
      this.distances.set(this.memory.distances(query, this.pages[page] ?? 0, count), from);
    }
    return this.distances.subarray(0, this.size);
  }

  release(): void {
    this.memory.giveBack(this.pages.splice(0));
    this.slots.clear();
  }

  private placeOf(slot: number): { page: number; offset: number } {
    return { page: this.pages[Math.floor(slot / this.perPage)] ?? 0, offset: (slot % this.perPage) * this.bytes };
  }

  private grow(): void {
    const ids = new Float64Array(this.ids.length * 2);
    ids.set(this.ids);
    this.ids = ids;
    this.distances = new Uint16Array(ids.length);
  }
}

/** The addresses of query, signatures and distances, and the number and size of signatures. */
interface Measured {
  readonly query: number;
  readonly at: number;
  readonly count: number;
  readonly bytes: number;
  readonly out: number;
}
