import initialize, { type RnnoiseModule } from '@echogarden/rnnoise-wasm';
import { answerCalls } from '../answer-calls.ts';

/** What the worker does. */
export interface RnnoiseCalls {
  load(): Promise<void>;
  /** Whole frames at 48 kHz, cleaned; they are late by one frame. A stream that is new here begins afresh. */
  clean(stream: number, strength: number, frames: Int16Array): Promise<Int16Array>;
  forget(stream: number): void;
}

const frameSamples = 480;
const bytesPerFloat = 4;

interface Memory {
  readonly state: number;
  /** The cleaned frame is late by one, so what it is mixed with has to be, too. */
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

const calls: RnnoiseCalls = {
  async load() {
    await loaded();
  },
  async clean(stream, strength, frames) {
    const { rnnoise, cells } = await loaded();
    const { state, before } = memoryOf(stream, rnnoise);
    const cleaned = new Int16Array(frames.length);
    for (let at = 0; at < frames.length; at += frameSamples) {
      const frame = frames.subarray(at, at + frameSamples);
      rnnoise.HEAPF32.set(frame, cells / bytesPerFloat);
      rnnoise._rnnoise_process_frame(state, cells, cells);
      const voice = rnnoise.HEAPF32.subarray(cells / bytesPerFloat, cells / bytesPerFloat + frameSamples);
      for (let i = 0; i < frameSamples; i++) {
        const mixed = strength * (voice[i] ?? 0) + (1 - strength) * (before[i] ?? 0);
        cleaned[at + i] = Math.max(-32_768, Math.min(32_767, Math.round(mixed)));
      }
      before.set(frame);
    }
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
