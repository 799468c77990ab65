import { DtmfDetector, dtmfTone } from './dtmf';
import { joinSamples } from './encodings';
import { tone } from './tone.fixture';

const keys = '0123456789*#ABCD';

function dial(digits: string, sampleRate: number, durationMs = 60): Int16Array {
  const pause = new Int16Array((sampleRate * 50) / 1000);
  return joinSamples([...digits].flatMap((digit) => [dtmfTone(digit, sampleRate, durationMs) ?? pause, pause]));
}

function hear(sound: Int16Array, sampleRate: number): string {
  const detector = new DtmfDetector(sampleRate);
  const frame = sampleRate / 50;
  let heard = '';
  for (let at = 0; at < sound.length; at += frame) heard += detector.push(sound.subarray(at, at + frame)).join('');
  return heard;
}

describe('DtmfDetector', () => {
  it.each([8000, 16_000, 48_000])('detects every key once at %i samples a second', (rate) => {
    expect(hear(dial(keys, rate), rate)).toBe(keys);
  });

  it('detects the same key pressed twice as two', () => {
    expect(hear(dial('5511', 8000), 8000)).toBe('5511');
  });

  it('reports a key held for a second once', () => {
    expect(hear(dial('7', 8000, 1000), 8000)).toBe('7');
  });

  it('reports which key is held now', () => {
    const detector = new DtmfDetector(8000);
    detector.push(dial('7', 8000, 100).subarray(0, 800));
    expect(detector.key).toBe('7');
    detector.push(new Int16Array(800));
    expect(detector.key).toBeUndefined();
  });

  it('detects keys through noise', () => {
    let seed = 1;
    const noisy = dial('12369', 8000).map((sample) => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff;
      return sample + (seed / 2_147_483_648 - 0.5) * 2000;
    });
    expect(hear(noisy, 8000)).toBe('12369');
  });

  it('does not mistake single tones or silence for keys', () => {
    for (const hz of [350, 440, 697, 1209, 2000]) expect(hear(tone(hz, 8000, 500), 8000)).toBe('');
    expect(hear(new Int16Array(8000), 8000)).toBe('');
  });

  it('has no tone for characters that are not on a keypad', () => {
    expect(dtmfTone('E', 8000)).toBeUndefined();
    expect(dtmfTone('', 8000)).toBeUndefined();
    expect(dtmfTone('12', 8000)).toBeUndefined();
  });
});
