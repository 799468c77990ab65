import { EnergyDetector, Endpointing } from './voice-detector';

const sampleRate = 16_000;

function sound(ms: number, loudness: number): Int16Array {
  return Int16Array.from({ length: (sampleRate * ms) / 1000 }, (_, i) => loudness * Math.sin(i / 3));
}

/** Deterministic noise, so that a failure can be repeated. */
function noise(ms: number, loudness: number): Int16Array {
  let seed = 7;
  return Int16Array.from({ length: (sampleRate * ms) / 1000 }, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return (seed / 1_073_741_824 - 1) * loudness;
  });
}

function heard(...sounds: Int16Array[]): string[] {
  const endpointing = new Endpointing(new EnergyDetector(sampleRate), { sampleRate });
  return sounds.flatMap((part) => endpointing.push(part)).map(({ kind, atSample }) => `${kind} ${(atSample * 1000) / sampleRate}`);
}

describe('endpointing by loudness', () => {
  it('finds where speech began and ended, however it is cut into blocks', () => {
    const expected = ['started 500', 'ended 1500'];
    expect(heard(sound(500, 0), sound(1000, 8000), sound(1000, 0))).toEqual(expected);
    const whole = Int16Array.from([...sound(500, 0), ...sound(1000, 8000), ...sound(1000, 0)]);
    const blocks: Int16Array[] = [];
    for (let at = 0; at < whole.length; at += 777) blocks.push(whole.subarray(at, at + 777));
    expect(heard(...blocks)).toEqual(expected);
  });

  it('takes neither a click nor a short pause for a turn', () => {
    expect(heard(sound(500, 0), sound(40, 8000), sound(1000, 0))).toEqual([]);
    expect(heard(sound(500, 0), sound(400, 8000), sound(300, 0), sound(400, 8000), sound(1000, 0))).toEqual(['started 500', 'ended 1600']);
  });

  it('learns to live with noise that lasts, and hears a voice above it', () => {
    const events = heard(noise(12_000, 1500), sound(1000, 9000), noise(1000, 1500));
    expect(events.slice(-2)).toEqual(['started 12000', 'ended 13000']);
  });
});
