/** The number of bands of the features for Whisper's encoder and models derived from it. */
export const melBands = 80;

/** The sample rate of the features' input. */
export const melRate = 16_000;

const windowSamples = 400;
const hopSamples = 160;
const bins = windowSamples / 2 + 1;
const radices = [4, 4, 5, 5];
/** How many pairs of frames are transformed together. */
const lanes = 16;
const framesAtOnce = 2 * lanes;
const faintest = 1e-10;
/** Values are clamped at this many powers of ten below the loudest. */
const depth = 8;
// Slaney's mel scale is linear up to 1 kHz, which is 15 mels, and logarithmic above.
const evenUpTo = 1000;
const melsBelow = 15;
const step = Math.log(6.4) / 27;
const hann = Float64Array.from({ length: windowSamples }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / windowSamples));
const cosines = Float64Array.from({ length: windowSamples }, (_, i) => Math.cos((2 * Math.PI * i) / windowSamples));
const sines = Float64Array.from({ length: windowSamples }, (_, i) => -Math.sin((2 * Math.PI * i) / windowSamples));
const bands = triangles();
const work: readonly [Complex, Complex] = [workingPlace(), workingPlace()];

interface Complex {
  readonly real: Float64Array;
  readonly imaginary: Float64Array;
}

/** A band of the mel scale, with the weights of its bins. */
interface Band {
  readonly from: number;
  readonly weights: Float64Array;
}

/**
 * The log-mel spectrum of a sound, band by band, scaled as in the models' training: the sound to zero mean and unit variance, the result
 * to about -1 to 1. Samples beyond `samples.length / 160` whole windows are ignored.
 */
export function logMel(samples: Float32Array): Float32Array {
  const sound = mirrored(normalized(samples));
  const frames = Math.floor(samples.length / hopSamples);
  const mel = new Float32Array(melBands * frames);
  // Turns are padded with silence at the beginning, whose frames are all equal.
  const silent = Math.max(0, Math.floor((countEqual(samples) - windowSamples) / hopSamples));
  for (let frame = 0; frame < frames; frame += framesAtOnce) {
    if (frame > 0 && frame + framesAtOnce <= silent) repeat(mel, { frames, from: frame - 1, to: frame });
    else takeFrames(sound, { mel, frames, from: frame });
  }
  return scaled(mel);
}

/** How many samples at the beginning are equal. */
function countEqual(samples: Float32Array): number {
  let count = 0;
  while (count < samples.length && samples[count] === samples[0]) count += 1;
  return count;
}

function scaled(mel: Float32Array): Float32Array {
  let loudest = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < mel.length; i++) loudest = Math.max(loudest, mel[i] ?? 0);
  for (let i = 0; i < mel.length; i++) mel[i] = (Math.max(mel[i] ?? 0, loudest - depth) + 4) / 4;
  return mel;
}

function normalized(samples: Float32Array): Float32Array {
  let sum = 0;
  for (let i = 0; i < samples.length; i++) sum += samples[i] ?? 0;
  const mean = sum / samples.length;
  let squares = 0;
  for (let i = 0; i < samples.length; i++) squares += ((samples[i] ?? 0) - mean) ** 2;
  const scale = 1 / Math.sqrt(squares / samples.length + 1e-7);
  const sound = new Float32Array(samples.length);
  for (let i = 0; i < sound.length; i++) sound[i] = ((samples[i] ?? 0) - mean) * scale;
  return sound;
}

/** Mirrors half a window at either end, so that the first frame is centred on the first sample. */
function mirrored(samples: Float32Array): Float32Array {
  const pad = windowSamples / 2;
  const sound = new Float32Array(samples.length + 2 * pad + hopSamples);
  sound.set(samples, pad);
  for (let i = 1; i <= pad; i++) {
    sound[pad - i] = samples[i] ?? 0;
    sound[pad + samples.length - 1 + i] = samples[samples.length - 1 - i] ?? 0;
  }
  return sound;
}

function workingPlace(): Complex {
  return { real: new Float64Array(windowSamples * lanes), imaginary: new Float64Array(windowSamples * lanes) };
}

interface FramePlace {
  readonly frames: number;
  readonly from: number;
}

function repeat(mel: Float32Array, { frames, from, to }: FramePlace & { readonly to: number }): void {
  for (let band = 0; band < melBands; band++) {
    mel.fill(mel[band * frames + from] ?? 0, band * frames + to, band * frames + to + framesAtOnce);
  }
}

/** Transforms pairs of real frames as complex ones, several at a time. */
function takeFrames(sound: Float32Array, { mel, frames, from }: FramePlace & { readonly mel: Float32Array }): void {
  const [{ real, imaginary }] = work;
  for (let i = 0; i < windowSamples; i++) {
    const height = hann[i] ?? 0;
    for (let lane = 0; lane < lanes; lane++) {
      const at = (from + 2 * lane) * hopSamples + i;
      real[i * lanes + lane] = (sound[at] ?? 0) * height;
      imaginary[i * lanes + lane] = (sound[at + hopSamples] ?? 0) * height;
    }
  }
  const spectrum = transformed();
  for (let lane = 0; lane < lanes; lane++) {
    powersOf(spectrum, lane).forEach((power, second) => {
      const frame = from + 2 * lane + second;
      if (frame < frames) bands.forEach((band, row) => (mel[row * frames + frame] = levelOf(band, power)));
    });
  }
}

/** The power spectra of the two frames in a lane, separated by symmetry. */
function powersOf({ real, imaginary }: Complex, lane: number): readonly Float64Array[] {
  const first = new Float64Array(bins);
  const second = new Float64Array(bins);
  for (let bin = 0; bin < bins; bin++) {
    const at = bin * lanes + lane;
    const mirror = ((windowSamples - bin) % windowSamples) * lanes + lane;
    const a = real[at] ?? 0;
    const b = imaginary[at] ?? 0;
    const c = real[mirror] ?? 0;
    const d = imaginary[mirror] ?? 0;
    first[bin] = ((a + c) ** 2 + (b - d) ** 2) / 4;
    second[bin] = ((b + d) ** 2 + (c - a) ** 2) / 4;
  }
  return [first, second];
}

function levelOf({ from, weights }: Band, power: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < weights.length; i++) sum += (weights[i] ?? 0) * (power[from + i] ?? 0);
  return Math.log10(Math.max(faintest, sum));
}

/** The Fourier transform of the first work buffer by Stockham's algorithm, one radix after another, with the result in natural order. */
function transformed(): Complex {
  let [from, to] = work;
  let done = 1;
  for (const radix of radices) {
    const parts = windowSamples / done / radix;
    for (let part = 0; part < parts; part++) {
      for (let bin = 0; bin < radix; bin++) combine(from, to, { radix, done, parts, part, bin });
    }
    done *= radix;
    [from, to] = [to, from];
  }
  return from;
}

interface RadixStep {
  readonly radix: number;
  /** The product of the earlier radices. */
  readonly done: number;
  readonly parts: number;
  readonly part: number;
  readonly bin: number;
}

/** Indexes instead of views of the parts, which would be more garbage than the sound itself. */
function combine(from: Complex, to: Complex, { radix, done, parts, part, bin }: RadixStep): void {
  const length = done * lanes;
  const target = length * (radix * part + bin);
  to.real.fill(0, target, target + length);
  to.imaginary.fill(0, target, target + length);
  for (let j = 0; j < radix; j++) {
    const turn = (bin * (part * done + (j * windowSamples) / radix)) % windowSamples;
    const cosine = cosines[turn] ?? 0;
    const sine = sines[turn] ?? 0;
    const source = length * (part + parts * j);
    for (let i = 0; i < length; i++) {
      const x = from.real[source + i] ?? 0;
      const y = from.imaginary[source + i] ?? 0;
      to.real[target + i] = (to.real[target + i] ?? 0) + x * cosine - y * sine;
      to.imaginary[target + i] = (to.imaginary[target + i] ?? 0) + x * sine + y * cosine;
    }
  }
}

/** Triangles of equal area on the mel scale. */
function triangles(): readonly Band[] {
  const mels = melOf(melRate / 2);
  const edges = Array.from({ length: melBands + 2 }, (_, i) => hertzOf((mels * i) / (melBands + 1)));
  return Array.from({ length: melBands }, (_, band) => {
    const [low = 0, middle = 0, high = 0] = edges.slice(band, band + 3);
    const all = Array.from({ length: bins }, (__, bin) => {
      const hertz = (bin * melRate) / windowSamples;
      const height = Math.max(0, Math.min((hertz - low) / (middle - low), (high - hertz) / (high - middle)));
      return (2 * height) / (high - low);
    });
    const from = Math.max(
      0,
      all.findIndex((weight) => weight > 0),
    );
    return { from, weights: Float64Array.from(all.slice(from, all.findLastIndex((weight) => weight > 0) + 1)) };
  });
}

function melOf(hertz: number): number {
  return hertz < evenUpTo ? (3 * hertz) / 200 : melsBelow + Math.log(hertz / evenUpTo) / step;
}

function hertzOf(mel: number): number {
  return mel < melsBelow ? (200 * mel) / 3 : evenUpTo * Math.exp(step * (mel - melsBelow));
}
