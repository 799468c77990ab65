import path from 'node:path';
import { dtmfTone, joinSamples, muLaw, resample } from '@parley/audio';
import { ScriptedSpeechToText, type VoiceActivity } from '@parley/ports';
import { eventually } from '@parley/testing';
import { type AudioRecognition, type HeardEvent, openRecognition } from '@parley/voice-session';
import { Flite } from '../flite';
import { Pocketsphinx } from '../pocketsphinx';
import { Rnnoise } from '../rnnoise';
import { Silero } from './index';

const lineRates = [8000, 16_000, 24_000, 48_000];
const flite = new Flite();
const silero = new Silero({ gatherMs: 0, answerMs: 60_000, loadMs: 60_000 });
const suppression = new Rnnoise({ gatherMs: 0, answerMs: 60_000, loadMs: 60_000 });
afterAll(() => Promise.all([flite, silero, suppression].map((engine) => engine.close())));

const said = new Map<string, Promise<Int16Array>>();

function say(text: string, voice: string, sampleRate: number): Promise<Int16Array> {
  const key = `${voice} ${sampleRate} ${text}`;
  const sound = said.get(key) ?? speak(text, voice).then((samples) => resample(samples, 16_000, sampleRate));
  said.set(key, sound);
  return sound;
}

async function speak(text: string, voice: string): Promise<Int16Array> {
  const blocks: Int16Array[] = [];
  for await (const { samples } of flite.speak({ text, language: 'english', voice })) blocks.push(samples);
  return joinSamples(blocks);
}

function noise(seconds: number, sampleRate: number, amplitude: number): Int16Array {
  let seed = 7;
  return Int16Array.from({ length: seconds * sampleRate }, () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (seed / 2_147_483_648 - 0.5) * 2 * amplitude;
  });
}

function mixed(...sounds: readonly Int16Array[]): Int16Array {
  const length = Math.max(...sounds.map((sound) => sound.length));
  return Int16Array.from({ length }, (_, i) => sounds.reduce((sum, sound) => sum + (sound[i] ?? 0), 0));
}

function after(ms: number, sound: Int16Array, sampleRate: number): Int16Array {
  return joinSamples([new Int16Array((sampleRate * ms) / 1000), sound]);
}

interface Listening {
  readonly events: HeardEvent[];
  readonly recognition: AudioRecognition;
  readonly final: Promise<HeardEvent>;
  /** The caller’s sound, with the agent’s at the same time, at the speed of judging: three windows at a time during speech. */
  hear(sound: Int16Array, own?: Int16Array): Promise<void>;
}

async function listenAt(sampleRate: number, options: Partial<Parameters<typeof openRecognition>[0]> = {}): Promise<Listening> {
  const { speechToText = new ScriptedSpeechToText() } = options;
  const events: HeardEvent[] = [];
  let judgedMs = 0;
  let pushed = 0;
  const voiceActivity: VoiceActivity = {
    capabilities: silero.capabilities,
    open: ({ sampleRate: rate, listener }) =>
      silero.open({
        sampleRate: rate,
        listener: (window) => {
          listener(window);
          judgedMs = window.endMs;
        },
      }),
    close: () => silero.close(),
  };
  const final = Promise.withResolvers<HeardEvent>();
  const recognition = await openRecognition({ ...options, sampleRate, voiceActivity, speechToText }, (event) => {
    events.push(event);
    if (event.kind === 'final') final.resolve(event);
  });
  const frame = sampleRate / 50;
  const hear: Listening['hear'] = async (sound, own = new Int16Array(0)) => {
    for (let at = 0; at < sound.length; at += frame) {
      if (at < own.length)
        recognition.noticeOwnVoice(own.subarray(at, at + frame), at === 0 ? (pushed * 1000) / sampleRate : undefined);
      recognition.hear(sound.subarray(at, at + frame));
      pushed += sound.subarray(at, at + frame).length;
      const soFarMs = (pushed * 1000) / sampleRate;
      if (pushed % (frame * 10) === 0) await eventually('the sound so far is judged', () => judgedMs > soFarMs - 110);
    }
  };
  return { events, recognition, hear, final: final.promise };
}

/** Where a sound begins, to within 10 ms. */
function onsetMs(sound: Int16Array, sampleRate: number): number {
  return (1000 * sound.findIndex((sample) => Math.abs(sample) > 600)) / sampleRate;
}

function startsIn(events: readonly HeardEvent[]): number[] {
  return events.flatMap((event) => (event.kind === 'speech-started' ? event.atMs : []));
}

/** Amplitude of noise 10 dB below these. */
function noiseRoot(sounds: readonly Int16Array[]): number {
  const loud = sounds.flatMap((sound) => [...sound]).filter((sample) => Math.abs(sample) > 600);
  return Math.sqrt(loud.reduce((sum, sample) => sum + sample ** 2, 0) / loud.length) / 10 ** (7 / 20);
}

const question = 'Please tell me when the shop opens.';

describe('audio recognition with Silero', () => {
  it.each(lineRates)('finds a voice between noises at %i Hz', async (rate) => {
    const speech = await say(question, 'rms', rate);
    const { recognition, events, hear } = await listenAt(rate);
    await hear(joinSamples([noise(1, rate, 60), mixed(speech, noise(3, rate, 60)), noise(1, rate, 60)]));
    recognition.close();
    expect(events.map(({ kind }) => kind).filter((kind) => kind.startsWith('speech'))).toEqual([
      'speech-started',
      'speech-stopped',
    ]);
    expect(Math.abs((startsIn(events)[0] ?? 0) - 1000 - onsetMs(speech, rate))).toBeLessThan(100);
  });

  it.each([8000, 16_000])('does not mistake noise, hum, keys, music or clicks for a voice at %i Hz', async (rate) => {
    const { recognition, events, hear } = await listenAt(rate);
    const keys = [...'0123456789'].map((key) =>
      joinSamples([dtmfTone(key, rate, 150) ?? new Int16Array(0), new Int16Array(rate / 10)]),
    );
    const click = new Int16Array(rate / 2).fill(20_000, 100, 103);
    const chord = waves(rate, 4, [262, 330, 392, 524]);
    await hear(joinSamples([noise(4, rate, 2000), waves(rate, 4, [50, 100, 150]), ...keys, chord, click, click, click, click]));
    recognition.close();
    expect(startsIn(events)).toEqual([]);
  });

  it.each([
    ['of a telephone, cleaned', 8000, { noise: { suppression, strength: 100 } }],
    ['of a telephone that comes as wideband', 16_000, {}],
  ] as const)('notice spelled letters in the noise %s', async (_, rate, options) => {
    const telephone = 6800;
    const letters = await Promise.all([...'ABFGKLMNRX'].map((letter) => say(`${letter}.`, 'rms', telephone)));
    const pause = new Int16Array(telephone);
    const said = joinSamples([pause, ...letters.flatMap((letter) => [letter, pause])]);
    const noisy = mixed(said, noise(said.length / telephone, telephone, noiseRoot(letters) * Math.sqrt(3)));
    const { recognition, events, hear } = await listenAt(rate, options);
    await hear(await resample(noisy, telephone, rate));
    recognition.close();
    expect(startsIn(events).length).toBeGreaterThanOrEqual(letters.length - 2);
  });

  it('does not take a late, weak telephone echo of the agent for a caller', async () => {
    const rate = 8000;
    const own = await say('Good morning and thank you for calling our shop. How can I help you today?', 'slt', rate);
    for (const [delayMs, strength] of [
      [60, 0.5],
      [300, 0.1],
    ] as const) {
      const echo = muLaw.decode(
        muLaw.encode(
          after(
            delayMs,
            own.map((sample) => sample * strength),
            rate,
          ),
        ),
      );
      const { recognition, events, hear } = await listenAt(rate);
      await hear(mixed(echo, noise(echo.length / rate, rate, 30)), own);
      recognition.close();
      expect(startsIn(events)).toEqual([]);
    }
  });

  it('does not take the agent’s echo in a room for a caller', async () => {
    const rate = 8000;
    const own = await say('Good morning and thank you for calling our shop. How can I help you today?', 'rms', rate);
    const walls = [
      [60, 0.5],
      [67, 0.3],
      [79, -0.25],
      [103, 0.15],
      [157, 0.1],
    ] as const;
    const echo = mixed(
      ...walls.map(([delayMs, strength]) =>
        after(
          delayMs,
          own.map((sample) => sample * strength),
          rate,
        ),
      ),
    );
    const { recognition, events, hear } = await listenAt(rate);
    await hear(mixed(echo, noise(echo.length / rate, rate, 30)), own);
    recognition.close();
    expect(startsIn(events)).toEqual([]);
  });

  it('hears a caller over an echo within half a second, and nothing before', async () => {
    const rate = 8000;
    const own = await say('Good morning and thank you for calling our shop. How can I help you today?', 'slt', rate);
    const caller = await say('Wait, please stop. I have a question about my order.', 'rms', rate);
    const spokenAtMs = 2000 + onsetMs(caller, rate);
    for (const [delayMs, strength] of [
      [60, 0.3],
      [300, 0.1],
    ] as const) {
      const echo = after(
        delayMs,
        own.map((sample) => sample * strength),
        rate,
      );
      const { recognition, events, hear } = await listenAt(rate);
      await hear(mixed(echo, noise(6, rate, 30), after(2000, caller, rate)), own);
      recognition.close();
      const [firstMs = Number.NaN] = startsIn(events);
      expect(firstMs).toBeGreaterThan(spokenAtMs - 100);
      expect(firstMs).toBeLessThan(spokenAtMs + 500);
    }
  });
});

const folders = [path.resolve(__dirname, '../../../../.cache/pocketsphinx'), '/'];
const pocketsphinx = new Pocketsphinx({ folders });

if (pocketsphinx.capabilities.unavailable === undefined) {
  it('transcribes flite with pocketsphinx', async () => {
    const { recognition, final, hear } = await listenAt(16_000, { speechToText: pocketsphinx });
    const speech = await say('please open the door and come into the house', 'rms', 16_000);
    await hear(joinSamples([noise(1, 16_000, 30), speech, noise(1, 16_000, 30)]));
    recognition.finishTurn();
    expect(await final).toMatchObject({ text: expect.stringContaining('open the door') });
    recognition.close();
  });
} else {
  process.stdout.write(`Not shown: transcription with pocketsphinx, since it ${pocketsphinx.capabilities.unavailable}\n`);
}

function waves(sampleRate: number, seconds: number, frequencies: readonly number[]): Int16Array {
  const amplitude = 12_000 / frequencies.length;
  return Int16Array.from({ length: seconds * sampleRate }, (_, i) =>
    frequencies.reduce((sum, hz) => sum + amplitude * Math.sin((2 * Math.PI * hz * i) / sampleRate), 0),
  );
}
