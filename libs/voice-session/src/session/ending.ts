import type { HeardEvent } from '../hearing/heard';
import { wordCount } from './caller-turn';
import { type OpenAnswer, heardTextOf } from './answer';
import type { Utterance } from './utterance';
import type { EndReason } from './events';
import { keepHeard, keepLatency, say, type Talk } from './talk';

const askedWordsMin = 3;

/** Ends the call now. The current utterance is cut off, and history records how much of it was heard. */
export function end(talk: Talk, reason: EndReason): void {
  if (talk.state.kind === 'ended') return;
  talk.hadFloor = talk.state.kind === 'thinking' || talk.state.kind === 'speaking' || talk.state.kind === 'interrupted';
  cutOff(talk, { takesBack: false });
  talk.enter({ kind: 'ended', reason });
  talk.tell({ type: 'session.ended', reason });
  talk.do({ kind: 'end', reason });
}

/** The last words are written down after the end, and belong to the turn that it cut off. */
export function hearLast(talk: Talk, heard: HeardEvent): void {
  if (heard.kind === 'speech-started') talk.voice ??= { startMs: heard.atMs, endMs: undefined, heed: 'voice' };
  if (heard.kind !== 'partial' && heard.kind !== 'final') return;
  const turn = talk.later ?? talk.turn;
  // As ever, words without a voice are the agent's own.
  if (talk.hadFloor && !talk.voice && !talk.later) return;
  if (heard.kind === 'partial') turn.noteGuess(heard.text, talk.nowMs);
  else if (turn.holds(heard.afterTurns)) turn.noteFinal(heard.text, talk.nowMs);
  turn.language = heard.language ?? turn.language;
}

/** What was said last and never asked stays in history; but not that somebody only listened. */
export function keepUnanswered(talk: Talk): void {
  const { later, turn, hadFloor, rules } = talk;
  const question = [later?.text, turn.text].filter(Boolean).join(' ');
  const language = turn.language ?? later?.language ?? talk.language;
  if (question === '' || (hadFloor && rules.isBackchannel(question, language))) return;
  talk.do({ kind: 'keep-unanswered', question });
}

/** Ends the call politely: the current sentence is finished, then a last line is spoken that cannot be interrupted. */
export function close(talk: Talk, reason: EndReason, line: string): void {
  if (talk.closing || talk.state.kind === 'ended') return;
  talk.closing = { reason, sinceMs: talk.nowMs };
  dropUnheard(talk);
  talk.voice = undefined;
  talk.output.resume();
  talk.enter(talk.output.current ? { kind: 'speaking' } : { kind: 'thinking', sinceMs: talk.nowMs });
  say(talk, line, { isProtected: true });
  if (!talk.output.current) end(talk, reason);
}

/** Finishes the sentence that is being heard, and forgets what would have come after it. */
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
  // A goodbye that was broken off ends nothing.
  talk.parting = undefined;
  if (heard) talk.do({ kind: 'clear' });
  for (const utterance of dropped) forget(talk, utterance);
  talk.answer = undefined;
  if (heard?.sent || answer?.text) tellInterrupted(talk, heard);
  return answer && settle(talk, answer, takesBack);
}

/** Nothing of this utterance will be heard any more. */
export function forget(talk: Talk, utterance: Utterance): void {
  for (const piece of utterance.pieces) {
    if (!piece.isForgotten) talk.do({ kind: 'forget', piece: piece.id });
    piece.isForgotten = true;
  }
}

function settle(talk: Talk, answer: OpenAnswer, takesBack: boolean): string | undefined {
  // Sound that was not a whole word yet is not kept in history.
  const heard = heardOf(talk, answer.utterance);
  const isHeard = heard !== '';
  if (answer.isSpeculative || (!isHeard && takesBack)) {
    talk.lostAnswers++;
    talk.do({ kind: 'discard', answer: answer.id });
    return answer.isSpeculative ? undefined : answer.question;
  }
  if (isHeard) talk.lostAnswers = 0;
  // A word or two change nothing about what the caller is answering.
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
