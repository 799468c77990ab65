import { type LeavingMail, type MailSender, ProviderFailure } from '@parley/ports';
import { variableText, url } from '@parley/service-kit';
import { createTransport, type Transporter } from 'nodemailer';
import { defineConfigured } from '../vendor';

const connectionsMax = 5;

/** Together shorter than the lease of a claimed mail. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000, dnsTimeout: 5_000 };

/** Sends mail by SMTP over a few persistent connections. */
export class SmtpMail implements MailSender {
  readonly capabilities = { provider: 'smtp' };
  private readonly transport: Transporter;

  constructor(
    server: string,
    private readonly from: string,
  ) {
    this.transport = createTransport({ url: server, pool: true, maxConnections: connectionsMax, ...timeouts });
  }

  async send({ keyId, recipient, subject, text: plain, html }: LeavingMail): Promise<void> {
    const { from } = this;
    const to = { name: '', address: recipient };
    try {
      await this.transport.sendMail({ from, to, subject, text: plain, html, messageId: `<${keyId}@parley>` });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ProviderFailure('smtp', reason, { retryable: !isRefusal(error), cause: error });
    }
  }

  close(): void {
    this.transport.close();
  }
}

/** The commands of which a refusal is about this mail. Another one, as of our password or our sender, is the operator's to mend. */
const ofMail: readonly unknown[] = ['RCPT TO', 'DATA'];

/** Whether the server will never take this mail, by SMTP's 5xx. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error) || !('responseCode' in error) || typeof error.responseCode !== 'number') return false;
  return error.responseCode >= 500 && 'command' in error && ofMail.includes(error.command);
}

/** `team@example.com`, or `Demo Bazaar <team@example.com>`; the host may be one of a private network. */
function isSender(sender: string): boolean {
  const [, address = sender] = /^[^<>]+<([^<>]+)>$/.exec(sender) ?? [];
  return /^[^\s@<>,]+@[^\s@<>,]+$/.test(address);
}

/** The installation's SMTP server, if configured. */
export const smtpMail = defineConfigured({
  variables: {
    SMTP_URL: url('smtp', 'smtps').optional().meta({
      description: 'The mail server for invitations. Without it, e-mails stay in the outbox, where admins can read them.',
      example: 'smtps://user:password@mail.example.com:465',
      secret: true,
    }),
    MAIL_FROM: variableText().refine(isSender).default('Parley <no-reply@localhost>').meta({
      expected: 'an e-mail address, or a name with one in angle brackets',
      description: 'The sender of the platform’s e-mails.',
      example: 'Demo Bazaar <team@example.com>',
    }),
  },
  open: (config) => (config.SMTP_URL ? new SmtpMail(config.SMTP_URL, config.MAIL_FROM) : undefined),
});
