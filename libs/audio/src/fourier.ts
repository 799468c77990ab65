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
    if (this.size >= 4) combineFours(real, imaginary);
    let width = this.size >= 4 ? 8 : 2;
    for (; 2 * width <= this.size; width *= 4) this.combineTwice(real, imaginary, 2 * width);
    if (width <= this.size) this.combine(real, imaginary, width);
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

  /** The stages of half this width and of this width at once, so that each value is read and written once. */
  private combineTwice(real: Float64Array, imaginary: Float64Array, width: number): void {
    const { size, cosines, sines } = this;
    const quarter = width / 4;
    const stride = size / width;
    for (let from = 0; from < size; from += width) {
      for (let k = 0; k < quarter; k++) {
        const one = from + k;
        const two = one + quarter;
        const three = two + quarter;
        const four = three + quarter;
        const innerCosine = cosines[2 * k * stride] ?? 0;
        const innerSine = sines[2 * k * stride] ?? 0;
        const twoReal = (real[two] ?? 0) * innerCosine - (imaginary[two] ?? 0) * innerSine;
        const twoImaginary = (real[two] ?? 0) * innerSine + (imaginary[two] ?? 0) * innerCosine;
        const fourReal = (real[four] ?? 0) * innerCosine - (imaginary[four] ?? 0) * innerSine;
        const fourImaginary = (real[four] ?? 0) * innerSine + (imaginary[four] ?? 0) * innerCosine;
        const a = (real[three] ?? 0) + fourReal;
        const b = (imaginary[three] ?? 0) + fourImaginary;
        const c = (real[three] ?? 0) - fourReal;
        const d = (imaginary[three] ?? 0) - fourImaginary;
        const cosine = cosines[k * stride] ?? 0;
        const sine = sines[k * stride] ?? 0;
        const sumReal = a * cosine - b * sine;
        const sumImaginary = a * sine + b * cosine;
        // A quarter turn further, the factor is the same times -i.
        const restReal = c * sine + d * cosine;
        const restImaginary = d * sine - c * cosine;
        real[three] = (real[one] ?? 0) + twoReal - sumReal;
        imaginary[three] = (imaginary[one] ?? 0) + twoImaginary - sumImaginary;
        real[four] = (real[one] ?? 0) - twoReal - restReal;
        imaginary[four] = (imaginary[one] ?? 0) - twoImaginary - restImaginary;
        real[two] = (real[one] ?? 0) - twoReal + restReal;
        imaginary[two] = (imaginary[one] ?? 0) - twoImaginary + restImaginary;
        real[one] = (real[one] ?? 0) + twoReal + sumReal;
        imaginary[one] = (imaginary[one] ?? 0) + twoImaginary + sumImaginary;
      }
    }
  }
}

/** The first two butterfly stages at once, whose factors are 1, -1, i and -i, so that nothing is multiplied. */
function combineFours(real: Float64Array, imaginary: Float64Array): void {
  for (let at = 0; at < real.length; at += 4) {
    const a = real[at] ?? 0;
    const b = real[at + 1] ?? 0;
    const c = real[at + 2] ?? 0;
    const d = real[at + 3] ?? 0;
    const e = imaginary[at] ?? 0;
    const f = imaginary[at + 1] ?? 0;
    const g = imaginary[at + 2] ?? 0;
    const h = imaginary[at + 3] ?? 0;
    real[at] = a + b + c + d;
    imaginary[at] = e + f + g + h;
    real[at + 1] = a - b + g - h;
    imaginary[at + 1] = e - f - c + d;
    real[at + 2] = a + b - c - d;
    imaginary[at + 2] = e + f - g - h;
    real[at + 3] = a - b - g + h;
    imaginary[at + 3] = e - f + c - d;
  }
}

/** The lower half of a real signal's transform, which determines all of it, stored at an offset of longer arrays. */
export interface Spectrum {
  readonly real: Float64Array;
  readonly imaginary: Float64Array;
  readonly at: number;
}

/** The transform of a real signal, computed by one of half the size: even and odd samples become real and imaginary parts. */
export class RealFourier {
  /** The number of values of a spectrum. */
  readonly bins: number;
  private readonly half: Fourier;
  private readonly even: Float64Array;
  private readonly odd: Float64Array;
  private readonly cosines: Float64Array;
  private readonly sines: Float64Array;

  constructor(readonly size: number) {
    this.half = new Fourier(size / 2);
    this.bins = size / 2 + 1;
    this.even = new Float64Array(size / 2);
    this.odd = new Float64Array(size / 2);
    this.cosines = Float64Array.from({ length: this.bins }, (_, k) => Math.cos((2 * Math.PI * k) / size));
    this.sines = Float64Array.from({ length: this.bins }, (_, k) => Math.sin((2 * Math.PI * k) / size));
  }

  forward(samples: Float64Array, { real, imaginary, at }: Spectrum): void {
    const { even, odd, cosines, sines, half } = this;
    for (let i = 0; i < half.size; i++) {
      even[i] = samples[2 * i] ?? 0;
      odd[i] = samples[2 * i + 1] ?? 0;
    }
    half.forward(even, odd);
    for (let k = 0; k <= half.size; k++) {
      const one = k === half.size ? 0 : k;
      const mirror = k === 0 ? 0 : half.size - k;
      const a = even[one] ?? 0;
      const b = odd[one] ?? 0;
      const c = even[mirror] ?? 0;
      const d = odd[mirror] ?? 0;
      const cosine = cosines[k] ?? 0;
      const sine = sines[k] ?? 0;
      real[at + k] = (a + c + cosine * (b + d) - sine * (a - c)) / 2;
      imaginary[at + k] = (b - d - cosine * (a - c) - sine * (b + d)) / 2;
    }
  }

  /** The inverse of `forward`, scaled accordingly. */
  inverse({ real, imaginary, at }: Spectrum, samples: Float64Array): void {
    const { even, odd, cosines, sines, half } = this;
    for (let k = 0; k < half.size; k++) {
      const mirror = at + half.size - k;
      const a = real[at + k] ?? 0;
      const b = imaginary[at + k] ?? 0;
      const c = real[mirror] ?? 0;
      const d = imaginary[mirror] ?? 0;
      const cosine = cosines[k] ?? 0;
      const sine = sines[k] ?? 0;
      even[k] = (a + c - cosine * (b + d) - sine * (a - c)) / 2;
      odd[k] = (b - d + cosine * (a - c) - sine * (b + d)) / 2;
    }
    half.inverse(even, odd);
    for (let i = 0; i < half.size; i++) {
      samples[2 * i] = even[i] ?? 0;
      samples[2 * i + 1] = odd[i] ?? 0;
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
