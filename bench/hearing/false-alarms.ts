import { setTimeout as sleep } from 'node:timers/promises';
import { dtmfTone, joinSamples } from '@parley/audio';
import { ScriptedSpeechToText, type VoiceActivity } from '@parley/ports';
import { openRecognition } from '@parley/voice-session';
import type { Figures } from '../measure/report';
import { noise } from './spoken';

const seconds = 60;
const chords = [
  [262, 330, 392],
  [220, 277, 330],
  [294, 370, 440],
  [196, 247, 294],
];

const sounds: Record<string, (rate: number) => Int16Array> = {
  silence: (rate) => new Int16Array(seconds * rate),
  'quiet noise': (rate) => noise(seconds * rate, 300),
  'loud noise': (rate) => noise(seconds * rate, 6000),
  hum: (rate) => waves(rate, seconds, [50, 100, 150, 200]),
  keys: (rate) => repeated(joinSamples([...'0123456789*#'].map((key) => pressed(key, rate))), rate),
  chords: (rate) => repeated(joinSamples(chords.map((chord) => fading(waves(rate, 1, chord)))), rate),
  clicks: (rate) => repeated(new Int16Array(rate / 2).fill(24_000, 50, 53), rate),
};

/** How much is taken for a voice within a minute of sounds without speech, and how often a voice is suspected. */
export async function falseAlarms(engine: VoiceActivity, sampleRate: number): Promise<Figures[]> {
  const figures: Record<string, string | number> = { engine: engine.capabilities.provider, 'samples/s': sampleRate };
  for (const [name, make] of Object.entries(sounds)) {
    const { alarms, suspicions } = await alarmsIn(engine, make(sampleRate), sampleRate);
    figures[`${name}/min`] = suspicions === 0 ? alarms : `${alarms} (${suspicions} suspected)`;
  }
  return [figures];
}

async function alarmsIn(engine: VoiceActivity, sound: Int16Array, sampleRate: number) {
  let alarms = 0;
  let suspicions = 0;
  let judgedMs = 0;
  const counted: VoiceActivity = {
    capabilities: engine.capabilities,
    open: ({ sampleRate: rate, listener }) =>
      engine.open({
        sampleRate: rate,
        listener: (window) => {
          listener(window);
          judgedMs = window.endMs;
        },
      }),
    close: () => engine.close(),
  };
  const recognition = await openRecognition(
    { sampleRate, voiceActivity: counted, speechToText: new ScriptedSpeechToText() },
    ({ kind }) => {
      if (kind === 'speech-started') alarms += 1;
      if (kind === 'voice-dismissed') suspicions += 1;
    },
  );
  const frame = sampleRate / 50;
  for (let at = 0; at < sound.length; at += frame) {
    recognition.hear(sound.subarray(at, at + frame));
    const heardMs = ((at + frame) * 1000) / sampleRate;
    // A continuing voice is judged three windows at a time.
    while (heardMs % 400 === 0 && judgedMs < heardMs - 110) await sleep(1);
  }
  recognition.close();
  return { alarms, suspicions };
}

function pressed(key: string, rate: number): Int16Array {
  const pause = new Int16Array(rate / 10);
  return joinSamples([dtmfTone(key, rate, 150) ?? pause, pause]);
}

function waves(rate: number, length: number, frequencies: readonly number[]): Int16Array {
  return Int16Array.from({ length: rate * length }, (_, i) =>
    frequencies.reduce((sum, hz) => sum + (12_000 / frequencies.length) * Math.sin((2 * Math.PI * hz * i) / rate), 0),
  );
}

/** A struck sound that dies away, like the notes of a piano. */
function fading(sound: Int16Array): Int16Array {
  return sound.map((sample, i) => sample * Math.exp((-3 * i) / sound.length));
}

function repeated(sound: Int16Array, rate: number): Int16Array {
  const whole = new Int16Array(seconds * rate);
  for (let at = 0; at < whole.length; at += sound.length) whole.set(sound.subarray(0, whole.length - at), at);
  return whole;
}
