import type { EndOfTurnJudge, PauseInTurn, TurnVerdict } from './end-of-turn';
import { type Ending, endingOf } from './turn-end/ending-of';

interface Patience {
  /** Of the silence that is usual between turns. */
  readonly wait: number;
  /** Of the wait, after which an answer may be begun. */
  readonly suspect: number;
}

const patience: Record<Exclude<Ending, 'dictating'>, Patience> = {
  whole: { wait: 0.7, suspect: 0.4 },
  open: { wait: 1, suspect: 0.5 },
  broken: { wait: 2.5, suspect: 1 },
};
// A guess may still grow, so what looks whole is believed a little later.
const guessWaits = 1.2;
// Whoever pauses long within sentences is given that long and a little more, up to this many silences.
const usualPauses = 1.15;
const silencesMax = 3;

/** Judges by what was said: a whole sentence is answered soon, a broken one is waited for, and what is dictated longest. */
export const ruleJudge: EndOfTurnJudge = {
  judge(pause: PauseInTurn): TurnVerdict {
    const ending = endingOf(pause.text, pause.language);
    if (ending === 'dictating') return patiently(Math.max(pause.dictationSilenceMs, pause.silenceMs), 1);
    const { wait, suspect } = patience[ending];
    const asSpoken = pause.silenceMs * wait * (ending === 'whole' && !pause.isFinal ? guessWaits : 1);
    const asUsual = Math.min((pause.usualPauseMs ?? 0) * usualPauses, pause.silenceMs * silencesMax);
    return patiently(Math.max(asSpoken, asUsual), suspect);
  },
};

function patiently(waitMs: number, suspect: number): TurnVerdict {
  return { waitMs: Math.round(waitMs), suspectMs: Math.round(waitMs * suspect) };
}
