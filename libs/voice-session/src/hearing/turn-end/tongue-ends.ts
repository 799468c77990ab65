/** How turns end, and do not end, in one language. Everything is folded. */
export interface TongueEnds {
  /** After these more must come: conjunctions, articles, adpositions, fillers. */
  readonly continuing: ReadonlySet<string>;
  /** Verbs that make a sentence whole, where the verb comes last. */
  readonly closing: ReadonlySet<string>;
  /** Whole by themselves or at the end: yes, thanks, tomorrow. They say nothing about what went before. */
  readonly answers: ReadonlySet<string>;
  readonly asking: ReadonlySet<string>;
  /** These begin a sentence that cannot end before its verb. Empty where the verb does not come last. */
  readonly opening: ReadonlySet<string>;
  /** Looks like a verb, in a language that puts it last. */
  readonly verb: RegExp;
  /** Whole in spite of the last word; asked first. */
  readonly whole: RegExp;
  /** Not whole, though the last word could end a sentence. */
  readonly broken: RegExp;
}
