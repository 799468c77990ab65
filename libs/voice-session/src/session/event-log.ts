import type { SessionEvent, SessionAction } from './events';
import type { SessionSettings } from './settings';
import type { SessionRules } from './talk';
import { VoiceSession } from './voice-session';

/** An entry of an event log: first the settings, then the events. */
export type LogEntry =
  { readonly kind: 'settings'; readonly settings: SessionSettings } | { readonly kind: 'event'; readonly event: SessionEvent };

/** An entry as a line of a file. It contains the caller's words, but no digits. */
export function logLine(entry: LogEntry): string {
  if (entry.kind === 'event') return JSON.stringify({ ...entry, event: maskedEvent(entry.event) });
  const { waiting } = entry.settings;
  return JSON.stringify(waiting ? { ...entry, settings: { ...entry.settings, waiting: waiting.map(masked) } } : entry);
}

/** Replays a session from its log. Under the same rules it gives the same actions in the same order. */
export function replay(log: readonly LogEntry[], rules: SessionRules): SessionAction[][] {
  const [head, ...rest] = log;
  if (head?.kind !== 'settings') throw new TypeError('an event log must begin with settings');
  const session = new VoiceSession(head.settings, rules);
  return rest.map((entry) => {
    if (entry.kind !== 'event') throw new TypeError('an event log contains settings only once');
    return session.handle(entry.event);
  });
}

/** The event with every digit replaced by 0, in case the caller keyed or spoke a secret. The rules treat all digits alike, so a replay is unaffected. */
function maskedEvent(event: SessionEvent): SessionEvent {
  switch (event.kind) {
    case 'key':
      return { ...event, digit: masked(event.digit) };
    case 'keyed':
      return { ...event, digits: masked(event.digits) };
    case 'typed':
      return { ...event, text: masked(event.text) };
    case 'heard':
      return { ...event, heard: maskedHeard(event.heard) };
    case 'answered': {
      const { step } = event;
      return step.kind === 'delta' ? { ...event, step: { ...step, text: masked(step.text) } } : event;
    }
    case 'sound':
      return event.words ? { ...event, words: event.words.map((word) => ({ ...word, text: masked(word.text) })) } : event;
    default:
      return event;
  }
}

function maskedHeard(heard: Extract<SessionEvent, { kind: 'heard' }>['heard']): typeof heard {
  if (heard.kind === 'digit') return { ...heard, digit: masked(heard.digit) };
  if (heard.kind !== 'partial' && heard.kind !== 'final') return heard;
  const text = masked(heard.text);
  if (heard.kind === 'partial' || !heard.words) return { ...heard, text };
  return { ...heard, text, words: heard.words.map((word) => ({ ...word, text: masked(word.text) })) };
}

/** Digits of any script. */
function masked(text: string): string {
  return text.replaceAll(/\p{Nd}/gu, '0');
}
