/** Questions that a business has stored answers to, how callers ask them, and what none of them answers. */
export interface StoredFaqs {
  readonly faqs: Readonly<Record<string, string>>;
  readonly asked: Readonly<Record<string, readonly string[]>>;
  readonly unanswered: readonly string[];
}
