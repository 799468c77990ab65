import { Resampler, resample } from './resampler';
import { joinSamples, loudnessOf } from './encodings';
import { shareOf, tone } from './tone.fixture';

const rates = [8000, 11_025, 16_000, 22_050, 24_000, 44_100, 48_000];
const pairs = rates.flatMap((from) => rates.map((to) => [from, to] as const));

describe('Resampler', () => {
  it.each(pairs)('keeps a tone, its loudness and its length from %i to %i', async (from, to) => {
    const heard = await resample(tone(440, from, 500), from, to);
    expect(Math.abs(heard.length - to / 2)).toBeLessThanOrEqual(to / 100);
    expect(shareOf(440, heard, to)).toBeGreaterThan(0.99);
    expect(loudnessOf(heard)).toBeCloseTo(loudnessOf(tone(440, from, 500)), 1);
  });

  it('gives the same result for blocks of twenty milliseconds as for the whole', async () => {
    const sound = tone(1000, 16_000, 300);
    const resampler = await Resampler.create(16_000, 8000);
    const parts: Int16Array[] = [];
    for (let at = 0; at < sound.length; at += 320) parts.push(resampler.push(sound.subarray(at, at + 320)));
    const streamed = joinSamples([...parts, resampler.flush()]);
    resampler.close();
    expect(streamed).toEqual(await resample(sound, 16_000, 8000));
  });

  it.each(pairs)('gives the same in memory that is used again, from %i to %i', async (from, to) => {
    const sound = tone(1000, from, 300);
    const resampler = await Resampler.create(from, to);
    const parts: Int16Array[] = [];
    // Blocks of several sizes, one of them larger than the filter takes at once.
    for (let at = 0, size = 160; at < sound.length; at += size, size = size === 160 ? 5000 : 160)
      parts.push(resampler.pushReusing(sound.subarray(at, at + size)).slice());
    const streamed = joinSamples([...parts, resampler.flush()]);
    resampler.close();
    expect(streamed).toEqual(await resample(sound, from, to));
  });

  it('filters out what the lower rate cannot carry', async () => {
    const heard = await resample(tone(6000, 16_000, 500), 16_000, 8000);
    expect(loudnessOf(heard)).toBeLessThan(0.005);
  });

  it('refuses an impossible rate', async () => {
    await expect(Resampler.create(8000, 0)).rejects.toThrow(RangeError);
  });

  it('refuses work once it is closed', async () => {
    const resampler = await Resampler.create(8000, 16_000);
    resampler.close();
    resampler.close();
    expect(() => resampler.push(new Int16Array(10))).toThrow('closed');
  });
});
