import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** One line of the audit log. Lines are added and never changed: Postgres refuses it. */
@Entity({ name: 'audit_entries' })
export class AuditEntryRow {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('int')
  orgId: number;

  @Column('uuid')
  keyId: string;

  @Column('text')
  action: string;

  @Column('uuid', { nullable: true })
  memberId: string | null;

  @Column('uuid', { nullable: true })
  integrationKeyId: string | null;

  @Column('int', { nullable: true })
  integrationId: number | null;

  @Column('text')
  subject: string;

  @Column('jsonb', { nullable: true })
  before: object | null;

  @Column('jsonb', { nullable: true })
  after: object | null;

  @Column('text')
  requestId: string;

  /** `OK`, the code of the fault, or `UNKNOWN` when the gateway did not live to see the answer. */
  @Column('text')
  outcome: string;

  @Column('text')
  previousHash: string;

  @Column('text')
  hash: string;

  @Column('timestamptz')
  createdOn: Date;
}
