import type { EndOfTurnJudge, PauseInTurn, TurnVerdict } from './heard';
import { digitsOf, type Ending, endingOf, endsInDigits, folded, wordsOf } from './turn-end/ending-of';
import { type ExpectedAnswer, expectedAnswer } from './turn-end/expected-answer';

interface Patience {
  /** Of the silence that is usual between turns. */
  readonly wait: number;
  /** Of the wait, after which an answer may be begun. */
  readonly suspect: number;
  /** How much longer or shorter the wait is where the prosody is surely that of an end, or surely of more to come. */
  readonly done: number;
  readonly more: number;
}

const patience: Record<Exclude<Ending, 'dictating'>, Patience> = {
  whole: { wait: 0.7, suspect: 0.4, done: 0.7, more: 2.5 },
  open: { wait: 1, suspect: 0.5, done: 0.55, more: 2.5 },
  broken: { wait: 3, suspect: 1, done: 0.6, more: 1 },
};
/** How much longer or shorter what is neither broken nor dictated is waited for, by what was asked. */
const expectedWaits: Record<Exclude<ExpectedAnswer['kind'], 'number'>, { readonly whole: number; readonly open: number }> = {
  free: { whole: 1, open: 1 },
  'yes-no': { whole: 0.8, open: 1 },
  name: { whole: 1, open: 1.5 },
  address: { whole: 1.3, open: 2 },
};
// A guess may still grow, so what looks whole is believed a little later.
const guessWaits = 1.2;
// Whoever pauses long within sentences is given that long and a little more, up to this many silences.
const usualPauses = 1.15;
const silencesMax = 3;
// So is whoever dictates; a number that was asked for and lacks digits is waited for longest.
const dictationPauses = 1.2;
const dictationsMax = 2.5;
const lackingWaits = 2;
const unknownWaits = 1.6;

/**
 * Judges by what was said and asked: a whole sentence is answered soon, a broken one is waited for, and what is dictated longest.
 * Where the prosody was judged too, it makes the wait shorter or longer; but of who dictates it knows nothing.
 */
export const ruleJudge: EndOfTurnJudge = {
  judge(pause: PauseInTurn): TurnVerdict {
    const expected = expectedAnswer(pause.asked ?? '');
    const said = expected.kind === 'number' ? saidOfNumber(pause.text, expected.digits) : undefined;
    const ending = said === 'whole' ? 'whole' : endingOf(pause.text, pause.language);
    if (said === 'lacking' || said === 'unknown' || ending === 'dictating') return dictated(pause, said);
    const { wait, suspect, done, more } = patience[ending];
    const asked = ending === 'broken' || expected.kind === 'number' ? 1 : expectedWaits[expected.kind][ending];
    const asWritten = pause.silenceMs * wait * asked * (ending === 'whole' && !pause.isFinal ? guessWaits : 1);
    const asHeard = pause.soundsDone === undefined ? 1 : more + (done - more) * pause.soundsDone;
    const asUsual = Math.min((pause.usualPauseMs ?? 0) * usualPauses, pause.silenceMs * silencesMax);
    return { ...patiently(Math.max(asWritten * asHeard, asUsual), suspect), asksSound: true };
  },
};

/** Nothing is begun on suspicion while a number is said: one question to a model for each digit would be wasted. */
function dictated(
  { dictationSilenceMs, silenceMs, usualPauseMs = 0 }: PauseInTurn,
  said: ReturnType<typeof saidOfNumber>,
): TurnVerdict {
  const wait = said === 'lacking' ? lackingWaits : said === 'unknown' ? unknownWaits : 1;
  const asUsual = Math.min(usualPauseMs * dictationPauses, dictationSilenceMs * dictationsMax);
  return patiently(Math.max(dictationSilenceMs * wait, silenceMs, asUsual), 1);
}

/** How far a number is that was asked for; undefined where what was said last is none. */
function saidOfNumber(text: string, digits: number | undefined): 'whole' | 'lacking' | 'unknown' | undefined {
  const words = wordsOf(folded(text));
  if (!endsInDigits(words)) return undefined;
  if (digits === undefined) return 'unknown';
  return digitsOf(words) < digits ? 'lacking' : 'whole';
}

function patiently(waitMs: number, suspect: number): TurnVerdict {
  return { waitMs: Math.round(waitMs), suspectMs: Math.round(waitMs * suspect) };
}
