import { joinSamples } from '@parley/audio';
import { SampleTrail } from './echo-guard';
import { lastSoundIn, SpeechDetector, type SpeechDetectorOptions, type SpeechEdge } from './speech-detector';

const windowMs = 32;

function edgesOf(probabilities: readonly number[], options?: SpeechDetectorOptions, isDoubtful = false): SpeechEdge[] {
  const detector = new SpeechDetector(options);
  return probabilities.flatMap((probability, index) => {
    const startMs = index * windowMs;
    return detector.hear({ startMs, endMs: startMs + windowMs, probability, isDoubtful }) ?? [];
  });
}

describe('SpeechDetector', () => {
  it('places a voice where it began and ended, not where it became certain', () => {
    expect(edgesOf([0, 0, 0.9, 0.9, 0.9, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1])).toEqual([
      { kind: 'speech-started', atMs: 2 * windowMs },
      { kind: 'speech-stopped', atMs: 5 * windowMs },
    ]);
  });

  it('ignores a click shorter than the minimum speech', () => {
    expect(edgesOf([0, 0.99, 0, 0.99, 0, 0, 0.99])).toEqual([]);
  });

  it('continues a voice between the two thresholds, but does not start one there', () => {
    expect(edgesOf(new Array(50).fill(0.45))).toEqual([]);
    expect(edgesOf([0.9, 0.9, ...new Array(50).fill(0.4)]).map(({ kind }) => kind)).toEqual(['speech-started']);
  });

  it('does not end a voice at a gap shorter than the minimum silence', () => {
    expect(edgesOf([0.9, 0.9, 0, 0, 0, 0.9, 0.9, 0, 0, 0, 0.9], { silenceMinMs: 150 })).toHaveLength(1);
  });

  it('needs more evidence of a voice while the agent may be heard', () => {
    expect(edgesOf([0.7, 0.7, 0.7, 0.7, 0.7, 0.7], {}, true)).toEqual([]);
    expect(edgesOf([0.9, 0.9], {}, true)).toEqual([]);
    expect(edgesOf([0.9, 0.9, 0.9, 0.9], {}, true)).toHaveLength(1);
  });
});

describe('the end of a voice', () => {
  const rate = 8000;
  /** A vowel's pulses: far louder at their peaks than by their mean. */
  const vowel = (ms: number): Int16Array => Int16Array.from({ length: ms * 8 }, (_, at) => (at % 40 === 0 ? 20_000 : 0));
  const hum = (ms: number, peak: number): Int16Array =>
    Int16Array.from({ length: ms * 8 }, (_, at) => Math.round(peak * Math.sin((2 * Math.PI * 200 * at) / rate)));
  /** Noise as machines make it, out of which single samples stand by four times its mean. */
  const hiss = (ms: number, mean: number): Int16Array => {
    let state = 5;
    const chance = (): number => (state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff) / 2_147_483_648;
    const normal = (): number => Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance());
    return Int16Array.from({ length: ms * 8 }, () => Math.round(mean * normal()));
  };
  const endMs = (sound: Int16Array, loudest = 0): number => {
    const trail = new SampleTrail(new Int16Array(sound.length));
    trail.append(sound);
    return lastSoundIn(trail, { from: 0, to: sound.length, loudest }, rate) / 8;
  };

  it('is where its samples fall 30 dB below the loudest, though a hum that follows is not much softer by its mean', () => {
    expect(endMs(joinSamples([vowel(200), hum(60, 500), hum(100, 5)]))).toBeCloseTo(195, -1);
    expect(endMs(joinSamples([vowel(200), hum(60, 700), hum(100, 5)]))).toBeCloseTo(260, -1);
  });

  it('is measured from the loudest moment of the whole turn, not only of its last words', () => {
    const words = joinSamples([hum(300, 3000), hum(60, 300), hum(100, 5)]);
    expect(endMs(words)).toBeCloseTo(360, -1);
    expect(endMs(words, 20_000)).toBeCloseTo(300, -1);
  });

  it('is where it disappears in noise from which single samples stand out', () => {
    const sound = joinSamples([hum(300, 4000), hiss(300, 200)]);
    expect(endMs(sound)).toBeCloseTo(300, -1);
  });

  it('is not found where nothing is kept any more, whatever voice was searched before', () => {
    expect(endMs(joinSamples([vowel(500), hum(100, 5)]))).toBeCloseTo(495, -1);
    const trail = new SampleTrail(new Int16Array(800));
    trail.append(hum(500, 5));
    expect(lastSoundIn(trail, { from: 0, to: 4000, loudest: 0 }, rate)).toBe(0);
  });
});
