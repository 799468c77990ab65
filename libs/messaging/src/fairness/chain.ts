/** One place in a chain. Whoever holds it can take it out without looking for it. */
export interface Link<Value> {
  readonly value: Value;
  before: Link<Value> | undefined;
  after: Link<Value> | undefined;
}

/** Values in order, of which any may leave at any time: adding, taking the first or last, and leaving cost the same however many there are. */
export class Chain<Value> implements Iterable<Value> {
  private head: Link<Value> | undefined;
  private tail: Link<Value> | undefined;

  get first(): Link<Value> | undefined {
    return this.head;
  }

  get last(): Link<Value> | undefined {
    return this.tail;
  }

  /** Puts a value behind all others. */
  add(value: Value): Link<Value> {
    const link: Link<Value> = { value, before: this.tail, after: undefined };
    if (this.tail) this.tail.after = link;
    else this.head = link;
    this.tail = link;
    return link;
  }

  /** Takes a link of this chain out of it, once. */
  drop({ before, after }: Link<Value>): void {
    if (before) before.after = after;
    else this.head = after;
    if (after) after.before = before;
    else this.tail = before;
  }

  *[Symbol.iterator](): Generator<Value> {
    for (let link = this.head; link; link = link.after) yield link.value;
  }
}
