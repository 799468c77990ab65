/** What is remembered of a knowledge base is a few hundred kilobytes at most. */
const basesRemembered = 200;

/** What was worked out from the tables of a knowledge base, as long as it has not changed since. */
export class RevisionMemory<Worked> {
  private readonly known = new Map<number, { revision: number; worked: Worked }>();

  /** Read anew when the knowledge base has changed; the one read longest ago makes room. */
  async of({ id, revision }: { id: number; revision: number }, read: () => Promise<Worked>): Promise<Worked> {
    const known = this.known.get(id);
    if (known?.revision === revision) return known.worked;
    const worked = await read();
    this.known.delete(id);
    this.known.set(id, { revision, worked });
    const oldest = this.known.keys().next().value;
    if (this.known.size > basesRemembered && oldest !== undefined) this.known.delete(oldest);
    return worked;
  }
}
