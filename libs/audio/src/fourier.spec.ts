import { Fourier } from './fourier';

const wave = (size: number, turns: number): Float64Array =>
  Float64Array.from({ length: size }, (_, i) => Math.cos((2 * Math.PI * turns * i) / size));

describe('Fourier', () => {
  it('finds a wave at its own frequency and nowhere else', () => {
    const [real, imaginary] = [wave(64, 5), new Float64Array(64)];
    new Fourier(64).forward(real, imaginary);
    const powers = Array.from(real, (part, k) => Math.hypot(part, imaginary[k] ?? 0));
    expect(powers.flatMap((power, k) => (power > 1e-9 ? [k] : []))).toEqual([5, 59]);
    expect(powers[5]).toBeCloseTo(32);
  });

  it.each([2, 128, 2048])('restores its input of %i samples', (size) => {
    const fourier = new Fourier(size);
    const given = Float64Array.from({ length: size }, (_, i) => Math.sin(i * i));
    const [real, imaginary] = [given.slice(), given.slice().reverse()];
    fourier.forward(real, imaginary);
    fourier.inverse(real, imaginary);
    for (let i = 0; i < size; i++) expect(real[i]).toBeCloseTo(given[i] ?? 0, 9);
    for (let i = 0; i < size; i++) expect(imaginary[i]).toBeCloseTo(given[size - 1 - i] ?? 0, 9);
  });

  it('refuses a size that is not a power of two', () => {
    expect(() => new Fourier(48)).toThrow(RangeError);
  });
});
