import { Column, PrimaryGeneratedColumn } from 'typeorm';

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
