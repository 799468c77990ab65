import type { SessionEvent } from './events';

/** The event as it may be written down: whatever a caller keyed, or was said in digits, has lost them. Rules take one digit for another. */
export function maskedEvent(event: SessionEvent): SessionEvent {
  switch (event.kind) {
    case 'key': return { ...event, digit: masked(event.digit) };
    case 'keyed': return { ...event, digits: masked(event.digits) };
    case 'typed': return { ...event, text: masked(event.text) };
    case 'heard': return { ...event, heard: maskedHeard(event.heard) };
    case 'answered': {
      const { step } = event;
      return step.kind === 'delta' ? { ...event, step: { ...step, text: masked(step.text) } } : event;
    }
    case 'sound': return event.words ? { ...event, words: event.words.map((word) => ({ ...word, text: masked(word.text) })) } : event;
    default: return event;
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
