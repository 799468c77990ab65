const op = {
  ...{ block: 0x02, loop: 0x03, end: 0x0b, branchIf: 0x0d, get: 0x20, set: 0x21, tee: 0x22 },
  ...{ load64: 0x29, store16of64: 0x3d, const32: 0x41, const64: 0x42, isZero32: 0x45, isLess32: 0x49 },
  ...{ add32: 0x6a, subtract32: 0x6b, bitsSet64: 0x7b, add64: 0x7c, xor64: 0x85 },
} as const;
const type = { i32: 0x7f, i64: 0x7e, function: 0x60, none: 0x40 } as const;
const [query, at, count, bytes, out, end, queryAt, bits] = [0, 1, 2, 3, 4, 5, 6, 7];
const unaligned = [0, 0];

const advance = (local: number, by: number) => [op.get, local, op.const32, by, op.add32];

/** Adds up the bits in which one signature differs from the query, eight bytes at a time. */
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
/** Lengths are numbers of seven bits a byte. */
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

/** Where the query and the signatures lie, how many there are, of how many bytes each, and where the distances go. */
export interface Measured {
  readonly query: number;
  readonly at: number;
  readonly count: number;
  readonly bytes: number;
  readonly out: number;
}

/**
 * Counts the bits in which signatures differ from a query. WebAssembly, because JavaScript has no instruction that
 * counts bits: a table of counts takes eight times as long. Signatures are multiples of eight bytes.
 */
export class SignatureKernel {
  readonly memory: WebAssembly.Memory;
  private readonly compare: Function;

  constructor() {
    const { memory, measure } = new WebAssembly.Instance(new WebAssembly.Module(program)).exports;
    if (!(memory instanceof WebAssembly.Memory) || typeof measure !== 'function') throw new TypeError('not the kernel');
    this.memory = memory;
    this.compare = measure;
  }

  /** Writes one distance of two bytes for each signature. */
  measure({ query: asked, at: first, count: signatures, bytes: size, out: distances }: Measured): void {
    this.compare(asked, first, signatures, size, distances);
  }
}
