import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type SpeechRequest } from '@parley/ports';
import { describeTextToSpeech } from '@parley/ports/suites';
import { SherpaSpeaking, SpeakingPace } from './index';
import { Espeak } from '../espeak';
import { levelOf, makeToneKokoro, makeTonePiper } from './tone-voices.fixture';

describe('how fast a model speaks on this machine', () => {
  const kokoro = { name: 'kokoro', family: 'kokoro' } as const;
  const piper = { name: 'piper', family: 'vits' } as const;

  it('is expected to be too slow for calls of the large one, and not of the small one', () => {
    const pace = new SpeakingPace();
    expect([pace.isSlow(kokoro), pace.isSlow(piper)]).toEqual([true, false]);
  });

  it('is measured on its sentences, but not on the first, which waits for the model to load', () => {
    const pace = new SpeakingPace();
    for (const model of [kokoro, piper]) pace.note(model, 9000, 2000);
    expect([pace.isSlow(kokoro), pace.isSlow(piper)]).toEqual([true, false]);
    pace.note(kokoro, 400, 2000);
    pace.note(piper, 1900, 2000);
    expect([pace.isSlow(kokoro), pace.isSlow(piper)]).toEqual([false, true]);
  });
});

const lacking = new Espeak().capabilities.unavailable;

/** With the real engine and real processes; only the weights are tiny, since no registry has a model. */
if (lacking) {
  it('cannot be shown without the pronunciation that comes with espeak', () => {
    process.stdout.write(`Not shown: voices of sherpa-onnx, since espeak ${lacking}\n`);
  });
} else {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'models-'));
    await makeToneKokoro(path.join(folder, 'kokoro-multi-lang-v1_0'));
    for (const [id, voice] of [
      ['en_US-amy-low', 'en-us'],
      ['hi_IN-pratham-medium', 'hi'],
    ] as const) {
      await makeTonePiper(path.join(folder, `vits-piper-${id}`), { id, voice });
    }
  });
  afterAll(() => rm(folder, { recursive: true }));

  describeTextToSpeech('voices of sherpa-onnx', () => new SherpaSpeaking(folder));

  describe('voices of sherpa-onnx', () => {
    let speaking: SherpaSpeaking;
    beforeEach(() => {
      speaking = new SherpaSpeaking(folder);
    });
    afterEach(() => speaking.close());

    /** The sound's peak and length. */
    async function heardOf(request: SpeechRequest): Promise<{ level: number; seconds: number; rates: Set<number> }> {
      const heard = { level: 0, seconds: 0, rates: new Set<number>() };
      for await (const { samples, sampleRate } of speaking.speak(request)) {
        heard.level = samples.reduce((peak, sample) => Math.max(peak, sample / 32_767), heard.level);
        heard.seconds += samples.length / sampleRate;
        heard.rates.add(sampleRate);
      }
      return heard;
    }

    it('speaks with the smaller model where the other one is not there', async () => {
      const models = await mkdtemp(path.join(tmpdir(), 'smaller-'));
      await makeToneKokoro(path.join(models, 'kokoro-multi-lang-v1_0-int8'));
      await speaking.close();
      speaking = new SherpaSpeaking(models);
      expect(speaking.capabilities.unavailable).toBeUndefined();
      expect((await heardOf({ text: 'दुकान खुली है।', language: 'hindi' })).level).toBeCloseTo(levelOf(31), 3);
      await rm(models, { recursive: true });
    });

    it('gives each speaker of a model its own voice, one language after another', async () => {
      const english = await heardOf({ text: 'The shop is open.', language: 'english', voice: 'af_heart' });
      const hindi = await heardOf({ text: 'दुकान खुली है।', language: 'hindi', voice: 'hf_alpha' });
      const other = await heardOf({ text: 'दुकान खुली है।', language: 'hindi', voice: 'hm_psi' });
      expect(english.level).toBeCloseTo(levelOf(3), 3);
      expect(hindi.level).toBeCloseTo(levelOf(31), 3);
      expect(other.level).toBeCloseTo(levelOf(34), 3);
      for (const { seconds, rates } of [english, hindi, other]) {
        expect(seconds).toBeGreaterThan(0.1);
        expect([...rates]).toEqual([24_000]);
      }
      expect(other.seconds).toBeCloseTo(hindi.seconds, 3);
    });

    it('says amounts in words, not sign by sign', async () => {
      const signs = await heardOf({ text: '₹1,50,000', language: 'hindi', voice: 'hf_alpha' });
      const words = await heardOf({ text: 'एक लाख पचास हज़ार रुपये', language: 'hindi', voice: 'hf_alpha' });
      expect(signs.seconds).toBeCloseTo(words.seconds, 3);
    });

    it('prefers the faster voice, and never one of another language', async () => {
      expect([...(await heardOf({ text: 'Hello.', language: 'english' })).rates]).toEqual([22_050]);
      const speech = speaking.speak({ text: 'Hello.', language: 'english', voice: 'hf_alpha' });
      await expect(speech.next()).rejects.toMatchObject({ provider: 'sherpa-onnx', retryable: false });
    });
  });
}
