import { LoudnessVoiceActivity, ScriptedSpeechToText } from '@parley/ports';
import { eventually } from '@parley/testing';
import { type RecognitionOptions, openRecognition } from './audio-recognition';
import type { AudioRecognition, HeardEvent } from './heard';

/** The sample rate of these tests, unless another is given. */
export const rate = 8000;

/** Silence. */
export function quiet(ms: number, sampleRate = rate): Int16Array {
  return new Int16Array((sampleRate * ms) / 1000);
}

/** Sound that the loudness detector takes for a voice. */
export function loud(ms: number, sampleRate = rate): Int16Array {
  return quiet(ms, sampleRate).map((_, i) => 9000 * Math.sin((2 * Math.PI * 300 * i) / sampleRate));
}

/** Recognition and the events it has reported. */
export interface Listening {
  readonly recognition: AudioRecognition;
  readonly events: HeardEvent[];
}

/** Opens recognition that detects voices by loudness. */
export async function listen(options: Partial<RecognitionOptions> = {}): Promise<Listening> {
  const events: HeardEvent[] = [];
  const made = {
    sampleRate: rate,
    voiceActivity: new LoudnessVoiceActivity(),
    speechToText: new ScriptedSpeechToText(),
    ...options,
  };
  // `writing` is always reported first, and has its own test.
  const keep = (event: HeardEvent) => void (event.kind !== 'writing' && events.push(event));
  return { recognition: await openRecognition(made, keep), events };
}

/** Feeds sound in 20 ms frames, as a line does. */
export function hear(recognition: AudioRecognition, sound: Int16Array, sampleRate = rate): void {
  for (let at = 0; at < sound.length; at += sampleRate / 50) recognition.hear(sound.subarray(at, at + sampleRate / 50));
}

/** The kinds of the events, in order. */
export function kindsOf(events: readonly HeardEvent[]): string[] {
  return events.map(({ kind }) => kind);
}

/** Ends the turn and waits for its last words. */
export async function finalOf({ recognition, events }: Listening): Promise<Extract<HeardEvent, { kind: 'final' }>> {
  const before = events.length;
  recognition.finishTurn();
  await eventually('the last words come', () => events.slice(before).some(({ kind }) => kind === 'final'));
  for (const event of events.slice(before)) if (event.kind === 'final') return event;
  throw new Error('unreachable');
}
