/** Questions with stored answers, how callers ask them, and questions that none of them answers. */
export interface StoredFaqs {
  readonly faqs: Readonly<Record<string, string>>;
  readonly asked: Readonly<Record<string, readonly string[]>>;
  readonly unanswered: readonly string[];
}
