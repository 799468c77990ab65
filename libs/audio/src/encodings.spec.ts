import { aLaw, muLaw } from './encodings';

const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte);

describe('G.711', () => {
  it('encodes the values that the standard tabulates', () => {
    const samples = Int16Array.of(0, 32_767, -32_768, 1000, -1000);
    expect([...muLaw.encode(samples)]).toEqual([0xff, 0x80, 0x00, 0xce, 0x4e]);
    expect([...aLaw.encode(samples)]).toEqual([0xd5, 0xaa, 0x2a, 0xfa, 0x7a]);
  });

  it('preserves every A-law byte in a round trip', () => {
    expect(aLaw.encode(aLaw.decode(everyByte))).toEqual(everyByte);
  });

  it('preserves every mu-law byte except the second zero', () => {
    const expected = everyByte.map((byte) => (byte === 0x7f ? 0xff : byte));
    expect(muLaw.encode(muLaw.decode(everyByte))).toEqual(expected);
  });

  it.each([
    ['mu-law', muLaw],
    ['A-law', aLaw],
  ])('stays within 4 % of loud samples in %s', (_name, law) => {
    for (let sample = -32_000; sample <= 32_000; sample += 97) {
      const [heard = 0] = law.decode(law.encode(Int16Array.of(sample)));
      expect(Math.abs(heard - sample)).toBeLessThanOrEqual(Math.max(20, Math.abs(sample) * 0.04));
    }
  });
});
