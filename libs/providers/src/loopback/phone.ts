import { joinSamples } from '@parley/audio';
import type { Handset } from './handset';

/** What whoever picks up does, one after the other. */
export type PhoneStep =
  | { readonly kind: 'say'; readonly words: string }
  | { readonly kind: 'play'; readonly samples: Int16Array }
  | { readonly kind: 'wait'; readonly ms: number }
  /** Until the other side has spoken and then been silent for so long; no longer than `withinMs`. */
  | { readonly kind: 'listen'; readonly silenceMs: number; readonly withinMs: number }
  | { readonly kind: 'press'; readonly digits: string }
  /** Until these keys were pressed by the other side; no longer than `withinMs`. */
  | { readonly kind: 'await-digits'; readonly digits: string; readonly withinMs: number }
  | { readonly kind: 'hang-up' };

/** A telephone of the simulated network. */
export interface Phone {
  readonly answers: 'picks-up' | 'no-answer' | 'busy' | 'failed' | 'declines';
  /** How long it rings first. */
  readonly ringMs?: number;
  readonly script?: readonly PhoneStep[];
  /** Hears and speaks by itself from the moment it picks up: a person at a keyboard, a test. */
  readonly attach?: (handset: Handset) => void;
}

/** All audio of the simulated network has this rate. */
export const networkRate = 8000;
const lineSeconds = 120;

/** Somebody who picks up, says something each time the other side pauses, and hangs up. */
export function person(sentences: readonly string[]): Phone {
  const talk = sentences.flatMap((words): PhoneStep[] => [
    { kind: 'listen', silenceMs: 900, withinMs: 15_000 },
    { kind: 'say', words },
  ]);
  const script: PhoneStep[] = [...talk, { kind: 'listen', silenceMs: 1500, withinMs: 20_000 }, { kind: 'hang-up' }];
  return { answers: 'picks-up', script };
}

/** A mailbox: its greeting, a beep of 1 kHz, and then it records until it is full. */
export function voicemail(
  greeting = 'You have reached the mailbox of this number. Please leave a message after the tone.',
): Phone {
  const script: PhoneStep[] = [
    { kind: 'wait', ms: 300 },
    { kind: 'say', words: greeting },
    { kind: 'wait', ms: 400 },
    { kind: 'play', samples: sine(1000, 400) },
    { kind: 'wait', ms: lineSeconds * 1000 },
    { kind: 'hang-up' },
  ];
  return { answers: 'picks-up', script };
}

/** A menu that wants keys before it connects with a person. */
export function menu(digits = '1', sentences: readonly string[] = ['Front desk, hello?']): Phone {
  const script: PhoneStep[] = [
    { kind: 'say', words: `Welcome. For the front desk press ${[...digits].join(' ')}.` },
    { kind: 'await-digits', digits, withinMs: 20_000 },
    ...(person(sentences).script ?? []),
  ];
  return { answers: 'picks-up', script };
}

const endings: Readonly<Record<string, Phone>> = {
  '02': { answers: 'busy' },
  '03': { answers: 'no-answer' },
  '04': { answers: 'failed' },
  '05': voicemail(),
  '06': menu(),
  '07': { answers: 'declines' },
  '08': { answers: 'picks-up', script: [{ kind: 'wait', ms: lineSeconds * 1000 }, { kind: 'hang-up' }] },
};

/**
 * The phone of a number that nobody registered, by its last two digits: 02 busy, 03 nobody answers, 04 fails, 05 voicemail, 06 a
 * menu that wants a 1, 07 declines, 08 picks up and is silent; every other one is a person who talks.
 */
export function phoneByNumber(number: string): Phone {
  return endings[number.slice(-2)] ?? person(['Hello, who is this?', 'When are you open?', 'Thank you, goodbye.']);
}

function sine(hz: number, ms: number): Int16Array {
  const radians = (2 * Math.PI * hz) / networkRate;
  return Int16Array.from({ length: (networkRate * ms) / 1000 }, (_, i) => Math.round(12_000 * Math.sin(radians * i)));
}

/** Without a voice, words sound as a hum of their length: enough for whoever only listens for speech. */
export async function hum(words: string): Promise<Int16Array> {
  const syllables = words
    .split(/\s+/)
    .map((word) => joinSamples([sine(180 + word.length * 10, 60 * Math.min(10, word.length)), new Int16Array(400)]));
  return joinSamples(syllables);
}
