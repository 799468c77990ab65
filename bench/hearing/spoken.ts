import { joinSamples, resample } from '@parley/audio';
import { openTextToSpeech } from '@parley/providers/speech-catalogue';

const sentences = [
  'Please open the door and come into the house.',
  'What time does the shop open on Saturday?',
  'I would like to change the address on my account.',
  'The train leaves at nine in the morning.',
  'Can you tell me how much it costs?',
  'My order has not arrived yet.',
  'Thank you, that is all I wanted to know.',
  'Send it to my office next week, please.',
];

/** Sentences by several synthetic voices, at a given sample rate. */
export async function spokenSentences(sampleRate: number): Promise<Int16Array[]> {
  const flite = await openTextToSpeech('flite', { POCKETSPHINX_DIR: '', PARLEY_MODELS: '' });
  const voices = ['slt', 'rms', 'awb'];
  try {
    const spoken: Int16Array[] = [];
    for (const [index, text] of sentences.entries()) {
      const blocks: Int16Array[] = [];
      for await (const { samples } of flite.speak({ text, language: 'english', voice: voices[index % voices.length] }))
        blocks.push(samples);
      spoken.push(await resample(joinSamples(blocks), 16_000, sampleRate));
    }
    return spoken;
  } finally {
    await flite.close();
  }
}

/** White noise, the same every time. A product beyond 2^53 would be rounded, and the noise would soon repeat itself. */
export function noise(samples: number, amplitude: number): Int16Array {
  let seed = 5;
  return Int16Array.from({ length: samples }, () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (seed / 2_147_483_648 - 0.5) * 2 * amplitude;
  });
}
