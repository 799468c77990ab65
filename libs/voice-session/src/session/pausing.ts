import { isFarewell } from '../hearing/backchannels';
import { answerTurn, discardSpeculation, speculate } from './answering';
import { isSameQuestion } from './caller-turn';
import { close, end } from './ending';
import type { EndReason, SessionState } from './events';
import { say, type Talk } from './talk';

type Pausing = Extract<SessionState, { kind: 'pausing' }>;

const speculationsMax = 3;
/** How long the last words are waited for once the silence was long enough: with a guess at hand, and without any. */
const guessedWaitMs = 1500;
const unwrittenWaitMs = 8000;
const pauseWeight = 0.9;
const pauseMsMin = 100;
const pauseMsMax = 3000;

/** The caller fell silent: from here on the silence is measured. */
export function beginPause(talk: Talk, voiceEndMs: number): void {
  const verdict = verdictOf(talk, { voiceEndMs, soundsDone: undefined });
  if (verdict.asksSound) talk.do({ kind: 'judge-end' });
  talk.enter({ kind: 'pausing', voiceEndMs, verdict, soundsDone: undefined, isSuspected: false, decidedAtMs: undefined });
}

/** The prosody of the turn was judged. */
export function hearProsody(talk: Talk, soundsDone: number): void {
  if (talk.state.kind === 'pausing') judgeAgain(talk, { ...talk.state, soundsDone });
}

/** More is known: the wait is judged again, also if it was over and only the transcript was missing. */
export function judgeAgain(talk: Talk, state: Pausing): void {
  const verdict = verdictOf(talk, state);
  const isOver = talk.nowMs >= state.voiceEndMs + verdict.waitMs;
  talk.enter({ ...state, verdict, decidedAtMs: isOver ? state.decidedAtMs : undefined });
}

/** The caller continues. The length of the pause is remembered, so that the next such pause is waited for. */
export function endPause(talk: Talk, { voiceEndMs }: Pausing, voiceStartMs: number): void {
  const pauseMs = Math.min(Math.max(voiceStartMs - voiceEndMs, pauseMsMin), pauseMsMax);
  const usual = talk.usualPauseMs ?? pauseMs;
  talk.usualPauseMs = pauseWeight * usual + (1 - pauseWeight) * pauseMs;
  discardSpeculation(talk);
  // What is said from here on has not been requested.
  talk.turn.isTranscriptionAsked = false;
  talk.hearCaller();
}

/** This caller was answered in such a pause, and had not finished: it is waited for from now on. */
export function learnPause(talk: Talk, pauseMs: number): void {
  talk.usualPauseMs = Math.max(talk.usualPauseMs ?? 0, pauseMs);
}

/** When a pause changes anything next. */
export function pauseDueMs(talk: Talk, { voiceEndMs, verdict, isSuspected, decidedAtMs }: Pausing): number {
  if (decidedAtMs !== undefined) return decidedAtMs + (hasGuessOf(talk, voiceEndMs) ? guessedWaitMs : unwrittenWaitMs);
  return voiceEndMs + (isSuspected ? verdict.waitMs : Math.min(verdict.suspectMs, verdict.waitMs));
}

/** Whether there is a provisional transcript of the last words. Piecewise recognition delivers its own before, or after its end. */
function hasGuessOf({ turn, writesLive }: Talk, voiceEndMs: number): boolean {
  if (turn.text === '') return false;
  return writesLive || (turn.lastWordsMs ?? Number.NEGATIVE_INFINITY) >= voiceEndMs;
}

/** Moves a pause on as far as the time and the words allow. True when something changed. */
export function advancePause(talk: Talk, state: Pausing): boolean {
  const isSettled = talk.turn.isSettled(state.voiceEndMs);
  if (state.decidedAtMs !== undefined && isSettled) return closeTurn(talk, state);
  if (state.isSuspected && isSettled && state.decidedAtMs === undefined && guessAgain(talk, state)) return true;
  if (talk.nowMs < pauseDueMs(talk, state)) return false;
  if (state.decidedAtMs !== undefined) return closeTurn(talk, state);
  if (!isSettled) askForWords(talk);
  if (state.isSuspected) return decide(talk, state);
  talk.enter({ ...state, isSuspected: true });
  if (state.verdict.suspectMs < state.verdict.waitMs) guess(talk);
  return true;
}

/** The turn is the typed text, after what was said before it. */
export function closeTyped(talk: Talk, text: string): void {
  const { turn, nowMs } = talk;
  turn.settle(nowMs);
  turn.noteFinal(text, nowMs);
  takeTurn(talk, { endedAtMs: nowMs, isSpoken: false, decidedAtMs: nowMs, writtenAtMs: nowMs });
}

/** The silence was long enough. Words that are still missing are waited for. */
function decide(talk: Talk, state: Pausing): true {
  talk.enter({ ...state, decidedAtMs: talk.nowMs });
  return true;
}

function closeTurn(talk: Talk, { voiceEndMs, decidedAtMs = talk.nowMs }: Pausing): true {
  const { turn, parting } = talk;
  if (parting && endsWith(talk, parting.reason)) return part(talk, parting.reason);
  const isLate = !turn.isSettled(voiceEndMs);
  const isDeaf = talk.isDeaf && turn.text === '';
  const writtenAtMs = Math.max(decidedAtMs, isLate ? talk.nowMs : turn.finalAtMs);
  talk.closedVoiceEndMs = voiceEndMs;
  takeTurn(talk, { endedAtMs: voiceEndMs, isSpoken: true, decidedAtMs, writtenAtMs });
  if (isDeaf) missWords(talk);
  return true;
}

/** Whether the caller said no more behind the agent's goodbye than a farewell. Who was taken for gone and says yes is there. */
function endsWith({ turn, rules, language }: Talk, reason: EndReason): boolean {
  const spoken = turn.language ?? language;
  return turn.text === '' || isFarewell(turn.text, spoken) || (reason !== 'IDLE' && rules.isBackchannel(turn.text, spoken));
}

function part(talk: Talk, reason: EndReason): true {
  talk.turn = talk.newTurn();
  end(talk, reason);
  return true;
}

/** What could not be written down is asked for again, and at last not any more. */
function missWords(talk: Talk): void {
  const { deafTurnsMax = Number.POSITIVE_INFINITY, lines } = talk.settings;
  talk.deafTurns++;
  if (talk.deafTurns < deafTurnsMax) say(talk, lines.notUnderstood);
  else close(talk, 'FAILED', lines.cannotHear);
}

function takeTurn(talk: Talk, closed: Parameters<typeof answerTurn>[2]): void {
  const question = talk.turn.text;
  if (talk.voice?.endMs !== undefined) talk.voice = undefined;
  if (question === '') {
    discardSpeculation(talk);
    talk.listenOn();
  } else {
    talk.parting = undefined;
    talk.isDeaf = false;
    talk.deafTurns = 0;
    talk.falseAlarms = 0;
    talk.falseSuspicions = 0;
    talk.idleStep = 0;
    talk.turnsClosed++;
    answerTurn(talk, question, closed);
  }
  // Of a turn without words they may still come, and are answered then.
  talk.turn = question === '' ? talk.turn.again() : talk.newTurn();
}

function guess(talk: Talk): void {
  const { text } = talk.turn;
  if (talk.answer === undefined && mayBeAnswered(talk)) speculate(talk, text);
}

/** Whether these words are worth an answer on suspicion. */
function mayBeAnswered(talk: Talk): boolean {
  const { turn, parting } = talk;
  return turn.text !== '' && turn.speculations < speculationsMax && !(parting && endsWith(talk, parting.reason));
}

/** An answer started on other words than the current ones is restarted. */
function guessAgain(talk: Talk, { voiceEndMs, verdict: { suspectMs, waitMs } }: Pausing): boolean {
  const { answer, turn } = talk;
  if (!mayBeAnswered(talk)) return false;
  // No speculation during dictation.
  if (suspectMs >= waitMs || talk.nowMs < voiceEndMs + suspectMs) return false;
  if (answer && isSameQuestion(answer.question, turn.text)) return false;
  discardSpeculation(talk);
  speculate(talk, turn.text);
  return true;
}

function askForWords(talk: Talk): void {
  if (talk.turn.isTranscriptionAsked) return;
  talk.turn.isTranscriptionAsked = true;
  talk.do({ kind: 'finish-turn' });
}

function verdictOf(
  { turn, rules, settings, usualPauseMs, language, asked }: Talk,
  { voiceEndMs, soundsDone }: Pick<Pausing, 'voiceEndMs' | 'soundsDone'>,
): Pausing['verdict'] {
  return rules.judge.judge({
    text: turn.text,
    asked,
    isFinal: turn.isSettled(voiceEndMs),
    language: turn.language ?? language,
    usualPauseMs,
    soundsDone,
    ...settings.endOfTurn,
  });
}
