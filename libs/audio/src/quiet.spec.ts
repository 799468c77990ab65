import { muLaw } from './g711';
import { QuietGate, QuietSound } from './quiet';
import { bytesFromSamples } from './samples';

const silence = new Int16Array(256);

function hiss(amplitude: number, seed: number): Int16Array {
  let last = seed;
  return silence.map(() => {
    last = (last * 1_103_515_245 + 12_345) % 2_147_483_648;
    return (last / 2_147_483_648 - 0.5) * 2 * amplitude;
  });
}

/** How many of so many windows have to be judged. */
function judgedOf(gate: QuietGate, windows: number, amplitude: number, known = 0): number {
  return Array.from({ length: windows }, (_, i) => gate.mustJudge(hiss(amplitude, i + 1), known)).filter(Boolean).length;
}

describe('QuietGate', () => {
  it.each([0, 10, 40, 150])('has nobody look for a voice in a lasting quiet of amplitude %i', (amplitude) => {
    expect(judgedOf(new QuietGate(32), 100, amplitude)).toBeLessThan(30);
  });

  it('has the first window judged that stands out, though the sound began only at its end', () => {
    const gate = new QuietGate(32);
    judgedOf(gate, 60, 40);
    const late = hiss(40, 99);
    late.set(hiss(120, 5).subarray(0, 60), 196);
    expect(gate.mustJudge(late, 0)).toBe(true);
  });

  it('has everything judged in a place that is not quiet', () => {
    expect(judgedOf(new QuietGate(32), 100, 1000)).toBe(100);
  });

  it('has the quiet within and after a voice judged, for as long as one may be there', () => {
    const gate = new QuietGate(32);
    expect(judgedOf(gate, 50, 40, 0.4)).toBe(50);
    expect(judgedOf(gate, 6, 40, 0.05)).toBe(6);
    expect(judgedOf(gate, 10, 40, 0.05)).toBe(0);
  });
});

describe('QuietSound', () => {
  const room = (seed: number): Int16Array => hiss(20, seed).subarray(0, 160);
  const voice = (seed: number): Int16Array => hiss(6000, seed).subarray(0, 160);
  /** For each frame of 20 ms how many bytes leave with it. */
  const sentBy = (sound: QuietSound, frames: readonly Int16Array[]): number[] =>
    frames.map((samples) => sound.push(bytesFromSamples(samples.slice()))?.length ?? 0);
  const rooms = (count: number) => Array.from({ length: count }, (_, seed) => room(seed + 1));
  const narrow = { encoding: 'pcm16', sampleRate: 8000 } as const;

  it('lets all leave at once until it has been quiet for a second, and then three frames at a time', () => {
    const sent = sentBy(new QuietSound(narrow), [voice(1), ...rooms(80)]);
    expect(sent.slice(0, 51)).toEqual(Array(51).fill(320));
    expect(sent.slice(-6).toSorted((one, other) => one - other)).toEqual([0, 0, 0, 0, 960, 960]);
  });

  it('lets the first frame that stands out leave at once, behind the quiet before it', () => {
    const sound = new QuietSound(narrow);
    const frames = [...rooms(100), voice(7)];
    const sent: number[] = [];
    for (const samples of frames) for (const byte of sound.push(bytesFromSamples(samples.slice())) ?? []) sent.push(byte);
    expect(sent).toEqual(frames.flatMap((samples) => [...bytesFromSamples(samples.slice())]));
    expect(sentBy(sound, [voice(8), room(9)])).toEqual([320, 320]);
  });

  it('knows mu-law, frames of another length, and places where it is never quiet', () => {
    const law = new QuietSound({ encoding: 'mulaw', sampleRate: 8000 });
    const silent = Array.from({ length: 60 }, () => law.push(muLaw.encode(new Int16Array(160)))?.length ?? 0);
    expect(silent.slice(-3).toSorted((one, other) => one - other)).toEqual([0, 0, 480]);
    expect(law.push(muLaw.encode(new Int16Array(800)))?.length).toBeGreaterThanOrEqual(800);
    expect(law.push(muLaw.encode(new Int16Array(800)))).toHaveLength(800);
    const noisy = Array.from({ length: 100 }, (_, seed) => hiss(1000, seed + 1).subarray(0, 160));
    expect(sentBy(new QuietSound(narrow), noisy)).toEqual(Array(100).fill(320));
  });
});
