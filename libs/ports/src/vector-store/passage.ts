import { createHash } from 'node:crypto';

/** Where a passage stands in its source, for the reader who wants to check: page, row, sheet, heading, title. */
export type Citation = Readonly<Record<string, string | number>>;

export type PassageKind = 'document' | 'faq' | 'profile' | 'catalogue';

/** A piece of a knowledge base that can be found on its own. */
export interface Passage {
  /** What it was cut from; replaced as a whole, version by version. */
  readonly sourceId: string;
  readonly version: number;
  readonly ordinal: number;
  readonly kind: PassageKind;
  readonly text: string;
  readonly citation: Citation;
}

/** A passage as it goes into a store: with what it is found by. */
export interface IndexedPassage extends Passage {
  readonly vector: Float32Array;
  /** The words it is found by, already normalized and stemmed, repeated as often as they occur. */
  readonly terms: readonly string[];
}

export interface Collection {
  readonly orgId: number;
  readonly knowledgeBaseId: number;
}

/** The public name of a knowledge base's vectors. */
export function collectionName({ orgId, knowledgeBaseId }: Collection): string {
  if (!Number.isSafeInteger(orgId) || !Number.isSafeInteger(knowledgeBaseId)) throw new TypeError('not a collection');
  return `kb_embeddings_${orgId}_${knowledgeBaseId}`;
}

/** The same UUID for the same place in a source: staging a passage twice keeps one. */
export function passageId({ sourceId, version, ordinal }: Pick<Passage, 'sourceId' | 'version' | 'ordinal'>): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([sourceId, version, ordinal]))
    .digest('hex');
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `8${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join('-');
}
