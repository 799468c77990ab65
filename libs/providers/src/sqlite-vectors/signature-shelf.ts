import { pageBytes, type SignaturePages } from './signature-pages.ts';

const roomAtFirst = 256;

/** The signatures of one kind of passage, side by side, so that a search passes over no others. */
export class SignatureShelf {
  private readonly memory: SignaturePages;
  private readonly bytes: number;
  private readonly perPage: number;
  private readonly pages: number[] = [];
  private readonly slots = new Map<number, number>();
  private ids = new Float64Array(roomAtFirst);
  private distances = new Uint16Array(roomAtFirst);

  /** `bytes` is the size of a signature, a multiple of eight. */
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

  /** The last one takes the place of the one that goes. */
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

  /** How far each slot is from the query. The answer is only good until the next question. */
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
