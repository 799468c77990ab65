/** How a cache of keys is bounded. */
export interface KeyCacheLimits {
  readonly entriesMax: number;
  readonly ttlMs: number;
}

interface Kept<Value> {
  readonly value: Value;
  readonly untilMs: number;
}

/** Remembers what was found for a key, for a short while and for so many keys; the one longest unused goes first. */
export class KeyCache<Value> {
  private readonly entries = new Map<string, Kept<Value>>();

  constructor(
    private readonly limits: KeyCacheLimits,
    private readonly now: () => number = Date.now,
  ) {}

  get size(): number {
    return this.entries.size;
  }

  get(id: string): Value | undefined {
    const kept = this.entries.get(id);
    if (!kept) return undefined;
    if (kept.untilMs > this.now()) return kept.value;
    this.entries.delete(id);
    return undefined;
  }

  set(id: string, value: Value): void {
    // What is set anew goes to the end of the line. Reading does not: within the short life of an entry, age says enough.
    this.entries.delete(id);
    this.entries.set(id, { value, untilMs: this.now() + this.limits.ttlMs });
    if (this.entries.size <= this.limits.entriesMax) return;
    const [oldest] = this.entries.keys();
    if (oldest !== undefined) this.entries.delete(oldest);
  }

  /** Forgets what fits. */
  forget(fits: (value: Value) => boolean): void {
    for (const [id, { value }] of this.entries) if (fits(value)) this.entries.delete(id);
  }

  clear(): void {
    this.entries.clear();
  }
}
