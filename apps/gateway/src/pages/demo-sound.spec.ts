import { FrameCutter, fromSixteenBits, levelOf } from '../../public/demo/samples.js';
import { PlayoutQueue } from '../../public/demo/playout-queue.js';
import { Resampler } from '../../public/demo/resampler.js';

const tone = (hz: number, rate: number, seconds = 0.5) =>
  Float32Array.from({ length: Math.round(rate * seconds) }, (_, index) => 0.5 * Math.sin((2 * Math.PI * hz * index) / rate));

/** In blocks of 128, as an audio thread delivers sound. */
function resampled(sound: Float32Array, fromRate: number, toRate: number): Float32Array {
  const resampler = new Resampler(fromRate, toRate);
  const all: number[] = [];
  for (let at = 0; at < sound.length; at += 128) all.push(...resampler.push(sound.subarray(at, at + 128)));
  return Float32Array.from(all);
}

const loudness = (sound: Float32Array) => Math.sqrt(sound.reduce((sum, sample) => sum + sample * sample, 0) / sound.length);

describe('the page’s resampler', () => {
  it.each([
    [44_100, 16_000],
    [48_000, 16_000],
    [16_000, 48_000],
    [16_000, 44_100],
    [8000, 44_100],
  ])('converts a voice from %i to %i samples a second without clicks or a change of pitch', (fromRate, toRate) => {
    const heard = resampled(tone(440, fromRate), fromRate, toRate);
    const wanted = tone(440, toRate);
    expect(Math.abs(heard.length - wanted.length)).toBeLessThan(toRate * 0.006);
    const worst = Math.max(...heard.slice(100, -100).map((sample, index) => Math.abs(sample - (wanted[index + 100] ?? 0))));
    expect(worst).toBeLessThan(0.01);
  });

  it('keeps frequencies above the line’s band from aliasing into it', () => {
    const heard = resampled(tone(11_000, 48_000), 48_000, 16_000);
    expect(loudness(heard.slice(200))).toBeLessThan(0.001);
  });

  it('keeps time', () => {
    const resampler = new Resampler(44_100, 16_000);
    const block = new Float32Array(4410);
    let samples = 0;
    for (let index = 0; index < 200; index += 1) samples += resampler.push(block).length;
    expect(Math.abs(samples - 320_000)).toBeLessThan(60);
  });

  it('passes sound through unchanged at equal rates', () => {
    const sound = tone(440, 16_000);
    expect(resampled(sound, 16_000, 16_000)).toEqual(sound);
  });
});

describe('samples', () => {
  it('are cut into frames of equal length, and clipped instead of wrapped', () => {
    const cutter = new FrameCutter(320);
    const frames = [100, 219, 1, 640, 7].flatMap((length) => cutter.push(new Float32Array(length).fill(1.5)));
    expect(frames.map((frame) => frame.length)).toEqual([320, 320, 320]);
    expect(new Set(frames[2])).toEqual(new Set([32_767]));
    expect(new FrameCutter(2).push([-1.5, -1])[0]).toEqual(Int16Array.of(-32_768, -32_768));
  });

  it('are read little-endian; an odd last byte is dropped', () => {
    expect(fromSixteenBits(Uint8Array.of(0x00, 0x40, 0x00, 0x80, 0x7f).buffer)).toEqual(Float32Array.of(0.5, -1));
  });

  it('have a level between zero and one that grows with loudness', () => {
    const levels = [0, 300, 3000, 32_767].map((size) => levelOf(new Int16Array(320).fill(size)));
    expect(levels).toEqual(levels.toSorted((a, b) => a - b));
    expect(levels[0]).toBe(0);
    expect(levels[3]).toBeCloseTo(1, 4);
  });
});

describe('the playback queue', () => {
  const queueOf = (more = {}) => new PlayoutQueue({ capacity: 1000, startAt: 300, patience: 512, ...more });
  const sound = (length: number, value = 0.5) => new Float32Array(length).fill(value);
  const pull = (queue: PlayoutQueue) => queue.pull(new Float32Array(128));

  it('starts once a little has arrived, and counts only sound as played', () => {
    const queue = queueOf();
    queue.push(sound(200));
    expect(pull(queue)).toBe(0);
    queue.push(sound(100));
    expect([pull(queue), pull(queue), pull(queue), pull(queue)]).toEqual([128, 128, 44, 0]);
    expect(queue.played).toBe(300);
  });

  it('plays a short remainder after a while, even if it is below the start threshold', () => {
    const queue = queueOf();
    queue.push(sound(50));
    const pulls = Array.from({ length: 6 }, () => pull(queue));
    expect(pulls.filter(Boolean)).toEqual([50]);
  });

  it('is silent at once when cleared, and counts from zero', () => {
    const queue = queueOf();
    queue.push(sound(600));
    pull(queue);
    queue.clear();
    const block = new Float32Array(128);
    expect([queue.pull(block), loudness(block), queue.played]).toEqual([0, 0, 0]);
  });

  it('keeps the order across the end of its ring buffer', () => {
    const queue = queueOf({ startAt: 1 });
    const heard: number[] = [];
    for (let round = 0; round < 30; round += 1) {
      queue.push(Float32Array.from({ length: 128 }, (_, index) => round * 128 + index));
      const block = new Float32Array(128);
      queue.pull(block);
      heard.push(...block);
    }
    expect(heard).toEqual(Array.from({ length: 30 * 128 }, (_, index) => index));
  });

  it('drops what arrives while it is full, and says how much', () => {
    const queue = queueOf();
    queue.push(sound(900));
    queue.push(sound(900));
    expect([queue.length, queue.lost]).toEqual([1000, 800]);
  });
});
