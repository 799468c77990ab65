/** Gives what was put in back in order; what is equal, in any order. */
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
