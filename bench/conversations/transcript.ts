import type { Asked, Business } from '../businesses/business';

/** One question in a conversation, with what an acceptable answer says; without that, it only leads to the next question. */
export interface TranscriptTurn {
  readonly question: string;
  /** Each must be said; `a|b` accepts either. */
  readonly says?: readonly string[];
  /** None may be said. */
  readonly never?: readonly string[];
}

/** One customer's conversation. Every second one of a business is held out. */
export interface Transcript {
  readonly language: Asked['language'];
  readonly turns: readonly TranscriptTurn[];
}

/** A business, and its customers' conversations. */
export interface Conversed {
  readonly business: Omit<Business, 'asked'>;
  readonly transcripts: readonly Transcript[];
}

type Told = readonly [question: string, says?: readonly string[], never?: readonly string[]];

/** The conversations of one language. */
export function talker(language: Asked['language']) {
  return (...turns: readonly Told[]): Transcript => ({
    language,
    turns: turns.map(([question, says, never]) => ({ question, ...(says && { says }), ...(never && { never }) })),
  });
}
