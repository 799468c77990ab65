import { isFarewell } from '../hearing/known-phrases';
import { answerTurn, discardSpeculation, speculate } from './answering';
import { heardTextOf } from './answer';
import { isSameQuestion, withoutOwnWords } from './caller-turn';
import { close, end } from './ending';
import type { EndReason, SessionState } from './events';
import { hasIdleLines } from './settings';
import { say, type Talk } from './talk';

type Pausing = Extract<SessionState, { kind: 'pausing' }>;

const speculationsMax = 3;
/** How long to wait for the final transcript once the silence was long enough: with a partial transcript, and without one. */
const partialWaitMs = 1500;
const noWordsWaitMs = 8000;
const pauseWeight = 0.9;
const pauseMsMin = 100;
const pauseMsMax = 3000;
const learnedMarginMs = 150;

/** The caller fell silent; the silence counts from the end of the voice. */
export function beginPause(talk: Talk, voiceEndMs: number): void {
  const verdict = verdictOf(talk, { voiceEndMs, soundsDone: undefined });
  if (verdict.asksSound) talk.do({ kind: 'judge-end' });
  talk.enter({ kind: 'pausing', voiceEndMs, verdict, soundsDone: undefined, isSuspected: false, decidedAtMs: undefined });
}

export function hearProsody(talk: Talk, soundsDone: number): void {
  if (talk.state.kind === 'pausing') judgeAgain(talk, { ...talk.state, soundsDone });
}

/** Computes the wait again with what is known now, even if it had elapsed and only the transcript was missing. */
export function judgeAgain(talk: Talk, state: Pausing): void {
  const verdict = verdictOf(talk, state);
  const isOver = talk.nowMs >= state.voiceEndMs + verdict.waitMs;
  talk.enter({ ...state, verdict, decidedAtMs: isOver ? state.decidedAtMs : undefined });
}

/** The caller continues. The average pause is updated, so that the next one of this length is waited for. */
export function endPause(talk: Talk, { voiceEndMs }: Pausing, voiceStartMs: number): void {
  const pauseMs = Math.min(Math.max(voiceStartMs - voiceEndMs, pauseMsMin), pauseMsMax);
  const usual = talk.usualPauseMs ?? pauseMs;
  talk.usualPauseMs = pauseWeight * usual + (1 - pauseWeight) * pauseMs;
  discardSpeculation(talk);
  talk.hearCaller();
}

/**
 * The caller was answered during a pause of this length without having finished: wait longer than that in the rest of the call,
 * and the more so the more often it happens, since other pauses of theirs are longer still.
 */
export function learnPause(talk: Talk, pauseMs: number): void {
  talk.answersTooEarly++;
  talk.learnedPauseMs = Math.max(talk.learnedPauseMs, pauseMs + talk.answersTooEarly * learnedMarginMs);
}

/** When the pause next needs attention. */
export function pauseDueMs(talk: Talk, state: Pausing): number {
  const { voiceEndMs, verdict, isSuspected, decidedAtMs } = state;
  if (decidedAtMs !== undefined) return decidedAtMs + (hasGuess(talk) ? partialWaitMs : wordlessWaitMs(talk));
  const judgedMs = isSuspected ? verdict.waitMs : Math.min(verdict.suspectMs, verdict.waitMs);
  return voiceEndMs + (lacksWords(talk, state) ? Math.min(wordsMsOf(state), judgedMs) : judgedMs);
}

/** Without a word, no longer than the caller may stand in silence: they are then asked to wait on. */
function wordlessWaitMs({ settings: { idle } }: Talk): number {
  return hasIdleLines(idle) ? Math.min(noWordsWaitMs, idle.afterMs) : noWordsWaitMs;
}

/** Whether words are missing that were not asked for. */
function lacksWords(talk: Talk, { voiceEndMs }: Pausing): boolean {
  return !talk.isFinishAsked(voiceEndMs) && !talk.turn.isTranscribed(voiceEndMs);
}

/** Whether no words are missing: neither of this voice, nor others that were asked for. */
function isWritten({ turn, writesLive, finishesMissing }: Talk, voiceEndMs: number): boolean {
  return turn.isTranscribed(voiceEndMs) && (writesLive || finishesMissing === 0);
}

function wordsMsOf({ verdict: { wordsMs, suspectMs } }: Pausing): number {
  return Math.min(wordsMs ?? suspectMs, suspectMs);
}

/** Whether a partial transcript covers the last words. Recognition that transcribes at pauses has only older ones. */
function hasGuess({ turn, writesLive }: Talk): boolean {
  return writesLive && turn.text !== '';
}

/** Takes the next step that time and transcript allow. True if something changed. */
export function advancePause(talk: Talk, state: Pausing): boolean {
  const isTranscribed = isWritten(talk, state.voiceEndMs);
  if (state.decidedAtMs !== undefined && isTranscribed) return closeTurn(talk, state);
  if (state.isSuspected && isTranscribed && state.decidedAtMs === undefined && speculateAgain(talk, state)) return true;
  if (talk.nowMs < pauseDueMs(talk, state)) return false;
  if (state.decidedAtMs !== undefined) return closeTurn(talk, state);
  if (lacksWords(talk, state)) {
    talk.do({ kind: 'finish-turn' });
    return true;
  }
  if (state.isSuspected) return decideTurnEnd(talk, state);
  talk.enter({ ...state, isSuspected: true });
  if (state.verdict.suspectMs < state.verdict.waitMs) speculateOnce(talk);
  return true;
}

/** Ends the turn with the typed text, appended to what was said before it, once that is written. */
export function closeTyped(talk: Talk, text: string): void {
  const { turn, nowMs, state, writesLive } = talk;
  if (!writesLive && state.kind === 'pausing' && lacksWords(talk, state)) talk.do({ kind: 'finish-turn' });
  if (areWordsUnderWay(talk)) return closeAfterWords(talk, text);
  if (writesLive) turn.finalize(nowMs);
  // Its final transcript repeats the words of a partial one, and is answered next.
  else turn.forgetPartial();
  turn.noteFinal(text, nowMs);
  submitTurn(talk, { endedAtMs: nowMs, isSpoken: false, decidedAtMs: nowMs, writtenAtMs: nowMs });
}

/**
 * Whether transcripts are missing of a voice that is over, and were not waited for in vain. What was said behind a text that waits is
 * answered after it.
 */
function areWordsUnderWay({ writesLive, finishesMissing, deferred, voice, unheardSinceMs }: Talk): boolean {
  const speaksOn = voice !== undefined && voice.endMs === undefined;
  return !writesLive && finishesMissing > 0 && unheardSinceMs === undefined && deferred === undefined && !speaksOn;
}

function closeAfterWords(talk: Talk, text: string): void {
  const { nowMs, finishAskedMs: voiceEndMs } = talk;
  talk.turn.noteTyped(text, nowMs);
  const verdict = { waitMs: 0, suspectMs: 0 };
  talk.enter({ kind: 'pausing', voiceEndMs, verdict, soundsDone: undefined, isSuspected: true, decidedAtMs: nowMs });
}

/** The silence was long enough; only missing words are still waited for. */
function decideTurnEnd(talk: Talk, state: Pausing): true {
  talk.enter({ ...state, decidedAtMs: talk.nowMs });
  return true;
}

function closeTurn(talk: Talk, { voiceEndMs, decidedAtMs = talk.nowMs }: Pausing): true {
  const { turn, parting } = talk;
  const isLate = !isWritten(talk, voiceEndMs);
  const isUnknown = isLate && !talk.hasLostRecognition && !hasGuess(talk);
  const isUntranscribed = (): boolean => talk.hasLostRecognition && turn.text === '';
  if (parting && !isUnknown && !isUntranscribed() && isEndedBy(talk, parting.reason)) return part(talk, parting.reason);
  talk.closedVoiceEndMs = voiceEndMs;
  if (isUnknown) return waitOn(talk);
  dropEcho(talk);
  const mustRepeat = isUntranscribed();
  const writtenAtMs = Math.max(decidedAtMs, isLate ? talk.nowMs : turn.finalAtMs);
  talk.unheardSinceMs = undefined;
  submitTurn(talk, { endedAtMs: voiceEndMs, isSpoken: true, decidedAtMs, writtenAtMs });
  if (mustRepeat) askToRepeat(talk);
  return true;
}

/** The last words are still missing. They are answered once they are there, together with what was heard before them. */
function waitOn(talk: Talk): true {
  talk.unheardSinceMs = talk.nowMs;
  if (talk.voice?.endMs !== undefined) talk.voice = undefined;
  discardSpeculation(talk);
  talk.listenOn();
  if (hasIdleLines(talk.settings.idle)) say(talk, talk.settings.lines.oneMoment);
  return true;
}

/** The line may return a word before it counts as heard, and a part of the next one. */
const wordsAhead = 2;
/** After this many interruptions in a row by the agent's own words, one or two of them are taken for echo too. */
const echoedTurnsMin = 2;

/** These words but for those that the agent has just said, on a line that may return them. */
export function withoutEcho(talk: Talk, text: string, isSuspicious = talk.echoedTurns >= echoedTurnsMin): string {
  const left = withoutOwnWords(text, begunText(talk));
  return isSuspicious && left ? withoutOwnWords(left, justSaidText(talk), 1) : left;
}

/** The sentences that the agent has begun, whole: how many of their words were heard is a lower bound. */
function begunText({ output, saidBefore }: Talk): string {
  const begun = (output.current?.pieces ?? []).filter(({ startsAt, isFirst }) => isFirst || startsAt !== undefined);
  return [saidBefore, ...begun.map(({ text }) => text)].join(' ');
}

/** Up to where it speaks, since a word or two of a sentence's rest would be found too easily. */
function justSaidText({ output, settings, saidBefore }: Talk): string {
  const { pieces = [], sent = 0 } = output.current ?? {};
  if (sent === 0) return saidBefore;
  const heard = heardTextOf(pieces, sent, settings.sampleRate).split(' ').filter(Boolean).length;
  const written = pieces.flatMap(({ text }) => text.split(' '));
  return [saidBefore, ...written.slice(0, heard + wordsAhead)].join(' ');
}

/** Whether the turn's own words are nothing but the agent's. */
function isOwn(talk: Talk, isSuspicious?: boolean): boolean {
  const { said } = talk.turn;
  return said !== '' && withoutEcho(talk, said, isSuspicious) === '';
}

/** Words of the agent's own that the line returned are not answered; a question before them still is. */
function dropEcho(talk: Talk): void {
  const { turn } = talk;
  if (!turn.isOverEcho || turn.said === '') return;
  const isDropped = isOwn(talk);
  talk.echoedTurns = isDropped || isOwn(talk, true) ? talk.echoedTurns + 1 : 0;
  if (isDropped) turn.forgetSaid();
}

/** Whether the caller answered the agent's goodbye with no more than a farewell. A caller who says yes to an idle prompt has not left. */
function isEndedBy({ turn, rules, language }: Talk, reason: EndReason): boolean {
  const spoken = turn.language ?? language;
  return turn.text === '' || isFarewell(turn.text, spoken) || (reason !== 'IDLE' && rules.isBackchannel(turn.text, spoken));
}

function part(talk: Talk, reason: EndReason): true {
  talk.turn = talk.newTurn();
  end(talk, reason);
  return true;
}

/** Asks the caller to repeat what could not be transcribed; after too many such turns, ends the call. */
export function askToRepeat(talk: Talk): void {
  const { untranscribedTurnsMax = Number.POSITIVE_INFINITY, lines } = talk.settings;
  talk.untranscribedTurns++;
  talk.idleStep = 0;
  talk.parting = undefined;
  talk.hasMissedVoice = false;
  if (talk.untranscribedTurns < untranscribedTurnsMax) say(talk, lines.notUnderstood);
  else close(talk, 'FAILED', lines.cannotHear);
}

function submitTurn(talk: Talk, closed: Parameters<typeof answerTurn>[2]): void {
  const question = talk.turn.text;
  if (talk.voice?.endMs !== undefined) talk.voice = undefined;
  if (question === '') {
    discardSpeculation(talk);
    talk.listenOn();
  } else {
    talk.parting = undefined;
    talk.hasLostRecognition = false;
    talk.hasMissedVoice = false;
    talk.untranscribedTurns = 0;
    talk.falseAlarms = 0;
    talk.falseSuspicions = 0;
    talk.idleStep = 0;
    talk.turnsClosed++;
    answerTurn(talk, question, closed);
  }
  // The words of a turn without any may still arrive, and are answered then.
  talk.turn = question === '' ? talk.turn.restarted() : talk.newTurn();
}

function speculateOnce(talk: Talk): void {
  if (talk.answer === undefined && mayBeAnswered(talk)) speculate(talk, talk.turn.text);
}

/** Whether the words so far may be answered speculatively. */
function mayBeAnswered(talk: Talk): boolean {
  const { turn, parting } = talk;
  // What may be echo may yet grow into a run of the agent's own words.
  if (turn.isOverEcho && isOwn(talk, true)) return false;
  return turn.text !== '' && turn.speculations < speculationsMax && !(parting && isEndedBy(talk, parting.reason));
}

/** Restarts a speculative answer whose question no longer matches the transcript. */
function speculateAgain(talk: Talk, { voiceEndMs, verdict: { suspectMs, waitMs } }: Pausing): boolean {
  const { answer, turn } = talk;
  if (!mayBeAnswered(talk)) return false;
  // During dictation nothing is answered speculatively.
  if (suspectMs >= waitMs || talk.nowMs < voiceEndMs + suspectMs) return false;
  if (answer && isSameQuestion(answer.question, turn.text)) return false;
  discardSpeculation(talk);
  speculate(talk, turn.text);
  return true;
}

function verdictOf(
  { turn, rules, settings, patienceMs, language, asked }: Talk,
  { voiceEndMs, soundsDone }: Pick<Pausing, 'voiceEndMs' | 'soundsDone'>,
): Pausing['verdict'] {
  return rules.judge.judge({
    text: turn.text,
    asked,
    isFinal: turn.isTranscribed(voiceEndMs),
    language: turn.language ?? language,
    usualPauseMs: patienceMs,
    soundsDone,
    ...settings.endOfTurn,
  });
}
