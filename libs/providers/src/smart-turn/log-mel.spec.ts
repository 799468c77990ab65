import { createHash } from 'node:crypto';
import { joinSamples } from '@parley/audio';
import { Flite } from '../flite';
import { logMel, melBands, melRate } from './log-mel';
import { frameStep, framesFrom, levels, soundHash } from './log-mel.fixture';

const frames = 800;

describe('logMel', () => {
  const flite = new Flite();
  afterAll(() => flite.close());

  /** Eight seconds that end with a sentence. */
  async function spoken(): Promise<Float32Array> {
    const blocks: Int16Array[] = [];
    const words = { text: 'Please open the door and come into the house.', language: 'english', voice: 'slt' } as const;
    for await (const { samples } of flite.speak(words)) blocks.push(samples);
    const said = joinSamples(blocks);
    // The numbers are those of this very sound: another version of the voice needs other numbers.
    expect(createHash('sha256').update(said).digest('hex')).toBe(soundHash);
    const sound = new Float32Array(8 * melRate);
    said.forEach((sample, i) => (sound[sound.length - said.length + i] = sample / 32_768));
    return sound;
  }

  it('equals the reference that the model was trained with, within a thousandth', async () => {
    const mel = logMel(await spoken());
    expect(mel).toHaveLength(melBands * frames);
    levels.forEach((expected, index) => {
      const frame = framesFrom + frameStep * Math.floor(index / melBands);
      expect(Math.abs((mel[(index % melBands) * frames + frame] ?? 9) - expected)).toBeLessThan(0.001);
    });
  });

  it('gives frames of leading silence the values that each has by itself', async () => {
    const sound = await spoken();
    const almostSilent = sound.slice();
    almostSilent[0] = 1e-7;
    const [short, long] = [logMel(sound), logMel(almostSilent)];
    expect(short.every((level, i) => i % frames < 3 || Math.abs(level - (long[i] ?? 9)) < 0.001)).toBe(true);
  });

  it('is finite for silence, too', () => {
    expect(logMel(new Float32Array(8 * melRate)).every(Number.isFinite)).toBe(true);
  });
});
