import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A call that a representative made or took, as the mobile app reported it. */
@Entity({ name: 'sales_calls' })
export class SalesCall {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('int')
  orgId: number;

  /** Chosen by the app, so that a report that is repeated is the same call. */
  @Column('uuid')
  keyId: string;

  @Column('int')
  representativeId: number;

  @Column('int', { nullable: true })
  contactId: number | null;

  @Column('text')
  number: string;

  @Column('text')
  direction: 'OUTBOUND' | 'INBOUND';

  @Column('timestamptz')
  startedAt: Date;

  @Column('int')
  durationSeconds: number;

  @Column('text')
  outcome: 'CONNECTED' | 'NO_ANSWER' | 'BUSY' | 'FAILED' | 'CALLBACK' | 'CONVERTED';

  @Column('text')
  notes: string;
}
