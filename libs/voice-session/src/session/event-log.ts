import type { SessionEvent, SessionAction } from './events';
import type { SessionSettings } from './settings';
import type { SessionRules } from './talk';
import { VoiceSession } from './voice-session';

/** A line of an event log: how the session was set up comes first, then what happened. */
export type LogEntry =
  { readonly kind: 'settings'; readonly settings: SessionSettings } | { readonly kind: 'event'; readonly event: SessionEvent };

/** An entry as a line of a file. Digits of the caller are not in it; their words are. */
export function logLine(entry: LogEntry): string {
  return JSON.stringify(entry.kind === 'event' ? { ...entry, event: maskedEvent(entry.event) } : entry);
}

/** What a session did, event by event, run again from its log under the same rules: the same actions in the same order. */
export function replay(log: readonly LogEntry[], rules: SessionRules): SessionAction[][] {
  const [head, ...rest] = log;
  if (head?.kind !== 'settings') throw new TypeError('an event log begins with the settings of its session');
  const session = new VoiceSession(head.settings, rules);
  return rest.map((entry) => {
    if (entry.kind !== 'event') throw new TypeError('a session is set up once');
    return session.handle(entry.event);
  });
}

/** The event in a form that may be logged, without digits a caller keyed or spoke. Rules see one digit for another. */
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
