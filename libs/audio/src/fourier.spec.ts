import { Fourier, RealFourier } from './fourier';

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

describe('RealFourier', () => {
  it.each([4, 8, 256, 512])('finds in %i real samples what the complex transform finds, and restores them', (size) => {
    const fourier = new RealFourier(size);
    const samples = Float64Array.from({ length: size }, (_, i) => Math.sin(i * i) + i / size);
    const [real, imaginary] = [samples.slice(), new Float64Array(size)];
    new Fourier(size).forward(real, imaginary);
    const at = 3;
    const spectrum = { real: new Float64Array(at + fourier.bins), imaginary: new Float64Array(at + fourier.bins), at };
    fourier.forward(samples, spectrum);
    for (let k = 0; k < fourier.bins; k++) expect(spectrum.real[at + k]).toBeCloseTo(real[k] ?? 0, 9);
    for (let k = 0; k < fourier.bins; k++) expect(spectrum.imaginary[at + k]).toBeCloseTo(imaginary[k] ?? 0, 9);
    const restored = new Float64Array(size);
    fourier.inverse(spectrum, restored);
    for (let i = 0; i < size; i++) expect(restored[i]).toBeCloseTo(samples[i] ?? 0, 9);
  });
});
