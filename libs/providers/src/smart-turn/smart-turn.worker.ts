import { readFile } from 'node:fs/promises';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { workerData } from 'node:worker_threads';
import { answerCalls } from '../answer-calls.ts';
import { field, fieldsOf, nodeOf, numbersIn, tensorOf, valueOf } from '../onnx-graph.ts';
import { logMel, melBands, melRate } from './log-mel.ts';

/** What the worker does. */
export interface SmartTurnCalls {
  /** The probability that the speaker has finished, for each sound in 16 bits at 16 kHz. */
  judge(sounds: readonly Int16Array[]): Promise<Float32Array>;
}

const secondsHeard = 4;
const samplesHeard = secondsHeard * melRate;
const frames = secondsHeard * 100;
/** With half of its eight seconds the model gives a turn's end these log-odds less, on average over recordings of people. */
const doubt = 0.9;
/** Field numbers of onnx.proto. */
const ids = {
  model: { graph: 7 },
  graph: { node: 1, constant: 5, input: 11, output: 12, knownShape: 13 },
  node: { input: 1, result: 2, operator: 4, domain: 7 },
  tensor: { size: 1, name: 8, data: 9 },
  value: { name: 1 },
} as const;
/** The table has a row for each position, and a position is two frames. */
const positionTable = /embed_positions\.weight$/u;
const framesAPosition = 2;
const modelFile = String(workerData);
let loading: Promise<InferenceSession> | undefined;

async function session(): Promise<InferenceSession> {
  const model = adaptedModel(await readFile(modelFile), frames);
  // One thread, because results are not urgent and calls share the cores.
  return InferenceSession.create(model, { intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: 'sequential' });
}

/** The features of a sound, which the model expects at the end of its seconds. */
function featuresOf(sound: Int16Array): Float32Array {
  const samples = new Float32Array(samplesHeard);
  const heard = sound.subarray(Math.max(0, sound.length - samplesHeard));
  const from = samplesHeard - heard.length;
  for (let i = 0; i < heard.length; i++) samples[from + i] = (heard[i] ?? 0) / 32_768;
  return logMel(samples);
}

/** Sounds are judged one by one: together they would take as long, and share a scale, so that each would depend on the others. */
async function probabilityOf(sound: Int16Array): Promise<number> {
  const model = await (loading ??= session());
  const answers = await model.run({ input_features: new Tensor('float32', featuresOf(sound), [1, melBands, frames]) });
  const probabilities = answers[model.outputNames[0] ?? '']?.data;
  if (!(probabilities instanceof Float32Array)) throw new TypeError('the model answered with something else than numbers');
  const [probability = 0] = probabilities;
  return probability / (probability + (1 - probability) * Math.exp(-doubt));
}

const calls: SmartTurnCalls = {
  async judge(sounds) {
    const probabilities: number[] = [];
    for (const sound of sounds) probabilities.push(await probabilityOf(sound));
    return Float32Array.from(probabilities);
  },
};

answerCalls({ ...calls });

interface Operation {
  readonly operator: string;
  readonly inputs: readonly string[];
  readonly results: readonly string[];
  readonly about: readonly Buffer[];
}

interface Graph {
  readonly constants: ReadonlyMap<string, Buffer>;
  readonly result: string;
}

/**
 * smart-turn's model for a window of so many frames instead of 800, and with the range of each product's operand measured instead of
 * assumed. As published, every intermediate result is rounded to 8 bits of a fixed range; on telephone speech that costs accuracy,
 * and time besides.
 */
function adaptedModel(model: Buffer, frames: number): Buffer {
  const { graph } = ids.model;
  return Buffer.concat(
    fieldsOf(model).map(({ id, content, whole }) => (id === graph ? field(id, adaptedGraph(content, frames)) : whole)),
  );
}

function adaptedGraph(graph: Buffer, frames: number): Buffer {
  const { node, constant, input, output, knownShape } = ids.graph;
  const constants = new Map(partsOf(graph, constant).map((tensor) => [nameOf(tensor, ids.tensor.name), tensor]));
  const [result = ''] = partsOf(graph, output).map((value) => nameOf(value, ids.value.name));
  const operations = withoutRounding(partsOf(graph, node).map(operationOf), { constants, result });
  const used = new Set(operations.flatMap(({ inputs }) => inputs));
  const kept = new Map([...constants].filter(([name]) => used.has(name)));
  const [heard = ''] = partsOf(graph, input).map((value) => nameOf(value, ids.value.name));
  const replaced: readonly number[] = [node, constant, input, knownShape];
  return Buffer.concat([
    ...operations.map((operation) => field(node, nodeOf(operation.operator, operation))),
    ...shortened(kept, frames / framesAPosition).map((tensor) => field(constant, tensor)),
    field(input, valueOf(heard, 'float32', ['sounds', melBands, frames])),
    ...fieldsOf(graph)
      .filter(({ id }) => !replaced.includes(id))
      .map(({ whole }) => whole),
  ]);
}

function nameOf(message: Buffer, id: number): string {
  return partsOf(message, id).join('');
}

function operationOf(message: Buffer): Operation {
  const { input, result, operator, domain } = ids.node;
  const named: readonly number[] = [input, result, operator, domain];
  return {
    operator: [...textsOf(message, domain), ...textsOf(message, operator)].filter((part) => part !== '').join('.'),
    inputs: textsOf(message, input),
    results: textsOf(message, result),
    about: fieldsOf(message)
      .filter(({ id }) => !named.includes(id))
      .map(({ whole }) => whole),
  };
}

/** Leaves out the rounding of intermediate results, and multiplies by rounded weights as they are. */
function withoutRounding(operations: readonly Operation[], { constants, result }: Graph): readonly Operation[] {
  const weights = new Map<string, readonly string[]>();
  const exact = new Map<string, string>();
  const adapted: Operation[] = [];
  for (const operation of operations) {
    const { operator, inputs, results } = operation;
    const [from = ''] = inputs;
    const [to = ''] = results;
    const isWeight = operator === 'DequantizeLinear' && constants.has(from);
    if (isWeight) weights.set(to, inputs);
    if (isWeight || !isRounding(operator)) adapted.push({ ...operation, inputs: inputs.map((name) => exact.get(name) ?? name) });
    else exact.set(to, exact.get(from) ?? from);
  }
  const multiplied = adapted.map((operation) => {
    const [left = '', right = ''] = operation.inputs;
    const weight = operation.operator === 'MatMul' && weights.get(right);
    return weight ? { ...operation, operator: 'com.microsoft.DynamicQuantizeMatMul', inputs: [left, ...weight] } : operation;
  });
  const used = new Set([result, ...multiplied.flatMap(({ inputs }) => inputs)]);
  return multiplied.filter(({ results }) => results.some((name) => used.has(name)));
}

function isRounding(operator: string): boolean {
  return operator === 'QuantizeLinear' || operator === 'DequantizeLinear';
}

/** Constants of the last positions only; those of the shapes say so too. */
function shortened(constants: ReadonlyMap<string, Buffer>, positions: number): readonly Buffer[] {
  const [name, table] = [...constants].find(([each]) => positionTable.test(each)) ?? [];
  if (name === undefined || table === undefined) throw new TypeError('this is not smart-turn: it has no table of positions');
  const { size, data } = ids.tensor;
  const [rows = 0, columns = 0] = partsOf(table, size).flatMap(numbersIn);
  const values = new Float32Array(Uint8Array.from(Buffer.concat(partsOf(table, data))).buffer);
  const last = values.slice((rows - positions) * columns);
  return [...constants].map(([each, tensor]) => {
    if (each === name) return tensorOf(name, [positions, columns], last);
    const isLength = Buffer.concat(partsOf(tensor, data)).equals(integer(rows));
    return isLength ? tensorOf(each, [1], BigInt64Array.of(BigInt(positions))) : tensor;
  });
}

/** A single integer, as a constant holds it. */
function integer(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(BigInt(value));
  return bytes;
}

/** The contents of a message's fields of this number. */
function partsOf(message: Buffer, wanted: number): Buffer[] {
  return fieldsOf(message)
    .filter(({ id }) => id === wanted)
    .map(({ content }) => content);
}

function textsOf(message: Buffer, wanted: number): string[] {
  return partsOf(message, wanted).map(String);
}
