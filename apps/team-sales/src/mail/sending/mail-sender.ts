import { createTransport } from 'nodemailer';

/** A mail as it leaves. Its id is the same at every attempt, so that a server may recognize a repeated one. */
export interface LeavingMail {
  readonly keyId: string;
  readonly recipient: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Hands mails to a mail server. */
export interface MailSender {
  /** Resolves when the server has taken the mail. */
  send(mail: LeavingMail): Promise<void>;
  close(): void;
}

const connectionsMax = 5;
/** All together they stay below the lease that a claimed mail has. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000, dnsTimeout: 5_000 };

/** Sends by SMTP over a few connections that stay open. */
export function smtpSender(url: string, from: string): MailSender {
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
