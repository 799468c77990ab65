import type { BusinessInfoFields, ProductFields, ServiceFields } from '@parley/contracts';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { z } from 'zod';

/** What every source of a knowledge base has. */
export abstract class SourceColumns {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column({ type: 'uuid', default: () => 'gen_random_uuid()' })
  key: string;

  @Column('int')
  orgId: number;

  @Column('int')
  knowledgeBaseId: number;

  /** Counts saves. */
  @Column('int')
  version: number;

  /** The version that searches see; null before the first. */
  @Column('int', { nullable: true })
  indexedVersion: number | null;

  /** Chunks of the version that searches see. */
  @Column({ type: 'int', default: 0 })
  chunkCount: number;

  @Column({ type: 'timestamptz', default: () => 'now()' })
  createdOn: Date;

  @Column('timestamptz')
  updatedOn: Date;

  /** Deleted sources leave the searches first and the table afterwards. */
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

  /** Counts changes of what facts are computed from. */
  @Column({ type: 'int', default: 1 })
  revision: number;

  /** Since when it is known to be asked in another script than it is written in. */
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

/** What a search has to know of a knowledge base. */
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

  /** Chunks already staged; a resumed job continues from here. */
  @Column('int')
  done: number;

  @Column('int')
  total: number;

  @Column('int', { nullable: true })
  pageCount: number | null;

  /** The upload that searches see: another than the row's own while a replacement waits, and after it failed. */
  @Column('jsonb', { nullable: true })
  served: UploadedFile | null;
}

/** The upload that a row describes. */
export function uploadOf({ fileKey, fileName, contentType, size, sha256 }: DocumentEntity): UploadedFile {
  return { fileKey, fileName, contentType, size, sha256 };
}

/** Every file that a document keeps. */
export function filesOf({ fileKey, served }: DocumentEntity): string[] {
  return [...new Set([fileKey, ...(served ? [served.fileKey] : [])])];
}

@Entity({ name: 'faqs' })
export class FaqEntity extends SourceColumns {
  @Column('text')
  question: string;

  @Column('text')
  answer: string;

  /** The question as callers may spell it. */
  @Column('text')
  normalized: string;
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

  /** Only for sorting; the details say it with its currency. */
  @Column('numeric')
  price: string;

  @Column('jsonb')
  details: ProductDetails | ServiceDetails;
}
