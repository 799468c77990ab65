import type { Asked, Business } from '../businesses/business';

/** One question of a conversation, with what an acceptable answer says; without that, it only leads on to the next. */
export interface TranscriptTurn {
  readonly question: string;
  /** Each has to be said; `a|b` is met by either. */
  readonly says?: readonly string[];
  /** None may be said. */
  readonly never?: readonly string[];
}

/** A conversation of one customer. Every second one of a business is held out. */
export interface Transcript {
  readonly language: Asked['language'];
  readonly turns: readonly TranscriptTurn[];
}

/** A business, and the conversations that its customers have. */
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
