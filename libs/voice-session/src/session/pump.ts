import type { SessionAction } from './actions';
import { keepLatency } from './answer-record';
import type { Talk } from './talk';

/** Lets go what may be heard now, and asks the voice for what will be heard next. */
export function pump(talk: Talk): void {
  if (talk.state.kind === 'ended') return;
  for (const piece of talk.output.wanted()) {
    piece.askedAtMs = talk.nowMs;
    piece.lastSoundMs = talk.nowMs;
    talk.do({ kind: 'speak', piece: piece.id, text: piece.text, language: talk.language });
  }
  const plays = talk.output.play(talk.nowMs);
  if (plays.length > 0) begin(talk, plays);
}

function begin(talk: Talk, plays: readonly SessionAction[]): void {
  const { answer, output, nowMs } = talk;
  const { current } = output;
  if (current && current.generation !== talk.announced) {
    talk.announced = current.generation;
    talk.tell({ type: 'agent.audio.start', turnUUID: current.about.turnUUID, sampleRate: talk.settings.sampleRate });
  }
  talk.actions.push(...plays);
  if (talk.state.kind === 'thinking') talk.enter({ kind: 'speaking' });
  if (answer?.clock) {
    answer.clock.firstPlayedAtMs ??= nowMs;
    keepLatency(talk, answer);
  }
  forgetHeard(talk);
}

/** The sound of sentences that were heard need not be held any longer. */
function forgetHeard(talk: Talk): void {
  for (const piece of talk.output.current?.heardOut(talk.output.heard(talk.nowMs)) ?? []) {
    if (!piece.isForgotten) talk.do({ kind: 'forget', piece: piece.id });
    piece.isForgotten = true;
  }
}
