/**
 * Reads the first item at once and keeps it, or the failure, until somebody asks. What is not read to its end must be left: whoever
 * makes the items stops as soon as the next one has come.
 */
export class ReadAhead<Item> {
  private readonly first: Promise<IteratorResult<Item, unknown>>;

  constructor(private readonly items: AsyncGenerator<Item>) {
    this.first = items.next();
    this.first.catch(() => undefined);
  }

  async *all(): AsyncGenerator<Item> {
    for (let next = await this.first; !next.done; next = await this.items.next()) yield next.value;
  }

  async leave(): Promise<void> {
    await this.items.return(undefined).catch(() => undefined);
  }
}
