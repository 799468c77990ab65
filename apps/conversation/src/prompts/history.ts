import { countTokens } from '@parley/providers/token-count';
import type { PastTurn } from '../turns/past-turn';

/** The latest turns that fit into a budget, oldest first, without a gap. */
export function recentTurns(turns: readonly PastTurn[], tokensMax: number): PastTurn[] {
  const kept: PastTurn[] = [];
  let left = tokensMax;
  for (const turn of turns.toReversed()) {
    left -= countTokens(turn.question) + countTokens(turn.answer);
    if (left < 0) break;
    kept.unshift(turn);
  }
  return kept;
}
