import { Injectable } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import { indexTerms } from '@parley/language';
import type { Citation, Collection, IndexedPassage, Passage, PassageKind } from '@parley/ports';
import { LRUCache } from 'lru-cache';
import type { EntityManager, EntityTarget } from 'typeorm';
import {
  BusinessProfileEntity,
  CatalogItemEntity,
  FaqEntity,
  KnowledgeBaseEntity,
  type SourceColumns,
} from '../database/entities';
import { Engines } from '../engines';

/** A draft with its position: source, version and part. */
export interface PlacedDraft extends PassageDraft {
  readonly sourceId: string;
  readonly version: number;
  readonly ordinal: number;
}

const vectorsKept = 500;

/** Embeds passages and stores them, invisible to searches until their source is published. */
@Injectable()
export class PassageIndex {
  private readonly lately = new LRUCache<string, Float32Array>({ max: vectorsKept });

  constructor(private readonly engines: Engines) {}

  get space(): string {
    return this.engines.embeddings.capabilities.space.name;
  }

  prepare(collection: Collection): Promise<void> {
    return this.engines.vectors.prepare(collection, this.engines.embeddings.capabilities.space);
  }

  /** The vectors of texts. Documents repeat notices and tables on every page: what was embedded lately is not again. */
  async vectorsOf(texts: readonly string[]): Promise<(Float32Array | undefined)[]> {
    const known = new Map(texts.map((text) => [text, this.lately.get(text)] as const));
    const fresh = [...known.keys()].filter((text) => known.get(text) === undefined);
    const vectors = fresh.length === 0 ? [] : await this.engines.embeddings.embed(fresh);
    for (const [place, vector] of vectors.entries()) {
      const text = fresh[place] ?? '';
      known.set(text, vector);
      this.lately.set(text, vector);
    }
    return texts.map((text) => known.get(text));
  }

  async stage(collection: Collection, drafts: readonly PlacedDraft[]): Promise<void> {
    const { embeddings, vectors } = this.engines;
    const meanings = await this.vectorsOf(drafts.map(({ meaning }) => meaning));
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

type SourceKind = keyof typeof prefixes;

/** The name of a source in the vector store. */
export function sourceName(kind: SourceKind, id: number): string {
  return `${prefixes[kind]}:${id}`;
}

/** The source that a passage comes from, as the public API names it. */
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

interface EntryType<Row extends SourceColumns> {
  readonly entity: EntityTarget<Row>;
  readonly kindOf: (row: Row) => SourceKind;
  readonly passagesOf: (row: Row) => PassageDraft[];
}

const entriesPerBatch = 64;

/** Indexes a knowledge base's FAQs, profile and catalogue: every entry that differs from its searchable version. */
@Injectable()
export class EntryIndexing {
  constructor(
    private readonly tenants: TenantScope,
    private readonly index: PassageIndex,
    private readonly engines: Engines,
  ) {}

  async run(collection: Collection, stillOurs: () => Promise<void>): Promise<void> {
    await this.index.prepare(collection);
    const faqs: EntryType<FaqEntity> = { entity: FaqEntity, kindOf: () => 'FAQ', passagesOf: faqPassages };
    const profiles: EntryType<BusinessProfileEntity> = {
      entity: BusinessProfileEntity,
      kindOf: () => 'BUSINESS_PROFILE',
      passagesOf: profilePassages,
    };
    const items: EntryType<CatalogItemEntity> = {
      entity: CatalogItemEntity,
      kindOf: ({ kind }) => kind,
      passagesOf: itemPassages,
    };
    const batches = [
      () => this.batch(collection, faqs),
      () => this.batch(collection, profiles),
      () => this.batch(collection, items),
    ];
    for (const batch of batches) while (await batch()) await stillOurs();
    await this.tenants.run(collection.orgId, (manager) => claimSpace(manager, collection, this.index.space));
  }

  /** Returns false once no entry of this type differs any more. */
  private async batch<Row extends SourceColumns>(collection: Collection, type: EntryType<Row>): Promise<boolean> {
    const rows = await this.tenants.read(collection.orgId, (manager) => differing(manager, collection, type.entity));
    const [gone, present] = [rows.filter(({ deletedOn }) => deletedOn), rows.filter(({ deletedOn }) => !deletedOn)];
    const nameOf = (row: Row) => sourceName(type.kindOf(row), row.id);
    const passages = present.map((row) =>
      type.passagesOf(row).map((draft, ordinal) => ({ ...draft, sourceId: nameOf(row), version: row.version, ordinal })),
    );
    await this.index.stage(collection, passages.flat());
    for (const row of present) await this.index.publish(collection, nameOf(row), row.version);
    for (const row of gone) await this.engines.vectors.removeSource(collection, nameOf(row));
    const counted = present.map(({ id, version }, index) => ({ id, version, chunks: passages[index]?.length ?? 0 }));
    await this.tenants.run(collection.orgId, (manager) => remember(manager, type.entity, counted, gone));
    return rows.length > 0;
  }
}

function differing<Row extends SourceColumns>(
  manager: EntityManager,
  { knowledgeBaseId }: Collection,
  entity: EntityTarget<Row>,
): Promise<Row[]> {
  return manager
    .createQueryBuilder(entity, 'entry')
    .where('entry.knowledge_base_id = :knowledgeBaseId', { knowledgeBaseId })
    .andWhere('(entry.indexed_version IS DISTINCT FROM entry.version OR entry.deleted_on IS NOT NULL)')
    .orderBy('entry.id')
    .take(entriesPerBatch)
    .getMany();
}

/** A row saved again meanwhile still differs, and is indexed again. */
async function remember<Row extends SourceColumns>(
  manager: EntityManager,
  entity: EntityTarget<Row>,
  present: readonly { id: number; version: number; chunks: number }[],
  gone: Row[],
): Promise<void> {
  const table = manager.dataSource.getMetadata(entity).tablePath;
  await manager.query(
    `UPDATE ${table} AS entry SET indexed_version = seen.version, chunk_count = seen.chunks
     FROM json_to_recordset($1::json) AS seen (id int, version int, chunks int) WHERE entry.id = seen.id`,
    [JSON.stringify(present)],
  );
  await manager.query(`DELETE FROM ${table} WHERE id = ANY($1)`, [gone.map(({ id }) => id)]);
}

/** The first indexing decides which engine searches a knowledge base; changing the engine is a separate job. */
export async function claimSpace(manager: EntityManager, { knowledgeBaseId }: Collection, space: string): Promise<void> {
  await manager
    .createQueryBuilder()
    .update(KnowledgeBaseEntity)
    .set({ space })
    .where('id = :knowledgeBaseId AND space IS NULL', { knowledgeBaseId })
    .execute();
}

/** A passage before it is embedded. */
interface PassageDraft {
  readonly kind: PassageKind;
  readonly text: string;
  /** The text that is embedded: for an FAQ only the question, because callers' questions are compared with it. */
  readonly meaning: string;
  readonly citation: Citation;
}

const titleCharacters = 80;

const filled = (parts: readonly (string | false | undefined)[]) => parts.filter((part): part is string => Boolean(part));

function faqPassages({ key, question, answer }: FaqEntity): PassageDraft[] {
  return [
    {
      kind: 'faq',
      text: `${question}\n${answer}`,
      meaning: question,
      citation: { key, title: question.slice(0, titleCharacters) },
    },
  ];
}

/** Separate passages for the business, its contacts and its hours, because a question is about one of them. */
function profilePassages({ key, info }: BusinessProfileEntity): PassageDraft[] {
  const about = filled([info.business_name, info.business_type, info.industry, info.company_description]).join('. ');
  const contact = filled([
    info.office_address && `Address: ${info.office_address}`,
    info.support_phone && `Phone: ${info.support_phone}`,
    info.support_email && `E-mail: ${info.support_email}`,
    info.website_url && `Website: ${info.website_url}`,
  ]).join('. ');
  const hours = info.working_hours
    .map(({ day, is_open, open_time, close_time }) => `${day}: ${is_open ? `${open_time} to ${close_time}` : 'closed'}`)
    .join('. ');
  const texts = filled([
    about,
    contact && `Contact ${info.business_name}. ${contact}`,
    hours && `Opening hours (${info.timezone}). ${hours}`,
  ]);
  return texts.map((text) => ({ kind: 'profile', text, meaning: text, citation: { key, title: info.business_name } }));
}

export function itemPassages({ key, name, details }: Pick<CatalogItemEntity, 'key' | 'name' | 'details'>): PassageDraft[] {
  const sentences =
    'product_name' in details
      ? filled([
          details.category ? `${name} (${details.category})` : name,
          withoutStop(details.product_description),
          `Price: ${details.price} ${details.currency}${perUnit(details)}`,
          details.availability ? 'Available' : 'Not available',
          details.warranty > 0 && `Warranty: ${details.warranty} months`,
          details.sku && `SKU: ${details.sku}`,
        ])
      : filled([
          name,
          withoutStop(details.service_description),
          `Price: ${details.service_price_range || `${details.service_price} ${details.currency}`}${perUnit(details)}`,
          details.service_duration > 0 && `Duration: ${details.service_duration} minutes`,
          details.booking_required && 'Booking required',
          details.service_area.length > 0 && `Offered in ${details.service_area.join(', ')}`,
        ]);
  const text = `${sentences.join('. ')}.`;
  return [{ kind: 'catalogue', text, meaning: text, citation: { key, title: name } }];
}

/** Removes a trailing full stop, since sentences are joined with full stops. */
const withoutStop = (text: string): string => text.trimEnd().replace(/[.।]+$/u, '');

/** The unit of a price, if it is not a single one: " per box of 100". */
export function perUnit({ unit, unit_size: size }: { readonly unit: string; readonly unit_size: number }): string {
  if (!unit) return '';
  return ` per ${unit}${size > 1 ? ` of ${size}` : ''}`;
}
