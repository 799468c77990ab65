import { Column, Entity } from 'typeorm';
import { SourceColumns } from '../database/source-columns';

export type DocumentState = 'QUEUED' | 'PROCESSING' | 'READY' | 'FAILED';
export type IngestStage = 'WAITING' | 'PARSING' | 'EMBEDDING' | 'INDEXING' | 'DONE';

/** A file as it was uploaded. */
export interface Upload {
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

  /** Chunks that are staged already; a resumed job goes on from here. */
  @Column('int')
  done: number;

  @Column('int')
  total: number;

  @Column('int', { nullable: true })
  pageCount: number | null;

  /** The upload that searches see: another than the row's own while a replacement waits, and after it failed. */
  @Column('jsonb', { nullable: true })
  served: Upload | null;
}

/** The upload that a row describes. */
export function uploadOf({ fileKey, fileName, contentType, size, sha256 }: DocumentEntity): Upload {
  return { fileKey, fileName, contentType, size, sha256 };
}

/** Every file that a document keeps. */
export function filesOf({ fileKey, served }: DocumentEntity): string[] {
  return [...new Set([fileKey, ...(served ? [served.fileKey] : [])])];
}
