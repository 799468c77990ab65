import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import { Lifetime, Logger } from '@parley/service-kit';
import type { EntityManager } from 'typeorm';
import { MailSettings } from '../mail-settings';
import { type MailSender, smtpSender } from './mail-sender';
import { claimMails, type ClaimedMail, noteFailure, noteSent } from './mails-to-send';

const pollMs = 1_000;

/** Sends queued mails while the service runs. Several replicas share the queue. Without a mail server it does nothing. */
@Injectable()
export class MailDispatch implements OnApplicationBootstrap, BeforeApplicationShutdown {
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
