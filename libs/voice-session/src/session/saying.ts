import { sentencesOf } from '@parley/language';
import { lineUUID, type Talk } from './talk';
import type { Purpose } from './utterance';

interface Manner {
  readonly purpose?: Purpose;
  /** Nobody may cut it short. */
  readonly isProtected?: boolean;
}

/** Says a line of the agent's own, after what is being said. An empty one is no line. */
export function say(talk: Talk, text: string, { purpose = 'line', isProtected = false }: Manner = {}): void {
  const sentences = sentencesOf(text);
  const utterance = sentences.length > 0 ? talk.output.open({ purpose, turnUUID: lineUUID(talk), isProtected }) : undefined;
  if (!utterance) return;
  for (const sentence of sentences) talk.output.add(utterance, sentence);
  utterance.isComplete = true;
  if (purpose === 'line') talk.tell({ type: 'agent.delta', text });
  if (talk.state.kind === 'listening') talk.enter({ kind: 'thinking', sinceMs: talk.nowMs });
}

/** The recording is announced before anything else is said. */
export function greet(talk: Talk): void {
  say(talk, talk.settings.consentLine, { isProtected: true });
  say(talk, talk.settings.greeting);
  talk.asked = talk.settings.greeting;
}
