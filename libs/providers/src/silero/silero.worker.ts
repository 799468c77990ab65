import { InferenceSession, Tensor } from 'onnxruntime-node';
import { workerData } from 'node:worker_threads';
import { answerCalls } from '../answer-calls.ts';

/** Windows of many streams at one rate: the stream of each window, and the concatenated samples. */
export interface WindowBatch {
  readonly sampleRate: number;
  readonly streams: Int32Array;
  readonly samples: Int16Array;
}

/** What the worker does. */
export interface SileroCalls {
  load(): Promise<void>;
  /** Returns a probability for each window. An unknown stream starts with fresh state. */
  judge(batches: readonly WindowBatch[]): Promise<Float32Array[]>;
  forget(streams: Int32Array): void;
}

const stateSize = 128;
const layers = 2;

interface StreamMemory {
  readonly state: Float32Array;
  /** The end of the previous window, which is part of the model's input. */
  readonly context: Float32Array;
}

const modelFile = String(workerData);
const memories = new Map<number, StreamMemory>();
let loading: Promise<InferenceSession> | undefined;

function session(): Promise<InferenceSession> {
  // One thread, because the cores are shared by many calls; batching makes up for it.
  loading ??= InferenceSession.create(modelFile, { intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: 'sequential' });
  return loading;
}

function memoryOf(stream: number, contextSamples: number): StreamMemory {
  const known = memories.get(stream);
  if (known) return known;
  const fresh = { state: new Float32Array(layers * stateSize), context: new Float32Array(contextSamples) };
  memories.set(stream, fresh);
  return fresh;
}

/** Runs one window of each of several distinct streams. */
async function runOnce(sampleRate: number, streams: readonly number[], windows: readonly Int16Array[]): Promise<Float32Array> {
  const contextSamples = sampleRate / 250;
  const width = contextSamples + (windows[0]?.length ?? 0);
  const input = new Float32Array(streams.length * width);
  const state = new Float32Array(layers * streams.length * stateSize);
  const remembered = streams.map((stream) => memoryOf(stream, contextSamples));
  remembered.forEach((memory, row) => {
    const cells = input.subarray(row * width, (row + 1) * width);
    cells.set(memory.context);
    windows[row]?.forEach((sample, i) => (cells[contextSamples + i] = sample / 32_768));
    memory.context.set(cells.subarray(width - contextSamples));
    eachLayer(streams.length, row, (part, at) => state.set(memory.state.subarray(part, part + stateSize), at));
  });
  const { output, stateN } = await (
    await session()
  ).run({
    input: new Tensor('float32', input, [streams.length, width]),
    state: new Tensor('float32', state, [layers, streams.length, stateSize]),
    sr: new Tensor('int64', BigInt64Array.of(BigInt(sampleRate)), []),
  });
  const after = numbersOf(stateN);
  remembered.forEach((memory, row) => {
    eachLayer(streams.length, row, (part, at) => memory.state.set(after.subarray(at, at + stateSize), part));
  });
  return Float32Array.from(numbersOf(output));
}

/** Calls back with the offsets of each layer of a stream's state, in its own memory and in the batch's. */
function eachLayer(count: number, row: number, move: (part: number, at: number) => void): void {
  for (let layer = 0; layer < layers; layer++) move(layer * stateSize, (layer * count + row) * stateSize);
}

function numbersOf(tensor: Tensor | undefined): Float32Array {
  if (!(tensor?.data instanceof Float32Array)) throw new TypeError('the model answered with something else than numbers');
  return tensor.data;
}

/** Each window of a stream depends on the previous one, so the first windows of all streams are run together, then the second ones. */
async function judgeBatch({ sampleRate, streams, samples }: WindowBatch): Promise<Float32Array> {
  const windowSamples = samples.length / Math.max(1, streams.length);
  const probabilities = new Float32Array(streams.length);
  let left = [...streams.keys()];
  while (left.length > 0) {
    const seen = new Set<number>();
    const round: number[] = [];
    const later: number[] = [];
    for (const index of left) {
      const stream = streams[index] ?? 0;
      (seen.has(stream) ? later : round).push(index);
      seen.add(stream);
    }
    const windows = round.map((index) => samples.subarray(index * windowSamples, (index + 1) * windowSamples));
    const judged = await runOnce(
      sampleRate,
      round.map((index) => streams[index] ?? 0),
      windows,
    );
    round.forEach((index, row) => (probabilities[index] = judged[row] ?? 0));
    left = later;
  }
  return probabilities;
}

const calls: SileroCalls = {
  async load() {
    await session();
  },
  async judge(batches) {
    const judged: Float32Array[] = [];
    for (const batch of batches) judged.push(await judgeBatch(batch));
    return judged;
  },
  forget(streams) {
    for (const stream of streams) memories.delete(stream);
  },
};

answerCalls({ ...calls });
