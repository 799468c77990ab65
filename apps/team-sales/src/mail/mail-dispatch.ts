import { Controller, Injectable, Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { type BodyOf, listMailOutbox, type ReplyOf } from '@parley/contracts';
import { pageOf, TenantScope } from '@parley/database';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import { type MailSender, ProviderFailure } from '@parley/ports';
import { Logger, type RegularTask, RegularTasks } from '@parley/service-kit';
import { type EntityManager, In } from 'typeorm';
import { z } from 'zod';
import { whyNotToGrant } from '../roles/granting';
import { containing } from '../search/filters';
import { memberOf } from '../team/membership-rules';
import { Membership } from '../team/membership.entity';
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

const pollMs = 1_000;

/** Sends queued mails while the service runs. Several replicas share the queue. Does nothing without a mail server. */
@Injectable()
class MailDispatch implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly task: RegularTask;

  constructor(
    private readonly tenants: TenantScope,
    private readonly settings: MailSettings,
    private readonly log: Logger,
    tasks: RegularTasks,
  ) {
    const trouble = 'Mails could not be taken from the queue';
    this.task = tasks.of({ name: 'mail', everyMs: pollMs, run: () => this.look(), trouble });
  }

  onApplicationBootstrap(): void {
    if (this.settings.sender) this.task.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
    this.settings.sender?.close();
  }

  private async look(): Promise<number> {
    const { sender } = this.settings;
    return sender && (await this.sendSome(sender)) > 0 ? 0 : pollMs;
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

/**
 * Claims due mails. Each claim counts an attempt and schedules the next before the mail is sent: if the process dies, the mail is
 * tried again. Mails that were held for lack of a server are sent too, as long as their invitation is valid.
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

/** Records that the server has accepted a mail, and deletes the token in it, which is no longer needed here. */
async function noteSent(manager: EntityManager, { id }: ClaimedMail): Promise<void> {
  await manager.query(
    `UPDATE mails SET status = 'SENT', sent_on = now(), last_error = NULL, html = '',
       text = regexp_replace(text, 'inv_[A-Za-z0-9_-]+', 'inv_…', 'g')
     WHERE id = $1`,
    [id],
  );
}

/** Records a failure: final if the server says so or after the last attempt, otherwise to be retried. */
async function noteFailure(manager: EntityManager, { id, attempts }: ClaimedMail, error: unknown): Promise<boolean> {
  const isRefused = error instanceof ProviderFailure && !error.retryable;
  const isFinal = attempts >= attemptsMax || isRefused;
  const reason = (error instanceof Error ? error.message : String(error)).slice(0, lastErrorMax);
  await manager.query(`UPDATE mails SET status = $2, last_error = $3 WHERE id = $1`, [id, isFinal ? 'FAILED' : 'QUEUED', reason]);
  return isFinal;
}

const columns = { CreatedOn: 'm.created_on', to: 'm.recipient', status: 'm.status' };

/** Mails that were sent, or that are held to be passed on by hand. */
@Controller()
class MailOutboxController {
  constructor(private readonly tenants: TenantScope) {}

  @Handles(listMailOutbox)
  async list(body: BodyOf<typeof listMailOutbox>, call: Call): Promise<ReplyOf<typeof listMailOutbox>> {
    const orgId = organizationOf(call);
    return this.tenants.read(orgId, async (manager) => {
      const reader = await memberOf(manager, call);
      const { roleTypeId } = reader;
      const query = manager
        .createQueryBuilder(Mail, 'm')
        .where('m.org_id = :orgId AND m.reader_role_max >= :roleTypeId', { orgId, roleTypeId });
      if (body.searchName.trim()) query.andWhere('m.search LIKE :typed', { typed: containing(body.searchName) });
      const page = await pageOf(query, body, { by: columns[body.sortColumn], nulls: 'NULLS LAST' });
      const recipients = page.rows.map(({ recipient }) => recipient);
      const invited = await manager.findBy(Membership, { orgId, email: In(recipients), status: 'PENDING' });
      const withheld = new Set(invited.filter((each) => whyNotToGrant(reader, each)).map(({ email }) => email));
      return { ...page, rows: page.rows.map((mail) => mailToWire(mail, { isWithheld: withheld.has(mail.recipient) })) };
    });
  }
}

const invitationToken = /inv_[A-Za-z0-9_-]+/g;

/**
 * A token grants what its invitation grants, so it is withheld from readers who could not grant that themselves. If mails are
 * sent by a server, it is withheld from everyone, since presenting the token proves the address.
 */
function mailToWire(mail: Mail, { isWithheld }: { isWithheld: boolean }) {
  const { keyId, id, recipient, subject, status, attempts, lastError, createdOn, sentOn } = mail;
  const text = isWithheld || status !== 'HELD' ? mail.text.replace(invitationToken, 'inv_…') : mail.text;
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

/** Sending mail. */
@Module({ controllers: [MailOutboxController], providers: [MailDispatch, MailQueue], exports: [MailQueue] })
export class MailModule {}
