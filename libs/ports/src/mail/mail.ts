/** A mail as it leaves. Its id is the same at every attempt, so that a server may recognize a repeated one. */
export interface LeavingMail {
  readonly keyId: string;
  readonly recipient: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Hands mails to whoever delivers them. */
export interface MailSender {
  readonly capabilities: { readonly provider: string };
  /** Resolves when the server has taken the mail; a ProviderFailure says whether to try again. */
  send(mail: LeavingMail): Promise<void>;
  /** Gives up what keeps connections open. */
  close(): void;
}
