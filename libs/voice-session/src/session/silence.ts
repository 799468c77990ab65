import { beginPause } from './pausing';
import { close, end } from './ending';
import { say } from './saying';
import type { Talk } from './talk';

/** A voice of which no word has come for so long is noise that holds the floor: what was said before it is answered. */
const wordlessMs = 5000;

interface Step {
  readonly dueMs: number;
  run(talk: Talk): boolean;
}

const nothing: Step = { dueMs: Number.POSITIVE_INFINITY, run: () => false };

/** What is due while the agent is silent: the idle prompts, a farewell of a replica, or the end of a noise. */
export function nextStep(talk: Talk): Step {
  const { state } = talk;
  if (state.kind === 'user-speaking') return wordlessStep(talk, state.sinceMs);
  if (state.kind !== 'listening') return nothing;
  if (talk.drainsSinceMs !== undefined) return due(talk.nowMs, () => end(talk, 'DRAINED'));
  return idleStep(talk, state.sinceMs);
}

function idleStep(talk: Talk, sinceMs: number): Step {
  const { afterMs, prompts, goodbye } = talk.settings.idle;
  if (prompts.length === 0 && goodbye === '') return nothing;
  return due(sinceMs + afterMs, () => {
    const prompt = prompts[talk.idleStep++];
    if (prompt === undefined) close(talk, 'IDLE', goodbye);
    else say(talk, prompt);
  });
}

/** Ears that write at pauses are asked for a guess before a long voice is taken for a noise. */
function wordlessStep(talk: Talk, sinceMs: number): Step {
  const { turn, writesLive, settings } = talk;
  const wordsMs = Math.max(turn.lastWordsMs ?? sinceMs, sinceMs);
  if (turn.guessAskedAtMs !== undefined) return due(turn.guessAskedAtMs + settings.idle.afterMs, () => takeForNoise(talk));
  const isGuessed = writesLive || (turn.guessedAtMs ?? Number.NEGATIVE_INFINITY) > wordsMs;
  return due(wordsMs + wordlessMs, () => {
    if (isGuessed) return takeForNoise(talk);
    turn.guessAskedAtMs = talk.nowMs;
    talk.do({ kind: 'guess-now' });
  });
}

/** What was said before the noise is answered; where nothing was, the silence goes on, and its prompts. */
function takeForNoise(talk: Talk): void {
  const { lastWordsMs } = talk.turn;
  talk.turn.guessAskedAtMs = undefined;
  if (talk.voice) talk.voice = { ...talk.voice, heed: 'words' };
  if (lastWordsMs === undefined) talk.listenOn();
  else beginPause(talk, lastWordsMs);
}

function due(dueMs: number, act: () => void): Step {
  return {
    dueMs,
    run: ({ nowMs }) => {
      if (nowMs < dueMs) return false;
      act();
      return true;
    },
  };
}
