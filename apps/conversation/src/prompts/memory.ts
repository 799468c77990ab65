import { countTokens } from '@parley/providers/token-count';

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

/** What a conversation remembers: its latest turns word for word, and of those before a line each. */
export interface Memory {
  readonly recent: readonly PastTurn[];
  readonly summary: string;
  /** The last turn that the summary covers. */
  readonly summarizedTurnId: string;
}

interface MemoryBudget {
  readonly recentTokensMax: number;
  readonly summaryTokensMax: number;
}

const lineLettersMax = 160;

/**
 * Fits the past into a budget. Turns that do not fit any more become lines of the summary, whose own oldest lines are
 * forgotten first. No model writes it: it costs nothing, delays nothing, and what a user said cannot steer it.
 */
export function remember(past: Memory, { recentTokensMax, summaryTokensMax }: MemoryBudget): Memory {
  const recent = fitting(past.recent, recentTokensMax, ({ question, answer }) => `${question}\n${answer}`);
  const rolled = past.recent.slice(0, past.recent.length - recent.length);
  const last = rolled.at(-1);
  if (!last) return { ...past, recent };
  const lines = [...past.summary.split('\n').filter((line) => line !== ''), ...rolled.map(lineOf)];
  return { recent, summary: fitting(lines, summaryTokensMax, (line) => line).join('\n'), summarizedTurnId: last.id };
}

/** The last items that fit, without a gap. */
function fitting<Item>(items: readonly Item[], tokensMax: number, textOf: (item: Item) => string): Item[] {
  let left = tokensMax;
  const dropped = items.findLastIndex((item) => (left -= countTokens(textOf(item))) < 0);
  return items.slice(dropped + 1);
}

function lineOf({ question, answer }: PastTurn): string {
  return `The user said: ${short(question)} The agent ${answer === '' ? 'was interrupted.' : `said: ${short(answer)}`}`;
}

function short(text: string): string {
  const flat = text
    .slice(0, lineLettersMax * 4)
    .replace(/\s+/gu, ' ')
    .trim();
  return flat.length <= lineLettersMax ? flat : `${flat.slice(0, lineLettersMax)}…`;
}
