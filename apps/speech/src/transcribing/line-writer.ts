/** What comes of writing down a line. */
export type Written =
  | { readonly kind: 'partial'; readonly text: string }
  /** Without a place: whatever was heard until now. */
  | { readonly kind: 'final'; readonly text: string; readonly atSample?: number }
  /** The engine is slower than the speaker, and something said was left out. */
  | { readonly kind: 'behind' }
  | { readonly kind: 'failed'; readonly failure: unknown };

/** Writes down the sound of a line. Nothing here waits but the end. */
export interface LineWriter {
  push(samples: Int16Array): void;
  /** Where it began lies before the moment at which it became certain. */
  speechStarted(atMs: number): void;
  speechEnded(): void;
  /** Resolves once everything heard has been written. */
  finish(): Promise<void>;
  /** Drops everything at once. */
  close(): void;
}
