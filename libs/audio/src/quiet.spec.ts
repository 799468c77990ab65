import { QuietGate, VoiceClarity } from './quiet';

const silence = new Int16Array(256);

function hiss(amplitude: number, seed: number): Int16Array {
  let last = seed;
  return silence.map(() => {
    last = (Math.imul(last, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (last / 2_147_483_648 - 0.5) * 2 * amplitude;
  });
}

/** How many of this many windows must be judged. */
function judgedOf(gate: QuietGate, windows: number, amplitude: number, known = 0): number {
  return Array.from({ length: windows }, (_, i) => gate.mustJudge(hiss(amplitude, i + 1), known)).filter(Boolean).length;
}

describe('QuietGate', () => {
  it.each([0, 10, 40, 150])('skips detection in lasting quiet of amplitude %i', (amplitude) => {
    expect(judgedOf(new QuietGate(32), 100, amplitude)).toBeLessThan(30);
  });

  it('judges the first window that stands out, even if the sound starts at its end', () => {
    const gate = new QuietGate(32);
    judgedOf(gate, 60, 40);
    const late = hiss(40, 99);
    late.set(hiss(120, 5).subarray(0, 60), 196);
    expect(gate.mustJudge(late, 0)).toBe(true);
  });

  it('judges everything in a noisy place', () => {
    expect(judgedOf(new QuietGate(32), 100, 1000)).toBe(100);
  });

  it('judges the quiet within and after speech, as long as more may follow', () => {
    const gate = new QuietGate(32);
    expect(judgedOf(gate, 50, 40, 0.4)).toBe(50);
    expect(judgedOf(gate, 6, 40, 0.05)).toBe(6);
    expect(judgedOf(gate, 10, 40, 0.05)).toBe(0);
  });
});

describe('VoiceClarity', () => {
  const clarityAfter = (...levels: readonly number[]): VoiceClarity => {
    const clarity = new VoiceClarity(20);
    for (const loudness of levels) clarity.isClear(loudness, { begins: false });
    return clarity;
  };
  const second = (loudness: number): number[] => new Array<number>(50).fill(loudness);
  const voiceBegins = (clarity: VoiceClarity): boolean => clarity.isClear(1500, { begins: true });

  it('knows a clear line by a voice 36 dB above its quiet, from the next voice on', () => {
    expect(voiceBegins(clarityAfter(...second(10)))).toBe(false);
    expect(voiceBegins(clarityAfter(...second(10), ...second(1500), ...second(10)))).toBe(true);
    expect(voiceBegins(clarityAfter(...second(40), ...second(1500), ...second(40)))).toBe(false);
  });

  it('notices noise that arises amid a voice within four seconds, and reports no clear line until the next voice', () => {
    const clarity = clarityAfter(...second(10), ...second(1500), ...second(10));
    expect(voiceBegins(clarity)).toBe(true);
    const noise = Array.from({ length: 4 }, () => second(120)).flat();
    const noisy = [...second(1500), ...noise, ...second(1500)].map((loudness) => clarity.isClear(loudness, { begins: false }));
    expect([noisy[0], noisy.at(-1)]).toEqual([true, false]);
    const quietAgain = [...second(10), ...second(10), ...second(10), ...second(10)].map((loudness) =>
      clarity.isClear(loudness, { begins: false }),
    );
    expect(quietAgain).not.toContain(true);
    expect(voiceBegins(clarity)).toBe(true);
  });

  it('does not take a sentence without a gap for noise', () => {
    const clarity = clarityAfter(...second(10), ...second(1500), ...second(10));
    expect(voiceBegins(clarity)).toBe(true);
    const sentence = [...second(1500), ...second(200)].map((loudness) => clarity.isClear(loudness, { begins: false }));
    expect(sentence).not.toContain(false);
  });

  it('treats digital silence as quiet, and no soft voice as a loud one', () => {
    expect(voiceBegins(clarityAfter(...second(0), ...second(1500), ...second(0)))).toBe(true);
    expect(voiceBegins(clarityAfter(...second(10), ...second(300), ...second(10)))).toBe(false);
  });
});
