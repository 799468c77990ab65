import { Injectable } from '@nestjs/common';
import { indexTerms } from '@parley/language';
import type { Collection, IndexedPassage, Passage } from '@parley/ports';
import { Engines } from '../engines';
import type { PassageDraft } from './entry-indexing';

/** A draft with its place: which source, which version, which part of it. */
export interface PlacedDraft extends PassageDraft {
  readonly sourceId: string;
  readonly version: number;
  readonly ordinal: number;
}

/** Embeds passages and puts them into the store, unseen until their source is published. */
@Injectable()
export class PassageIndex {
  constructor(private readonly engines: Engines) {}

  get space(): string {
    return this.engines.embeddings.capabilities.space.name;
  }

  prepare(collection: Collection): Promise<void> {
    return this.engines.vectors.prepare(collection, this.engines.embeddings.capabilities.space);
  }

  async stage(collection: Collection, drafts: readonly PlacedDraft[], signal?: AbortSignal): Promise<void> {
    const { embeddings, vectors } = this.engines;
    const meanings = await embeddings.embed(
      drafts.map(({ meaning }) => meaning),
      { ...(signal && { signal }) },
    );
    const passages = drafts.flatMap(({ meaning: _meaning, ...passage }, index): IndexedPassage[] => {
      const vector = meanings[index];
      return vector ? [{ ...passage, vector, terms: indexTerms(passage.text) }] : [];
    });
    const { passagesPerCall } = vectors.capabilities;
    for (let from = 0; from < passages.length; from += passagesPerCall) {
      await vectors.stage(collection, embeddings.capabilities.space, passages.slice(from, from + passagesPerCall));
    }
  }

  publish(collection: Collection, sourceId: string, version: number): Promise<void> {
    return this.engines.vectors.publish(collection, sourceId, version);
  }
}

const prefixes = {
  DOCUMENT: 'document',
  FAQ: 'faq',
  BUSINESS_PROFILE: 'profile',
  PRODUCT: 'product',
  SERVICE: 'service',
} as const;

export type SourceKind = keyof typeof prefixes;

/** What a source is called in the vector store. */
export function sourceName(kind: SourceKind, id: number): string {
  return `${prefixes[kind]}:${id}`;
}

/** The source that a passage was cut from, as the public API names it. */
export function sourceOf({ sourceId, citation }: Passage) {
  const [prefix, id] = sourceId.split(':');
  const kind = sourceKinds.find((candidate) => prefixes[candidate] === prefix) ?? 'DOCUMENT';
  const number = (value: string | number | undefined) => (typeof value === 'number' ? value : null);
  return {
    kind,
    id: Number(id),
    keyID: String(citation.key),
    title: String(citation.title),
    page: number(citation.page),
    row: number(citation.row),
  };
}

const sourceKinds = ['DOCUMENT', 'FAQ', 'BUSINESS_PROFILE', 'PRODUCT', 'SERVICE'] as const satisfies readonly SourceKind[];
