import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

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
