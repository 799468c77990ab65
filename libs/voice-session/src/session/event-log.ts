import type { SessionAction } from './actions';
import type { SessionEvent } from './events';
import { maskedEvent } from './masked-event';
import type { SessionSettings } from './settings';
import type { SessionRules } from './talk';
import { VoiceSession } from './voice-session';

/** A line of an event log: how the session was set up comes first, then what happened. */
export type LogEntry =
  | { readonly kind: 'settings'; readonly settings: SessionSettings }
  | { readonly kind: 'event'; readonly event: SessionEvent };

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
