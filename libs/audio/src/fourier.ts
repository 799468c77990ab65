/**
 * The discrete Fourier transform of one size, a power of two, in place: real and imaginary parts in separate arrays, so that two
 * real signals can be transformed at once.
 */
export class Fourier {
  private readonly cosines: Float64Array;
  private readonly sines: Float64Array;
  private readonly swaps: Uint32Array;

  constructor(readonly size: number) {
    if (!Number.isInteger(Math.log2(size)) || size < 2) throw new RangeError('a transform has a power of two places');
    this.cosines = Float64Array.from({ length: size / 2 }, (_, k) => Math.cos((2 * Math.PI * k) / size));
    this.sines = Float64Array.from({ length: size / 2 }, (_, k) => -Math.sin((2 * Math.PI * k) / size));
    this.swaps = swapsOf(size);
  }

  forward(real: Float64Array, imaginary: Float64Array): void {
    this.reorder(real, imaginary);
    for (let width = 2; width <= this.size; width *= 2) this.combine(real, imaginary, width);
  }

  /** The inverse of `forward`, scaled accordingly. */
  inverse(real: Float64Array, imaginary: Float64Array): void {
    // Swapping the real and the imaginary parts inverts the transform.
    this.forward(imaginary, real);
    const scale = 1 / this.size;
    for (let i = 0; i < real.length; i++) {
      real[i] = (real[i] ?? 0) * scale;
      imaginary[i] = (imaginary[i] ?? 0) * scale;
    }
  }

  private reorder(real: Float64Array, imaginary: Float64Array): void {
    const { swaps } = this;
    for (let i = 0; i < swaps.length; i += 2) {
      const one = swaps[i] ?? 0;
      const other = swaps[i + 1] ?? 0;
      const keptReal = real[one] ?? 0;
      const keptImaginary = imaginary[one] ?? 0;
      real[one] = real[other] ?? 0;
      imaginary[one] = imaginary[other] ?? 0;
      real[other] = keptReal;
      imaginary[other] = keptImaginary;
    }
  }

  /** One butterfly stage: combines pairs of transforms of half this width. */
  private combine(real: Float64Array, imaginary: Float64Array, width: number): void {
    const { size, cosines, sines } = this;
    const half = width / 2;
    const stride = size / width;
    for (let from = 0; from < size; from += width) {
      for (let k = 0; k < half; k++) {
        const low = from + k;
        const high = low + half;
        const cosine = cosines[k * stride] ?? 0;
        const sine = sines[k * stride] ?? 0;
        const highReal = real[high] ?? 0;
        const highImaginary = imaginary[high] ?? 0;
        const turnedReal = highReal * cosine - highImaginary * sine;
        const turnedImaginary = highReal * sine + highImaginary * cosine;
        real[high] = (real[low] ?? 0) - turnedReal;
        imaginary[high] = (imaginary[low] ?? 0) - turnedImaginary;
        real[low] = (real[low] ?? 0) + turnedReal;
        imaginary[low] = (imaginary[low] ?? 0) + turnedImaginary;
      }
    }
  }
}

/** Pairs of indices that bit reversal swaps. */
function swapsOf(size: number): Uint32Array {
  const bits = Math.log2(size);
  const backwards = (place: number): number => {
    let turned = 0;
    for (let bit = 0; bit < bits; bit++) turned |= ((place >> bit) & 1) << (bits - 1 - bit);
    return turned;
  };
  const pairs: number[] = [];
  for (let place = 0; place < size; place++) if (backwards(place) > place) pairs.push(place, backwards(place));
  return Uint32Array.from(pairs);
}
