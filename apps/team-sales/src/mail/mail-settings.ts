/** What an operator chose about mail. */
export class MailSettings {
  readonly smtpUrl: string | undefined;
  readonly from: string;
  readonly inviteUrl: string | undefined;

  constructor({
    SMTP_URL,
    MAIL_FROM,
    INVITE_URL,
  }: {
    SMTP_URL?: string | undefined;
    MAIL_FROM: string;
    INVITE_URL?: string | undefined;
  }) {
    this.smtpUrl = SMTP_URL;
    this.from = MAIL_FROM;
    this.inviteUrl = INVITE_URL;
  }
}
