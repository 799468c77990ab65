import { Buffer } from 'node:buffer';
import type { Hit, Passage, PassageKind } from '@parley/ports';
import { z } from 'zod';

const kinds: readonly PassageKind[] = ['document', 'faq', 'profile', 'catalogue'];

/** Kinds are kept as their place in a fixed list. Add at the end, never in between. */
export const kindCode = (kind: PassageKind): number => kinds.indexOf(kind);

/** The codes of the kinds asked for, or of all. */
export const kindCodes = (asked: readonly PassageKind[] = kinds): number[] => asked.map(kindCode);

/** What `passageOf` reads, of a table called `p`. */
export const passageColumns = 'p.passage_id, p.source, p.version, p.ordinal, p.kind, p.text, p.citation';

const Citation = z.record(z.string(), z.union([z.string(), z.number()]));
const PassageRow = z.object({
  passage_id: z.string(),
  source: z.string(),
  version: z.number(),
  ordinal: z.number(),
  kind: z.number(),
  text: z.string(),
  citation: z.string(),
  score: z.number().default(0),
});

/** A row of passages with its id and, where it was searched for, its score. */
export function passageOf(row: unknown): Hit & { id: string } {
  const { passage_id, source, version, ordinal, kind, text, citation, score } = PassageRow.parse(row);
  const passage: Passage = {
    sourceId: source,
    version,
    ordinal,
    kind: kinds[kind] ?? 'document',
    text,
    citation: Citation.parse(JSON.parse(citation)),
  };
  return { id: passage_id, passage, score };
}

/** The bytes of a vector as sqlite-vec reads them. */
export function bytesOf(vector: Float32Array): Uint8Array {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}
