/** A question and its answer as a prompt may quote them. */
export interface PastTurn {
  readonly id: string;
  readonly question: string;
  readonly answer: string;
  /** Whether the user spoke before the answer was done; what is kept of it was heard. */
  readonly isInterrupted?: boolean;
}

/** Said aloud to a replica that died in the middle of the answer: the caller remembers the question, and what was heard. */
const isCutShort = `turns.status = 'RUNNING' AND turns.question <> '' AND sessions.channel IN ('VOICE', 'PHONE')
  AND sessions.busy_until < now()`;

/**
 * Whether history holds a turn, in a query of turns and their sessions. Who asks in writing and leaves without a word of answer
 * asks again; what was said to an agent that then could not speak has still been said.
 */
export const isRemembered = `(turns.status IN ('COMPLETED', 'INTERRUPTED')
  AND (turns.answer <> '' OR sessions.channel IN ('VOICE', 'PHONE')) OR ${isCutShort})`;
