import { toSample } from './encodings';

type FourTones = readonly [number, number, number, number];

const rowHz: FourTones = [697, 770, 852, 941];
const columnHz: FourTones = [1209, 1336, 1477, 1633];
const keypad = ['123A', '456B', '789C', '*0#D'];

const blockMs = 12.75;
// ITU-T Q.24 requires tones of 40 ms, which always contain two whole blocks.
const blocksToPress = 2;
const blocksToRelease = 2;
const loudnessMin = 0.004;
// The two tones must have most of the energy of a block, which they hardly ever have in speech or music.
const toneShareMin = 0.7;
// A line may weaken one tone against the other by 8 dB either way.
const twistMax = 6.3;
// So even the weaker tone has this share. Most sound of a call has less at the frequencies of columns, and is not examined further.
const weakerShareMin = toneShareMin / (1 + twistMax);

/** Detects keypad tones in a stream. A key held down is reported once, when its tone began. */
export class DtmfDetector {
  private readonly cutter: FrameCutter;
  private candidate: string | undefined;
  private pressed: string | undefined;
  private blocksSame = 0;

  constructor(private readonly sampleRate: number) {
    this.cutter = new FrameCutter(Math.round((sampleRate * blockMs) / 1000));
  }

  /** The keys whose tone was confirmed within these samples. */
  push(samples: Int16Array): string[] {
    return this.cutter.push(samples).flatMap((block) => this.hear(keyIn(block, this.sampleRate)));
  }

  /** The key whose tone is sounding now. */
  get key(): string | undefined {
    return this.pressed;
  }

  private hear(key: string | undefined): string[] {
    this.blocksSame = key === this.candidate ? this.blocksSame + 1 : 1;
    this.candidate = key;
    if (key === this.pressed) return [];
    if (this.blocksSame < (key === undefined ? blocksToRelease : blocksToPress)) return [];
    this.pressed = key;
    return key === undefined ? [] : [key];
  }
}

function keyIn(block: Int16Array, sampleRate: number): string | undefined {
  let energy = 0;
  for (const sample of block) energy += sample * sample;
  if (Math.sqrt(energy / block.length) < loudnessMin * 32_768) return undefined;
  const scale = 2 / (block.length * energy);
  const column = strongest(block, columnHz, sampleRate);
  if (column.power * scale < weakerShareMin) return undefined;
  const row = strongest(block, rowHz, sampleRate);
  const share = (row.power + column.power) * scale;
  const twist = Math.max(row.power, column.power) / Math.max(1, Math.min(row.power, column.power));
  return share >= toneShareMin && twist <= twistMax ? keypad[row.index]?.[column.index] : undefined;
}

function strongest(block: Int16Array, frequencies: FourTones, sampleRate: number): { index: number; power: number } {
  const powers = powersIn(block, frequencies, sampleRate);
  const power = Math.max(...powers);
  return { index: powers.indexOf(power), power };
}

/**
 * Squared magnitudes of four frequencies in a block, by Goertzel's algorithm. Each step depends on the one before, so four at a time
 * take hardly longer than one.
 */
function powersIn(block: Int16Array, frequencies: FourTones, sampleRate: number): FourTones {
  const turnOf = (hz: number): number => 2 * Math.cos((2 * Math.PI * hz) / sampleRate);
  const [a, b, c, d] = [turnOf(frequencies[0]), turnOf(frequencies[1]), turnOf(frequencies[2]), turnOf(frequencies[3])];
  let [a1, a2, b1, b2, c1, c2, d1, d2] = [0, 0, 0, 0, 0, 0, 0, 0];
  for (const sample of block) {
    const a0 = sample + a * a1 - a2;
    const b0 = sample + b * b1 - b2;
    const c0 = sample + c * c1 - c2;
    const d0 = sample + d * d1 - d2;
    a2 = a1;
    b2 = b1;
    c2 = c1;
    d2 = d1;
    a1 = a0;
    b1 = b0;
    c1 = c0;
    d1 = d0;
  }
  const powerOf = (last: number, before: number, turn: number): number => last * last + before * before - turn * last * before;
  return [powerOf(a1, a2, a), powerOf(b1, b2, b), powerOf(c1, c2, c), powerOf(d1, d2, d)];
}

/** The tone of a key at half of full scale; undefined for other characters. */
export function dtmfTone(key: string, sampleRate: number, durationMs = 100): Int16Array | undefined {
  const row = keypad.findIndex((keys) => keys.includes(key));
  const low = rowHz[row];
  const high = columnHz[keypad[row]?.indexOf(key) ?? -1];
  if (key.length !== 1 || low === undefined || high === undefined) return undefined;
  const radians = (2 * Math.PI) / sampleRate;
  return Int16Array.from({ length: Math.round((sampleRate * durationMs) / 1000) }, (_, i) =>
    toSample(8192 * (Math.sin(low * radians * i) + Math.sin(high * radians * i))),
  );
}

/** Cuts a stream of blocks of any size into frames of one size. Keeps at most one unfinished frame. */
export class FrameCutter {
  /** The unfinished frame, and the one just returned while the next is filled. */
  private rest: Int16Array;
  private other: Int16Array;
  private filled = 0;

  constructor(private readonly frameSamples: number) {
    if (!Number.isInteger(frameSamples) || frameSamples < 1) throw new RangeError('a frame has at least one sample');
    this.rest = new Int16Array(frameSamples);
    this.other = new Int16Array(frameSamples);
  }

  /** The frames that this block completes. They are views of the block or the cutter's own memory, valid until the next push. */
  push(block: Int16Array): Int16Array[] {
    const frames: Int16Array[] = [];
    let at = 0;
    if (this.filled > 0) {
      at = Math.min(block.length, this.frameSamples - this.filled);
      this.keep(block.subarray(0, at));
      if (this.filled < this.frameSamples) return frames;
      frames.push(this.rest);
      [this.rest, this.other] = [this.other, this.rest];
      this.filled = 0;
    }
    for (; at + this.frameSamples <= block.length; at += this.frameSamples) {
      frames.push(block.subarray(at, at + this.frameSamples));
    }
    if (at < block.length) this.keep(block.subarray(at));
    return frames;
  }

  /** The unfinished frame, padded with silence; undefined if there is none. */
  flush(): Int16Array | undefined {
    if (this.filled === 0) return undefined;
    const last = this.rest.slice().fill(0, this.filled);
    this.filled = 0;
    return last;
  }

  private keep(samples: Int16Array): void {
    this.rest.set(samples, this.filled);
    this.filled += samples.length;
  }
}

/** Samples in a frame of this many milliseconds. */
export function frameSamplesOf(sampleRate: number, frameMs = 20): number {
  return Math.round((sampleRate * frameMs) / 1000);
}
