import { keepHeard } from './answer-record';
import { cutOff, forget } from './cut-off';
import { say } from './saying';
import type { EndReason } from './state';
import type { Talk } from './talk';

/** The call is over now. What was being said is cut off, and history learns how much of it was heard. */
export function end(talk: Talk, reason: EndReason): void {
  if (talk.state.kind === 'ended') return;
  cutOff(talk, { takesBack: false });
  talk.enter({ kind: 'ended', reason });
  talk.tell({ type: 'session.ended', reason });
  talk.do({ kind: 'end', reason });
}

/** Ends the call politely: the sentence being heard is finished, then a last line said that nobody can cut short. */
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

function dropUnheard(talk: Talk): void {
  const { answer, output } = talk;
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
