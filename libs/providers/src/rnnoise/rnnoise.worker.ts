import initialize, { type RnnoiseModule } from '@echogarden/rnnoise-wasm';
import { answerCalls } from '../answer-calls.ts';

/** Frames of several streams, one stream after the other. */
export interface NoiseBatch {
  readonly streams: Int32Array;
  /** Of each stream, how much of the noise goes: 0 to 1. */
  readonly strengths: Float32Array;
  /** Of each stream, how many samples there are: whole frames. */
  readonly lengths: Int32Array;
  /** At 48 kHz. */
  readonly samples: Int16Array;
}

/** What the worker does. */
export interface RnnoiseCalls {
  load(): Promise<void>;
  /** The samples cleaned, where they lay; they are late by one frame. A stream that is new here begins afresh. */
  clean(batch: NoiseBatch): Promise<Int16Array>;
  forget(stream: number): void;
}

const frameSamples = 480;
const bytesPerFloat = 4;

interface Memory {
  readonly state: number;
  /** The cleaned frame is late by one, so the original must be, too. */
  readonly before: Int16Array;
}

const memories = new Map<number, Memory>();
let loading: Promise<{ readonly rnnoise: RnnoiseModule; readonly cells: number }> | undefined;

function loaded() {
  loading ??= initialize().then((rnnoise) => ({ rnnoise, cells: rnnoise._malloc(frameSamples * bytesPerFloat) }));
  return loading;
}

function memoryOf(stream: number, rnnoise: RnnoiseModule): Memory {
  const known = memories.get(stream);
  if (known) return known;
  const fresh = { state: rnnoise._rnnoise_create(0), before: new Int16Array(frameSamples) };
  memories.set(stream, fresh);
  return fresh;
}

/** Mixes the filter's output with the original, by strength. */
function mix(voice: Float32Array, { before, strength }: { before: Int16Array; strength: number }, mixed: Int16Array): void {
  for (let i = 0; i < mixed.length; i++) {
    const sample = strength * (voice[i] ?? 0) + (1 - strength) * (before[i] ?? 0);
    mixed[i] = Math.max(-32_768, Math.min(32_767, Math.round(sample)));
  }
}

const calls: RnnoiseCalls = {
  async load() {
    await loaded();
  },
  async clean({ streams, strengths, lengths, samples }) {
    const { rnnoise, cells } = await loaded();
    const cleaned = new Int16Array(samples.length);
    let at = 0;
    streams.forEach((stream, index) => {
      const { state, before } = memoryOf(stream, rnnoise);
      const strength = strengths[index] ?? 1;
      const end = at + (lengths[index] ?? 0);
      for (; at < end; at += frameSamples) {
        const frame = samples.subarray(at, at + frameSamples);
        rnnoise.HEAPF32.set(frame, cells / bytesPerFloat);
        rnnoise._rnnoise_process_frame(state, cells, cells);
        mix(rnnoise.HEAPF32.subarray(cells / bytesPerFloat), { before, strength }, cleaned.subarray(at, at + frameSamples));
        before.set(frame);
      }
    });
    return cleaned;
  },
  async forget(stream) {
    const { rnnoise } = await loaded();
    const memory = memories.get(stream);
    if (memory) rnnoise._rnnoise_destroy(memory.state);
    memories.delete(stream);
  },
};

answerCalls({ ...calls });
