import { Column, Entity } from 'typeorm';
import { SourceColumns } from '../database/source-columns';

export type DocumentState = 'QUEUED' | 'PROCESSING' | 'READY' | 'FAILED';
export type IngestStage = 'WAITING' | 'PARSING' | 'EMBEDDING' | 'INDEXING' | 'DONE';

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

  /** Chunks of the version that searches see. */
  @Column('int')
  chunkCount: number;
}
