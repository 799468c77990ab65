/** Who repeats what: the caller, one of its Idempotency-Keys, and the route that it was sent to. */
export interface RequestKey {
  readonly orgId: number;
  /** The API key that asks: nobody gets an answer that another was given. */
  readonly caller: string;
  readonly route: string;
  readonly key: string;
}

/** The right to answer a request key, held while the request is under way. Lost when the gateway dies: then it expires. */
export interface Claim extends RequestKey {
  readonly owner: string;
  /** The charge that this key may cause: one id over all attempts, so that a retry after a crash is not charged again. */
  readonly chargeId: string;
}

/** The first answer as it went out. */
export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The body held a secret: it was sent once and not kept. */
  readonly isWithheld: boolean;
}

/** What a request key was found to be. */
export type Claimed =
  | { readonly state: 'mine'; readonly claim: Claim }
  | { readonly state: 'inFlight' }
  | { readonly state: 'otherBody' }
  | { readonly state: 'answered'; readonly answer: StoredAnswer; readonly bodyHash: Buffer | null };
