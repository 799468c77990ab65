import { readFile } from 'node:fs/promises';
import { workerData } from 'node:worker_threads';
import { z } from 'zod';
import { answerCalls } from '../answer-calls.ts';

/** Concatenated frames of several streams. */
export interface NoiseBatch {
  readonly streams: Int32Array;
  /** How much of the noise to remove from each stream, 0 to 1. */
  readonly strengths: Float32Array;
  /** The number of samples of each stream, in whole frames. */
  readonly lengths: Int32Array;
  /** At 48 kHz. */
  readonly samples: Int16Array;
}

/** What the worker does. */
export interface RnnoiseCalls {
  load(): Promise<void>;
  /** Returns the cleaned samples in the same order, delayed by one frame. An unknown stream starts with fresh state. */
  clean(batch: NoiseBatch): Promise<Int16Array>;
  forget(stream: number): void;
}

const frameSamples = 480;
const bytesPerFloat = 4;
const bytesPerPage = 65_536;

interface LineMemory {
  readonly state: number;
  /** The previous frame, since the original must be delayed by one frame like the cleaned one. */
  readonly before: Int16Array;
}

const Exports = z.object({
  memory: z.instanceof(WebAssembly.Memory),
  emscripten_stack_init: z.custom<() => void>(isFunction),
  __wasm_call_ctors: z.custom<() => void>(isFunction),
  malloc: z.custom<(bytes: number) => number>(isFunction),
  rnnoise_create: z.custom<(model: number) => number>(isFunction),
  rnnoise_destroy: z.custom<(state: number) => void>(isFunction),
  rnnoise_process_frame: z.custom<(state: number, output: number, input: number) => number>(isFunction),
});

interface Filter {
  readonly rnnoise: z.output<typeof Exports>;
  /** The address at which a frame is passed. */
  readonly place: number;
  /** A view of that address, valid until the memory grows. */
  cells: Float32Array;
}

const modelFile = String(workerData);
const memories = new Map<number, LineMemory>();
let loading: Promise<Filter> | undefined;

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

async function load(): Promise<Filter> {
  const ours: { memory?: WebAssembly.Memory } = {};
  const env = {
    emscripten_memcpy_big: (to: number, from: number, bytes: number) => {
      if (ours.memory) new Uint8Array(ours.memory.buffer).copyWithin(to, from, from + bytes);
      return to;
    },
    emscripten_resize_heap: (bytes: number) => grown(ours.memory, bytes),
    __assert_fail: () => {
      throw new Error('the noise filter stopped');
    },
  };
  const instance = new WebAssembly.Instance(new WebAssembly.Module(await readFile(modelFile)), { env });
  const rnnoise = Exports.parse(instance.exports);
  ours.memory = rnnoise.memory;
  rnnoise.emscripten_stack_init();
  rnnoise.__wasm_call_ctors();
  return { rnnoise, place: rnnoise.malloc(frameSamples * bytesPerFloat), cells: new Float32Array(0) };
}

/** Grows the memory to this size; 0 if it cannot. */
function grown(memory: WebAssembly.Memory | undefined, bytes: number): number {
  try {
    memory?.grow(Math.ceil((bytes - memory.buffer.byteLength) / bytesPerPage));
    return 1;
  } catch {
    return 0;
  }
}

function loaded(): Promise<Filter> {
  loading ??= load();
  return loading;
}

function memoryOf(stream: number, { rnnoise }: Filter): LineMemory {
  const known = memories.get(stream);
  if (known) return known;
  const fresh = { state: rnnoise.rnnoise_create(0), before: new Int16Array(frameSamples) };
  memories.set(stream, fresh);
  return fresh;
}

/** Cleans one frame in place. */
function process(filter: Filter, state: number, frame: Int16Array): Float32Array {
  const { rnnoise, place } = filter;
  // A view is empty after the memory has grown.
  if (filter.cells.length === 0) filter.cells = new Float32Array(rnnoise.memory.buffer, place, frameSamples);
  filter.cells.set(frame);
  rnnoise.rnnoise_process_frame(state, place, place);
  return filter.cells;
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
    const filter = await loaded();
    const cleaned = new Int16Array(samples.length);
    let at = 0;
    streams.forEach((stream, index) => {
      const { state, before } = memoryOf(stream, filter);
      const strength = strengths[index] ?? 1;
      const end = at + (lengths[index] ?? 0);
      for (; at < end; at += frameSamples) {
        const frame = samples.subarray(at, at + frameSamples);
        mix(process(filter, state, frame), { before, strength }, cleaned.subarray(at, at + frameSamples));
        before.set(frame);
      }
    });
    return cleaned;
  },
  async forget(stream) {
    const { rnnoise } = await loaded();
    const memory = memories.get(stream);
    if (memory) rnnoise.rnnoise_destroy(memory.state);
    memories.delete(stream);
  },
};

answerCalls({ ...calls });
