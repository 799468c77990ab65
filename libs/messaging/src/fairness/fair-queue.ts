/**
 * What waits, by the organization that it belongs to. The organizations take turns, however much each of them has waiting; within
 * one, first come is first served. The queue is bounded: when it is full, whoever has most waiting makes room for who has less.
 */
export class FairQueue<Item> {
  private readonly lines = new Map<unknown, Item[]>();
  private readonly kept = new Set<Item>();
  private count = 0;

  constructor(private readonly max: number) {}

  get size(): number {
    return this.count;
  }

  /**
   * Puts an item behind those of its organization. In a full queue another item has to go, and is answered: the youngest of the
   * organization with most of them, which may be the new one itself.
   */
  push(organization: unknown, item: Item): Item | undefined {
    this.append(organization, item);
    if (this.count <= this.max) return undefined;
    const fresh = [...this.lines.values()].map((line) => line.filter((each) => !this.kept.has(each)));
    const youngest = fresh.reduce((one, other) => (other.length > one.length ? other : one)).at(-1);
    if (youngest !== undefined) this.remove(youngest);
    return youngest;
  }

  /** The same for what must not be turned away, also when the queue is full. */
  keep(organization: unknown, item: Item): void {
    this.kept.add(item);
    this.append(organization, item);
  }

  /** The next item: the oldest of the organization whose turn it is. Organizations that may not come now keep their turn. */
  shift(mayCome: (organization: unknown) => boolean = () => true): Item | undefined {
    for (const [organization, line] of this.lines) {
      if (!mayCome(organization)) continue;
      const item = line.shift();
      this.count -= 1;
      if (item !== undefined) this.kept.delete(item);
      // Behind the others now, if it still has something waiting.
      this.lines.delete(organization);
      if (line.length > 0) this.lines.set(organization, line);
      return item;
    }
    return undefined;
  }

  /** Everything that waits. */
  values(): Item[] {
    return [...this.lines.values()].flat();
  }

  /** Whoever does not wait any more leaves the queue. Answers whether it was in it. */
  remove(item: Item): boolean {
    for (const [organization, line] of this.lines) {
      const at = line.indexOf(item);
      if (at < 0) continue;
      line.splice(at, 1);
      this.kept.delete(item);
      this.count -= 1;
      if (line.length === 0) this.lines.delete(organization);
      return true;
    }
    return false;
  }

  private append(organization: unknown, item: Item): void {
    const line = this.lines.get(organization);
    if (line) line.push(item);
    else this.lines.set(organization, [item]);
    this.count += 1;
  }
}
