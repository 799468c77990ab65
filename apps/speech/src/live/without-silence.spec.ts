import { joinSamples } from '@parley/audio';
import type { SpeechBlock, TextToSpeech } from '@parley/ports';
import { openTextToSpeech } from '@parley/providers/speech-catalogue';
import { withoutSilence } from './session-parts';

const sampleRate = 8000;
const silence = (ms: number) => new Int16Array((sampleRate * ms) / 1000);
const sound = (ms: number) => silence(ms).fill(5000);

async function* blocksOf(...samples: Int16Array[]): AsyncGenerator<SpeechBlock> {
  for (const one of samples) yield { samples: one, sampleRate };
}

async function heard(blocks: AsyncIterable<SpeechBlock>, pauseMs = 0, rate = sampleRate): Promise<Int16Array> {
  const parts: Int16Array[] = [];
  for await (const { samples } of withoutSilence(blocks, { sampleRate: rate, pauseMs })) parts.push(samples);
  return joinSamples(parts);
}

describe('withoutSilence', () => {
  it.each([[[silence(223), sound(300), silence(180)]], [[joinSamples([silence(223), sound(300), silence(180)])]]])(
    'leaves 20 ms at either end, however the sound is cut',
    async (blocks) => {
      expect(await heard(blocksOf(...blocks))).toEqual(joinSamples([silence(20), sound(300), silence(20)]));
    },
  );

  it('leaves pauses within a sentence, and sets the pause before it as requested', async () => {
    const sentence = [sound(100), silence(250), sound(100)];
    expect(await heard(blocksOf(...sentence), 130)).toEqual(joinSamples([silence(130), ...sentence]));
  });

  it('moves the words with their sound', async () => {
    const word = { text: 'hello', startMs: 223, endMs: 523 };
    async function* blocks(): AsyncGenerator<SpeechBlock> {
      yield { samples: silence(223), sampleRate, words: [word] };
      yield { samples: sound(300), sampleRate };
    }
    const told: SpeechBlock[] = [];
    for await (const block of withoutSilence(blocks(), { sampleRate, pauseMs: 0 })) told.push(block);
    expect(told.flatMap(({ words = [] }) => words)).toEqual([{ text: 'hello', startMs: 20, endMs: 320 }]);
  });

  it('reduces silence to nothing', async () => {
    expect(await heard(blocksOf(silence(100), silence(300)), 130)).toHaveLength(0);
  });

  it('delivers a real voice within 20 ms of its first sample', async () => {
    const engine: TextToSpeech = await openTextToSpeech('flite', { POCKETSPHINX_DIR: '', PARLEY_MODELS: '' });
    const spoken = await heard(engine.speak({ text: 'We open at nine.', language: 'english', voice: 'slt' }), 0, 16_000);
    await engine.close();
    const first = spoken.findIndex((sample) => Math.abs(sample) > 64);
    const last = spoken.findLastIndex((sample) => Math.abs(sample) > 64);
    expect(spoken.length).toBeGreaterThan(8000);
    expect(first / 16).toBeLessThanOrEqual(20);
    expect((spoken.length - 1 - last) / 16).toBeLessThanOrEqual(20);
  });
});
