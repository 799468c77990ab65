import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** An e-mail of the platform, from the moment that makes it necessary. */
@Entity({ name: 'mails' })
export class Mail {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('int')
  orgId: number;

  @Column('uuid')
  keyId: string;

  @Column('text')
  recipient: string;

  @Column('text')
  subject: string;

  @Column('text')
  text: string;

  @Column('text')
  html: string;

  @Column('text')
  search: string;

  /** Callers with a greater role number do not see this mail. */
  @Column('int')
  readerRoleMax: number;

  @Column('text')
  status: 'QUEUED' | 'HELD' | 'SENT' | 'FAILED';

  @Column('int')
  attempts: number;

  @Column('text', { nullable: true })
  lastError: string | null;

  @Column('timestamptz')
  nextAttemptAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  createdOn: Date;

  @Column('timestamptz', { nullable: true })
  sentOn: Date | null;
}
