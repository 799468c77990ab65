import { type TimedWord } from '@parley/ports';
import { describeTextToSpeech } from '@parley/ports/suites';
import { Espeak } from '.';

const { unavailable } = new Espeak().capabilities;

if (unavailable) {
  it('explains how to install it, and refuses to speak until then', async () => {
    process.stdout.write(`Not shown: espeak ${unavailable}\n`);
    const speech = new Espeak().speak({ text: 'नमस्ते', language: 'hindi' });
    await expect(speech.next()).rejects.toMatchObject({ provider: 'espeak', retryable: false });
  });
} else {
  describeTextToSpeech('Espeak', () => new Espeak());

  describe('Espeak', () => {
    let espeak: Espeak;
    beforeAll(() => {
      espeak = new Espeak();
    });
    afterAll(() => espeak.close());

    it('times every word from the start of the whole speech', async () => {
      const words: TimedWord[] = [];
      let totalMs = 0;
      for await (const block of espeak.speak({ text: 'नमस्ते, आप कैसे हैं? मैं ठीक हूँ।', language: 'hindi' })) {
        words.push(...(block.words ?? []));
        totalMs += (block.samples.length * 1000) / block.sampleRate;
      }
      expect(words.map(({ text }) => text)).toEqual(['नमस्ते', 'आप', 'कैसे', 'हैं', 'मैं', 'ठीक', 'हूँ']);
      let last = 0;
      for (const { startMs, endMs } of words) {
        expect(startMs).toBeGreaterThanOrEqual(last);
        last = endMs;
      }
      expect(last).toBeCloseTo(totalMs, 0);
    });

    it('drops no letter of Marathi, and names each word as written', async () => {
      const say = async (text: string) => (await espeak.speak({ text, language: 'marathi' }).next()).value;
      const [written, older, without] = await Promise.all(['ॲप', 'ऍप', 'प'].map(say));
      const apart = ({ samples }: { samples: Int16Array }) => Math.abs(samples.length - written.samples.length);
      expect(apart(older)).toBeLessThan(apart(without) / 2);
      expect(written.words).toMatchObject([{ text: 'ॲप' }]);
    });

    it('does not speak Hindi with a Marathi voice', async () => {
      const speech = espeak.speak({ text: 'नमस्ते', language: 'hindi', voice: 'mr' });
      await expect(speech.next()).rejects.toMatchObject({ retryable: false });
    });

    it('speaks differently with another voice', async () => {
      const [male, female] = await Promise.all(
        ['hi', 'hi+f3'].map(async (voice) => (await espeak.speak({ text: 'नमस्ते', language: 'hindi', voice }).next()).value),
      );
      expect(male.samples).not.toEqual(female.samples);
    });
  });
}
