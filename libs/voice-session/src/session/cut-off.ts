import type { Answer } from './answer';
import { keepHeard, keepLatency } from './answer-record';
import { heardTextOf } from './heard-text';
import type { Talk } from './talk';
import type { Utterance } from './utterance';

/**
 * Stops all output and the answer behind it. With `takesBack`, an answer of which nothing was
 * heard leaves no trace, and its question is returned to be asked again.
 */
export function cutOff(talk: Talk, { takesBack }: { takesBack: boolean }): string | undefined {
  const { answer, output } = talk;
  const dropped = output.cancel(talk.nowMs);
  const [heard] = dropped;
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

function settle(talk: Talk, answer: Answer, takesBack: boolean): string | undefined {
  const isHeard = Boolean(answer.utterance?.sent);
  if (answer.isSpeculative || (!isHeard && takesBack)) {
    talk.lostAnswers++;
    talk.do({ kind: 'discard', answer: answer.id });
    return answer.isSpeculative ? undefined : answer.question;
  }
  if (isHeard) talk.lostAnswers = 0;
  if (!answer.isOver) talk.do({ kind: 'stop-answer', answer: answer.id });
  keepLatency(talk, answer);
  keepHeard(talk, answer);
  return undefined;
}

function tellInterrupted(talk: Talk, heard: Utterance | undefined): void {
  const { sampleRate } = talk.settings;
  const samples = heard?.about.purpose === 'filler' ? 0 : (heard?.sent ?? 0);
  const text = samples > 0 ? heardTextOf(heard?.pieces ?? [], samples, sampleRate) : '';
  talk.tell({ type: 'agent.interrupted', heardText: text, playedMs: Math.round((samples * 1000) / sampleRate) });
}
