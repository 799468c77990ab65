import type { BusinessInfoFields, ProductFields, ServiceFields } from '@parley/contracts';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { z } from 'zod';

/** The columns that every source of a knowledge base has. */
export abstract class SourceColumns {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column({ type: 'uuid', default: () => 'gen_random_uuid()' })
  key: string;

  @Column('int')
  orgId: number;

  @Column('int')
  knowledgeBaseId: number;

  /** Incremented by each save. */
  @Column('int')
  version: number;

  /** The version that searches see; null before the first. */
  @Column('int', { nullable: true })
  indexedVersion: number | null;

  /** The number of chunks in that version. */
  @Column({ type: 'int', default: 0 })
  chunkCount: number;

  @Column({ type: 'timestamptz', default: () => 'now()' })
  createdOn: Date;

  @Column('timestamptz')
  updatedOn: Date;

  /** A deleted source is first removed from the searches and then from the table. */
  @Column('timestamptz', { nullable: true })
  deletedOn: Date | null;
}

@Entity({ name: 'knowledge_bases' })
export class KnowledgeBaseEntity {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column({ type: 'uuid', default: () => 'gen_random_uuid()' })
  key: string;

  @Column('int')
  orgId: number;

  @Column('text')
  name: string;

  @Column('int')
  industryId: number;

  @Column('int')
  agentTypeId: number;

  @Column('text')
  conversationalModeIds: string;

  /** The embedding space that answers searches; null until something is indexed. */
  @Column('text', { nullable: true })
  space: string | null;

  /** Incremented by each change to the data that facts are computed from. */
  @Column({ type: 'int', default: 1 })
  revision: number;

  /** Since when the base is known to be asked in another script than it is written in. */
  @Column('timestamptz', { nullable: true })
  askedAcrossOn: Date | null;

  @Column('timestamptz', { nullable: true })
  clearedOn: Date | null;

  @Column({ type: 'timestamptz', default: () => 'now()' })
  createdOn: Date;

  @Column('timestamptz')
  updatedOn: Date;

  @Column('timestamptz', { nullable: true })
  deletedOn: Date | null;
}

/** What a search must know of a knowledge base. */
export type SearchedBase = Pick<KnowledgeBaseEntity, 'id' | 'orgId' | 'space' | 'revision' | 'askedAcrossOn'>;

type DocumentState = 'QUEUED' | 'PROCESSING' | 'READY' | 'FAILED';
type IngestStage = 'WAITING' | 'PARSING' | 'EMBEDDING' | 'INDEXING' | 'DONE';

/** A file as it was uploaded. */
export interface UploadedFile {
  readonly fileKey: string;
  readonly fileName: string;
  readonly contentType: string;
  readonly size: number;
  readonly sha256: string;
}

@Entity({ name: 'documents' })
export class DocumentEntity extends SourceColumns {
  @Column('text')
  fileName: string;

  @Column('text')
  contentType: string;

  @Column('int')
  size: number;

  @Column('text')
  fileKey: string;

  @Column('text')
  sha256: string;

  @Column('text')
  status: DocumentState;

  @Column('text', { nullable: true })
  reason: string | null;

  @Column('text')
  stage: IngestStage;

  /** How many chunks have been staged; a resumed job continues from here. */
  @Column('int')
  done: number;

  @Column('int')
  total: number;

  @Column('int', { nullable: true })
  pageCount: number | null;

  /** The upload that searches see. Differs from the row's own while a replacement is pending, and after one failed. */
  @Column('jsonb', { nullable: true })
  served: UploadedFile | null;
}

/** The upload that a row describes. */
export function uploadOf({ fileKey, fileName, contentType, size, sha256 }: DocumentEntity): UploadedFile {
  return { fileKey, fileName, contentType, size, sha256 };
}

/** Every file that a document refers to. */
export function filesOf({ fileKey, served }: DocumentEntity): string[] {
  return [...new Set([fileKey, ...(served ? [served.fileKey] : [])])];
}

@Entity({ name: 'faqs' })
export class FaqEntity extends SourceColumns {
  @Column('text')
  question: string;

  @Column('text')
  answer: string;

  /** The question without differences of case and punctuation, as compared with callers' questions. */
  @Column('text')
  normalized: string;

  /** The same for all wordings of a question: the key of the one that they were imported with. Null without others. */
  @Column('uuid', { nullable: true })
  wordingsOf: string | null;
}

export type BusinessInfo = z.output<typeof BusinessInfoFields>;

@Entity({ name: 'business_profiles' })
export class BusinessProfileEntity extends SourceColumns {
  @Column('text')
  businessName: string;

  @Column('jsonb')
  info: BusinessInfo;
}

type ProductDetails = z.output<typeof ProductFields>;
type ServiceDetails = z.output<typeof ServiceFields>;

@Entity({ name: 'catalog_items' })
export class CatalogItemEntity extends SourceColumns {
  @Column('text')
  kind: 'PRODUCT' | 'SERVICE';

  @Column('text')
  name: string;

  /** Only for sorting; the details contain the price with its currency. */
  @Column('numeric')
  price: string;

  @Column('jsonb')
  details: ProductDetails | ServiceDetails;
}
