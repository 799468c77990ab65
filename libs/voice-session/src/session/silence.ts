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
  if (state.kind === 'user-speaking') return wordlessStep(talk);
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

function wordlessStep(talk: Talk): Step {
  const { lastWordsMs } = talk.turn;
  if (lastWordsMs === undefined || !talk.hasGuesses) return nothing;
  return due(lastWordsMs + wordlessMs, () => {
    if (talk.voice) talk.voice = { ...talk.voice, isIgnored: true };
    beginPause(talk, lastWordsMs);
  });
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
