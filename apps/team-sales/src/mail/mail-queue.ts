import { Injectable } from '@nestjs/common';
import type { MailSender } from '@parley/ports';
import { smtpMail } from '@parley/providers/smtp-mail';
import { Logger } from '@parley/service-kit';
import { Column, Entity, type EntityManager, PrimaryGeneratedColumn } from 'typeorm';
import { searchable } from '../search/filters';

/** The operator's mail settings. */
export class MailSettings {
  /** Undefined if there is no mail server. */
  readonly sender: MailSender | undefined;
  readonly inviteUrl: string | undefined;

  constructor(config: Parameters<typeof smtpMail.open>[0] & { readonly INVITE_URL?: string | undefined }) {
    this.sender = smtpMail.open(config);
    this.inviteUrl = config.INVITE_URL;
  }
}

interface NewMail {
  readonly orgId: number;
  readonly recipient: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly readerRoleMax: number;
}

/** Queues mails in the transaction that requires them; MailDispatch sends them afterwards. */
@Injectable()
export class MailQueue {
  constructor(
    private readonly settings: MailSettings,
    private readonly log: Logger,
  ) {}

  /**
   * Without a mail server the mail is held, for admins to read and pass on. A warning in the log says so, which appears on a
   * laptop's console, with the mail itself where that is allowed.
   */
  async add(manager: EntityManager, mail: NewMail): Promise<void> {
    const status = this.settings.sender ? 'QUEUED' : 'HELD';
    await manager.insert(Mail, { ...mail, status, search: searchable(mail.recipient, mail.subject) });
    if (status === 'HELD')
      this.log.warn('A mail is held because SMTP_URL is not set: POST team-management/mail-outbox-list shows it', {
        orgId: mail.orgId,
        pii: heldMail(mail),
      });
  }
}

function heldMail({ recipient, subject, text }: NewMail) {
  return { recipient, subject, text };
}

/** An e-mail of the platform, stored from the moment it is needed. */
@Entity({ name: 'mails' })
export class Mail {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
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

  /** Callers with a higher role number cannot see this mail. */
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
