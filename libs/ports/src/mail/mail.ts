/** A mail as it leaves. Its id is the same at every attempt, so that a server may recognize a repeated one. */
export interface LeavingMail {
  readonly keyId: string;
  readonly recipient: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Sends mails through a delivery service. */
export interface MailSender {
  readonly capabilities: { readonly provider: string };
  /** Resolves when the server has taken the mail; a ProviderFailure says whether to try again. */
  send(mail: LeavingMail): Promise<void>;
  /** Closes open connections. */
  close(): void;
}
