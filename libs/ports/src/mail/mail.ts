/** A mail to be sent. Its id is the same at every attempt, so that a server can recognize a repetition. */
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
  /** Resolves when the server has accepted the mail; a ProviderFailure says whether to retry. */
  send(mail: LeavingMail): Promise<void>;
  /** Closes open connections. */
  close(): void;
}
