import type { HeardEvent } from '../hearing/heard';
import { isFarewell } from '../hearing/known-phrases';
import { questionMax, wordCount } from './caller-turn';
import { type OpenAnswer, heardTextOf } from './answer';
import type { Utterance } from './utterance';
import type { EndReason } from './events';
import { keepHeard, keepLatency, say, type Talk } from './talk';

const askedWordsMin = 3;
/** How many texts are kept that nobody will answer: those that waited, and as many more. */
const lastTextsMax = 8;

/** Ends the call now, cutting off the current utterance; history records how much of it was heard. */
export function end(talk: Talk, reason: EndReason): void {
  if (talk.state.kind === 'ended') return;
  // While a farewell is said, what counts is whether the caller was speaking before it.
  if (!talk.closing) talk.hadFloor = hasFloor(talk);
  cutOff(talk, { takesBack: false });
  talk.enter({ kind: 'ended', reason });
  // A drained session goes on in another process.
  if (reason === 'DRAINED') takeAlong(talk);
  else {
    if (!talk.closing) giveUpTyped(talk);
    talk.tell({ type: 'session.ended', reason });
  }
  talk.do({ kind: 'end', reason });
}

function hasFloor({ state: { kind } }: Talk): boolean {
  return kind === 'thinking' || kind === 'speaking' || kind === 'interrupted';
}

/** What the caller said and nobody answered waits for the next process like a text. */
function takeAlong(talk: Talk): void {
  const said = lastWords(talk);
  if (said !== '') talk.typed.splice(typedBefore(talk), 0, said);
}

/** How many of the texts that wait came before what was said. */
function typedBefore({ typed, deferred, deferredBehind }: Talk): number {
  return deferred ? deferredBehind : typed.length;
}

/** Texts that waited are not answered. Those behind what was said are stored behind it, once its last words are known. */
function giveUpTyped(talk: Talk): void {
  const { typed } = talk;
  talk.lastTexts = typed.length;
  typed.forEach(() => warnUnanswered(talk));
  keepTyped(talk, typedBefore(talk));
}

function warnUnanswered(talk: Talk): void {
  talk.warn('TEXT_IGNORED', 'The session is ending: a text is not answered. History keeps it.');
}

function keepTyped(talk: Talk, texts = talk.typed.length): void {
  for (const question of talk.typed.splice(0, texts)) talk.do({ kind: 'keep-unanswered', question });
}

/** A text for which it is too late is not answered, as the client is told, but stands in history. A session that moves takes it along. */
export function typeLast(talk: Talk, text: string): void {
  const { state, typed } = talk;
  const reason = state.kind === 'ended' ? state.reason : undefined;
  if (reason === 'VOICEMAIL') return;
  if (++talk.lastTexts > lastTextsMax) return talk.warn('TEXT_IGNORED', 'The session is ending, and too many texts came before.');
  typed.push(text);
  if (reason !== 'DRAINED') warnUnanswered(talk);
  if (talk.isWritten) keepTyped(talk);
}

/** Words transcribed after the end, or over a farewell, belong to the turn that the end cut off. */
export function hearLast(talk: Talk, heard: HeardEvent): void {
  if (heard.kind === 'speech-started') talk.voice ??= { startMs: heard.atMs, endMs: undefined, attention: 'deferred' };
  if (heard.kind !== 'partial' && heard.kind !== 'final') return;
  const turn = talk.deferred ?? talk.turn;
  // Words without a voice are the agent's echo.
  if (talk.hadFloor && !talk.voice && !talk.deferred) return;
  if (heard.kind === 'partial') turn.notePartial(heard.text, talk.nowMs);
  else if (turn.holds(heard.afterTurns)) turn.noteFinal(heard.text, talk.nowMs, talk.finishAskedAtMs(heard.afterTurns));
  turn.language = heard.language ?? turn.language;
}

/** Stores the caller's last words, which will not be answered, and the texts that came after them. */
export function keepUnanswered(talk: Talk): void {
  const question = lastWords(talk);
  talk.isWritten = true;
  if (question !== '') talk.do({ kind: 'keep-unanswered', question });
  keepTyped(talk);
}

/** What the caller said last, unless it is a mere backchannel, or a farewell as the agent's is. */
function lastWords({ deferred, turn, hadFloor, rules, closing, language: usual }: Talk): string {
  const said = [deferred?.text, turn.text].filter(Boolean).join(' ').slice(0, questionMax);
  const language = turn.language ?? deferred?.language ?? usual;
  const isIdle = ((hadFloor || closing) && rules.isBackchannel(said, language)) || (closing && isFarewell(said, language));
  return isIdle ? '' : said;
}

/** Ends the call after the current sentence and a farewell that cannot be interrupted. */
export function close(talk: Talk, reason: EndReason, line: string): void {
  if (talk.closing || talk.state.kind === 'ended') return;
  talk.hadFloor = hasFloor(talk);
  talk.closing = { reason, sinceMs: talk.nowMs };
  giveUpTyped(talk);
  dropUnheard(talk);
  talk.voice = undefined;
  talk.output.resume();
  talk.enter(talk.output.current ? { kind: 'speaking' } : { kind: 'thinking', sinceMs: talk.nowMs });
  say(talk, line, { isProtected: true });
  if (!talk.output.current) end(talk, reason);
}

/** Lets the current sentence finish, and drops everything after it. */
export function dropUnheard(talk: Talk): void {
  const { answer, output } = talk;
  talk.parting = undefined;
  for (const utterance of output.dropWaiting()) forget(talk, utterance);
  const current = output.current;
  for (const piece of current?.cutShort() ?? []) talk.do({ kind: 'forget', piece: piece.id });
  if (!answer) return;
  if (answer.utterance && answer.utterance === current) {
    if (!answer.isOver) talk.do({ kind: 'stop-answer', answer: answer.id });
    answer.isOver = true;
    answer.isIncomplete = true;
    return;
  }
  talk.do(answer.isSpeculative ? { kind: 'discard', answer: answer.id } : { kind: 'stop-answer', answer: answer.id });
  if (!answer.isSpeculative) keepHeard(talk, { turnUUID: answer.turnUUID, utterance: undefined });
  talk.answer = undefined;
}

/**
 * Stops all output and the answer behind it. With `takesBack`, an answer of which nothing was
 * heard leaves no trace, and its question is returned to be asked again.
 */
export function cutOff(talk: Talk, { takesBack }: { takesBack: boolean }): string | undefined {
  const { answer, output } = talk;
  const dropped = output.cancel(talk.nowMs);
  const [heard] = dropped;
  talk.saidBefore = heardOf(talk, heard) || talk.saidBefore;
  // A goodbye that was cut off does not end the call.
  talk.parting = undefined;
  if (heard) talk.do({ kind: 'clear' });
  for (const utterance of dropped) forget(talk, utterance);
  talk.answer = undefined;
  if (heard?.sent || answer?.text) tellInterrupted(talk, heard);
  return answer && recordCutOff(talk, answer, takesBack);
}

/** Releases the sound of an utterance that will not be played again. */
export function forget(talk: Talk, utterance: Utterance): void {
  for (const piece of utterance.pieces) {
    if (!piece.isForgotten) talk.do({ kind: 'forget', piece: piece.id });
    piece.isForgotten = true;
  }
}

function recordCutOff(talk: Talk, answer: OpenAnswer, takesBack: boolean): string | undefined {
  // Less than a whole word does not count as heard.
  const heard = heardOf(talk, answer.utterance);
  const isHeard = heard !== '';
  if (answer.isSpeculative || (!isHeard && takesBack)) {
    talk.lostAnswers++;
    talk.do({ kind: 'discard', answer: answer.id });
    return answer.isSpeculative ? undefined : answer.question;
  }
  if (isHeard) talk.lostAnswers = 0;
  // After only a word or two, the caller is still answering the previous question.
  if (wordCount(heard) >= askedWordsMin) talk.asked = heard;
  if (!answer.isOver) talk.do({ kind: 'stop-answer', answer: answer.id });
  keepLatency(talk, answer);
  keepHeard(talk, answer);
  return undefined;
}

function heardOf({ settings }: Talk, utterance: Utterance | undefined): string {
  return heardTextOf(utterance?.pieces ?? [], utterance?.sent ?? 0, settings.sampleRate);
}

function tellInterrupted(talk: Talk, heard: Utterance | undefined): void {
  const { sampleRate } = talk.settings;
  const samples = heard?.about.purpose === 'filler' ? 0 : (heard?.sent ?? 0);
  const text = samples > 0 ? heardTextOf(heard?.pieces ?? [], samples, sampleRate) : '';
  talk.tell({ type: 'agent.interrupted', heardText: text, playedMs: Math.round((samples * 1000) / sampleRate) });
}
