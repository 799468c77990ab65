import { setImmediate } from 'node:timers/promises';

/** A priority queue; equal items are returned in any order. */
export class Heap<Item> {
  private readonly items: Item[] = [];

  constructor(private readonly isBefore: (one: Item, other: Item) => boolean) {}

  get size(): number {
    return this.items.length;
  }

  get first(): Item | undefined {
    return this.items[0];
  }

  push(item: Item): void {
    const { items } = this;
    let at = items.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = items[above];
      if (parent === undefined || !this.isBefore(item, parent)) break;
      items[at] = parent;
      at = above;
    }
    items[at] = item;
  }

  pop(): Item | undefined {
    const { items } = this;
    const first = items[0];
    const last = items.pop();
    if (last !== undefined && items.length > 0) this.sink(last);
    return first;
  }

  private sink(item: Item): void {
    const { items } = this;
    for (let at = 0; ;) {
      let below = 2 * at + 1;
      const [left, right] = [items[below], items[below + 1]];
      let child = left;
      if (left !== undefined && right !== undefined && this.isBefore(right, left)) [child, below] = [right, below + 1];
      if (child === undefined || !this.isBefore(child, item)) {
        items[at] = item;
        return;
      }
      items[at] = child;
      at = below;
    }
  }
}

/** After this many instants, timers and signals of the process are processed. */
const instantsBetweenTurns = 5_000;

interface DueWork {
  readonly at: number;
  readonly order: number;
  act(): void;
}

/** A clock that jumps from one task to the next, completing each before the next begins. */
export class VirtualTime {
  private readonly due = new Heap<DueWork>((one, other) => one.at < other.at || (one.at === other.at && one.order < other.order));
  private order = 0;

  constructor(private nowMs: number) {}

  readonly now = (): number => this.nowMs;

  after(ms: number, act: () => void): void {
    this.order += 1;
    this.due.push({ at: this.nowMs + ms, order: this.order, act });
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Runs until nothing is left to do, or `isOver`. */
  async run(isOver: () => boolean): Promise<void> {
    let instants = 0;
    for (let next = this.due.pop(); next && !isOver(); next = this.due.pop()) {
      this.nowMs = next.at;
      next.act();
      while (this.due.first?.at === this.nowMs) this.due.pop()?.act();
      instants += 1;
      await (instants % instantsBetweenTurns === 0 ? setImmediate() : allSettled());
    }
  }
}

/**
 * Resolves after all pending promise callbacks: a tick runs after them, and costs less than a turn of the event loop.
 */
function allSettled(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** A seeded pseudo-random generator (mulberry32). */
export class Chance {
  constructor(private state: number) {}

  /** At least 0 and below 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number within these bounds. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  isLucky(share: number): boolean {
    return this.next() < share;
  }

  oneOf<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.between(0, items.length - 1)] ?? items[0];
  }
}
