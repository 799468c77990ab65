import type { Passage } from '@parley/ports';

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
