import type { Answer } from './answer';
import { heardTextOf } from './heard-text';
import type { Talk } from './talk';
import { partsOf } from './turn-clock';

/** Once the first sound has been played and the figures of the mind are there. */
export function keepLatency(talk: Talk, answer: Answer): void {
  const { clock, done, turnUUID } = answer;
  if (answer.isLatencyKept || !turnUUID || !done || clock?.firstPlayedAtMs === undefined) return;
  answer.isLatencyKept = true;
  talk.do({ kind: 'keep-latency', turn: { turnUUID, latency: partsOf(clock, done.latency.retrievalMs) } });
}

/** History is told how much of an answer was heard. */
export function keepHeard(talk: Talk, { turnUUID, utterance }: Pick<Answer, 'turnUUID' | 'utterance'>): void {
  if (turnUUID === undefined) return;
  const { sampleRate } = talk.settings;
  const heard = utterance?.sent ?? 0;
  const heardText = heardTextOf(utterance?.pieces ?? [], heard, sampleRate);
  talk.do({ kind: 'keep-heard', heard: { turnUUID, heardText, playedMs: Math.round((heard * 1000) / sampleRate) } });
}
