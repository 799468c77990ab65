import { answerFailed } from './answering';
import { close, end } from './ending';
import type { Talk } from './talk';

const never = Number.POSITIVE_INFINITY;
/** A mind that has not said a word for so long will not, and a voice neither. */
const answerStallMs = 30_000;
const soundStallMs = 10_000;
/** How long a polite end may take. */
const closingMsMax = 30_000;
const drainMsMax = 60_000;

/** When the patience of the session with something ends. */
export function limitDueMs(talk: Talk): number {
  const { closing, answer, settings, drainsSinceMs } = talk;
  if (closing) return closing.sinceMs + closingMsMax;
  const stallMs = answer && !answer.isOver ? answer.lastStepMs + answerStallMs : never;
  const drainMs = drainsSinceMs === undefined ? never : drainsSinceMs + drainMsMax;
  return Math.min(settings.maxCallMs - (settings.elapsedMs ?? 0), stallMs, soundStallDueMs(talk), drainMs);
}

function soundStallDueMs({ output }: Talk): number {
  const piece = output.current?.soon.find(({ isMade, askedAtMs }) => askedAtMs !== undefined && !isMade);
  return piece?.lastSoundMs === undefined ? never : piece.lastSoundMs + soundStallMs;
}

/** Ends what has taken too long. */
export function meetLimit(talk: Talk): true {
  const { closing, answer, settings, nowMs, drainsSinceMs } = talk;
  if (closing) end(talk, closing.reason);
  else if (drainsSinceMs !== undefined && nowMs >= drainsSinceMs + drainMsMax) end(talk, 'DRAINED');
  else if (nowMs >= soundStallDueMs(talk)) giveUpSound(talk);
  else if (nowMs >= settings.maxCallMs - (settings.elapsedMs ?? 0)) close(talk, 'MAX_DURATION', settings.lines.timeIsUp);
  else if (answer) {
    talk.do({ kind: 'stop-answer', answer: answer.id });
    answerFailed(talk, { answer: answer.id, code: 'DEADLINE_EXCEEDED', message: 'The answer did not come in time.' });
  }
  return true;
}

function giveUpSound(talk: Talk): void {
  const piece = talk.output.current?.soon.find(({ isMade }) => !isMade);
  if (piece) soundFailed(talk, piece.id, 'The voice did not speak in time.');
}

/** A sentence could not be spoken. The others still are. */
export function soundFailed(talk: Talk, id: number, message: string): void {
  const piece = talk.output.piece(id);
  if (!piece || piece.isMade) return;
  piece.isMade = true;
  piece.hasFailed = true;
  talk.do({ kind: 'forget', piece: id });
  talk.warn('SPEECH_PROVIDER_UNAVAILABLE', message);
  if (talk.answer?.utterance?.pieces.includes(piece)) talk.answer.isIncomplete = true;
}
