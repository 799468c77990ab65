import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A bad row of an upload, by the line of the file on which it begins. */
export interface RowError {
  readonly line: number;
  readonly field: string | null;
  readonly message: string;
}

/** A file of contacts on its way into the organization. Its counts grow in the transactions that save its rows. */
@Entity({ name: 'contact_uploads' })
export class Upload {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('int')
  orgId: number;

  /** Chosen by the client if it wants to ask for progress, or to repeat an upload that broke off. */
  @Column('uuid')
  keyId: string;

  @Column('int')
  representativeId: number;

  @Column('text')
  fileKey: string;

  /** What tells its file from any other; null in rows of before it was kept. */
  @Column('bytea', { nullable: true })
  fileHash: Buffer | null;

  @Column('text')
  status: 'PROCESSING' | 'DONE' | 'FAILED';

  @Column('int', { default: 0 })
  rowCount: number;

  @Column('int', { default: 0 })
  createdCount: number;

  @Column('int', { default: 0 })
  updatedCount: number;

  @Column('int', { default: 0 })
  unchangedCount: number;

  @Column('int', { default: 0 })
  assignedCount: number;

  @Column('int', { default: 0 })
  errorCount: number;

  @Column('jsonb', { default: [] })
  errors: RowError[];

  @Column('text', { nullable: true })
  reason: string | null;

  /** When the process that works on it last said so. */
  @Column('timestamptz', { default: () => 'now()' })
  aliveAt: Date;
}
