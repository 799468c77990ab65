import { joinSamples } from '@parley/audio';
import { loud, quiet, rate } from './listening.suite';
import { SoundRise } from './speech-detector';

/** The 20 ms frames in which the sound rose. */
function risesIn(sound: Int16Array): number[] {
  const rise = new SoundRise(rate);
  const frame = rate / 50;
  return Array.from({ length: sound.length / frame }, (_, i) => i).filter((i) =>
    rise.push(sound.subarray(i * frame, (i + 1) * frame)),
  );
}

function hiss(ms: number, amplitude: number): Int16Array {
  let seed = 3;
  return quiet(ms).map(() => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (seed / 2_147_483_648 - 0.5) * 2 * amplitude;
  });
}

describe('SoundRise', () => {
  it('notices sound within 20 ms, once', () => {
    expect(risesIn(joinSamples([quiet(400), loud(400)]))).toEqual([20]);
  });

  it('notices what is much louder than the noise before it, such as the hiss that begins a word', () => {
    expect(risesIn(joinSamples([hiss(4000, 100), hiss(200, 500)])).filter((frame) => frame > 0)).toEqual([200]);
  });

  it('ignores steady noise and clicks', () => {
    expect(risesIn(hiss(4000, 900)).filter((frame) => frame > 0)).toEqual([]);
    expect(risesIn(joinSamples([quiet(400), quiet(200).fill(20_000, 0, 30)]))).toEqual([]);
  });
});
