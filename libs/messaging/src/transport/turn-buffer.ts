const itemsMax = 256;
const bytesMax = 64 * 1024;

/**
 * Gathers what one turn of the event loop sends and hands it over at the turn's end, or earlier when it is much: what
 * many callers send at the same moment then costs one write to a socket and not one each. Keeps the order.
 */
export class TurnBuffer<Item> {
  private items: Item[] = [];
  private bytes = 0;
  private timer: NodeJS.Immediate | undefined;

  constructor(private readonly handOver: (items: readonly Item[]) => void) {}

  add(item: Item, bytes: number): void {
    this.items.push(item);
    this.bytes += bytes;
    if (this.items.length >= itemsMax || this.bytes >= bytesMax) this.flush();
    else this.timer ??= setImmediate(() => this.flush());
  }

  /** Hands over at once what has been gathered. */
  flush(): void {
    clearImmediate(this.timer);
    this.timer = undefined;
    const { items } = this;
    this.items = [];
    this.bytes = 0;
    if (items.length > 0) this.handOver(items);
  }
}
