import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Controller, Injectable, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { type BodyOf, listMailOutbox, type ReplyOf } from '@parley/contracts';
import { pageOf, TenantScope } from '@parley/database';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import { Lifetime, Logger } from '@parley/service-kit';
import { createTransport } from 'nodemailer';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { containing } from '../search/filters';
import { memberOf } from '../team/membership-rules';
import { Mail, MailQueue, MailSettings } from './mail-queue';

const batch = 20;

const firstRetrySeconds = 60;

const lastRetrySeconds = 3_600;

const attemptsMax = 8;

const lastErrorMax = 300;

const ClaimedMail = z.object({
  id: z.int(),
  keyId: z.string(),
  recipient: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  attempts: z.int(),
});

type ClaimedMail = z.output<typeof ClaimedMail>;

/** A mail as it leaves. Its id is the same at every attempt, so that a server may recognize a repeated one. */
interface LeavingMail {
  readonly keyId: string;
  readonly recipient: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Hands mails to a mail server. */
interface MailSender {
  /** Resolves when the server has taken the mail. */
  send(mail: LeavingMail): Promise<void>;
  close(): void;
}

const connectionsMax = 5;

/** All together they stay below the lease that a claimed mail has. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000, dnsTimeout: 5_000 };

const pollMs = 1_000;

/** Sends queued mails while the service runs. Several replicas share the queue. Without a mail server it does nothing. */
@Injectable()
class MailDispatch implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private work: Promise<void> = Promise.resolve();

  constructor(
    private readonly tenants: TenantScope,
    private readonly settings: MailSettings,
    private readonly lifetime: Lifetime,
    private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    const { smtpUrl, from } = this.settings;
    if (smtpUrl) this.work = this.dispatch(smtpSender(smtpUrl, from));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.work;
  }

  private async dispatch(sender: MailSender): Promise<void> {
    const { draining } = this.lifetime;
    while (!draining.aborted) {
      const count = await this.sendSome(sender).catch((error: unknown) => {
        this.log.warn('Mails could not be taken from the queue', { err: error });
        return 0;
      });
      if (count === 0) await delay(pollMs, undefined, { signal: draining, ref: false }).catch(() => undefined);
    }
    sender.close();
  }

  private async sendSome(sender: MailSender): Promise<number> {
    const mails = await this.across((manager) => claimMails(manager));
    await Promise.all(mails.map((mail) => this.sendOne(sender, mail)));
    return mails.length;
  }

  private async sendOne(sender: MailSender, mail: ClaimedMail): Promise<void> {
    try {
      await sender.send(mail);
      await this.across((manager) => noteSent(manager, mail));
    } catch (error) {
      const isFinal = await this.across((manager) => noteFailure(manager, mail, error));
      this.log.warn(isFinal ? 'A mail was given up' : 'A mail will be tried again', {
        mailId: mail.id,
        attempts: mail.attempts,
        err: error,
      });
    }
  }

  private across<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.tenants.acrossTenants('mails of every organization leave by one queue', work);
  }
}

/** Sends by SMTP over a few connections that stay open. */
function smtpSender(url: string, from: string): MailSender {
  const transport = createTransport({ url, pool: true, maxConnections: connectionsMax, ...timeouts });
  return {
    async send({ keyId, recipient, subject, text, html }) {
      await transport.sendMail({
        from,
        to: { name: '', address: recipient },
        subject,
        text,
        html,
        messageId: `<${keyId}@parley>`,
      });
    },
    close: () => transport.close(),
  };
}

/**
 * Takes some mails that are due. Each counts its attempt and has its next one set before it is sent: a process that dies
 * over it leaves a mail that is tried again. What was held for want of a server leaves, too, while its invitation lives.
 */
async function claimMails(manager: EntityManager): Promise<ClaimedMail[]> {
  const [rows]: [unknown[]] = await manager.query(
    `UPDATE mails SET status = 'QUEUED', attempts = attempts + 1,
       next_attempt_at = now() + LEAST($2 * 2 ^ attempts, $3) * interval '1 second'
     WHERE id IN (
       SELECT id FROM mails WHERE status IN ('QUEUED', 'HELD') AND next_attempt_at <= now()
         AND created_on > now() - interval '7 days'
       ORDER BY next_attempt_at LIMIT $1 FOR UPDATE SKIP LOCKED)
     RETURNING id, key_id AS "keyId", recipient, subject, text, html, attempts`,
    [batch, firstRetrySeconds, lastRetrySeconds],
  );
  return z.array(ClaimedMail).parse(rows);
}

/** Notes that the server has a mail. The token in it has done its work here and is forgotten. */
async function noteSent(manager: EntityManager, { id }: ClaimedMail): Promise<void> {
  await manager.query(
    `UPDATE mails SET status = 'SENT', sent_on = now(), last_error = NULL, html = '',
       text = regexp_replace(text, 'inv_[A-Za-z0-9_-]+', 'inv_…', 'g')
     WHERE id = $1`,
    [id],
  );
}

/** Notes a failure: final when the server says so or after the last attempt, otherwise to be tried again. */
async function noteFailure(manager: EntityManager, { id, attempts }: ClaimedMail, error: unknown): Promise<boolean> {
  const isFinal = attempts >= attemptsMax || isRefusal(error);
  const reason = (error instanceof Error ? error.message : String(error)).slice(0, lastErrorMax);
  await manager.query(`UPDATE mails SET status = $2, last_error = $3 WHERE id = $1`, [id, isFinal ? 'FAILED' : 'QUEUED', reason]);
  return isFinal;
}

/** SMTP answers 5xx to what will not get better by waiting. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'responseCode' in error && typeof error.responseCode === 'number' && error.responseCode >= 500;
}

const columns = { CreatedOn: 'm.created_on', to: 'm.recipient', status: 'm.status' };

/** What left by mail, or waits to be passed on by hand. */
@Controller()
class MailOutboxController {
  constructor(private readonly tenants: TenantScope) {}

  @Handles(listMailOutbox)
  async list(body: BodyOf<typeof listMailOutbox>, call: Call): Promise<ReplyOf<typeof listMailOutbox>> {
    const orgId = organizationOf(call);
    const page = await this.tenants.read(orgId, async (manager) => {
      const { roleTypeId } = await memberOf(manager, call);
      const query = manager
        .createQueryBuilder(Mail, 'm')
        .where('m.org_id = :orgId AND m.reader_role_max >= :roleTypeId', { orgId, roleTypeId });
      if (body.searchName.trim()) query.andWhere('m.search LIKE :typed', { typed: containing(body.searchName) });
      return pageOf(query, body, { by: columns[body.sortColumn], nulls: 'NULLS LAST' });
    });
    return { ...page, rows: page.rows.map(mailToWire) };
  }
}

function mailToWire({ keyId, id, recipient, subject, text, status, attempts, lastError, createdOn, sentOn }: Mail) {
  return {
    MailKeyID: keyId,
    MailID: id,
    to: recipient,
    subject,
    text,
    status,
    attempts,
    lastError,
    CreatedOn: createdOn.toISOString(),
    sentOn: sentOn?.toISOString() ?? null,
  };
}

/** Mail on its way out. */
@Module({ controllers: [MailOutboxController], providers: [MailDispatch, MailQueue], exports: [MailQueue] })
export class MailModule {}
