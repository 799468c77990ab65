/** Of all knowledge bases together; an entry is a few hundred bytes. */
const entriesRemembered = 100_000;

interface Known<Worked> {
  readonly revision: number;
  readonly worked: Worked;
  readonly entries: number;
}

/** What was worked out from the tables of a knowledge base, as long as it has not changed since. */
export class RevisionMemory<Worked> {
  private readonly known = new Map<number, Known<Worked>>();
  private entries = 0;

  constructor(private readonly entriesOf: (worked: Worked) => number) {}

  /** Read anew when the knowledge base has changed; those read longest ago make room. */
  async of({ id, revision }: { id: number; revision: number }, read: () => Promise<Worked>): Promise<Worked> {
    const known = this.known.get(id);
    if (known?.revision === revision) return known.worked;
    const worked = await read();
    this.forget(id);
    // An empty knowledge base takes room as well.
    const entries = this.entriesOf(worked) + 1;
    this.known.set(id, { revision, worked, entries });
    this.entries += entries;
    for (const oldest of this.known.keys()) if (this.entries > entriesRemembered) this.forget(oldest);
    return worked;
  }

  private forget(id: number): void {
    this.entries -= this.known.get(id)?.entries ?? 0;
    this.known.delete(id);
  }
}
