import { readFileSync } from 'node:fs';
import path from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { z } from 'zod';
import { OnnxGraph } from '../onnx-graph.ts';
import { SentencePieces } from './sentence-pieces.ts';

const ModelFile = z.object({
  weightsManifest: z.array(
    z.object({
      paths: z.array(z.string()),
      weights: z.array(z.object({ name: z.string(), shape: z.array(z.int()), dtype: z.enum(['float32', 'int32', 'bool']) })),
    }),
  ),
});
// A piece without a score has probability 1, as in the original tokenizer.
const Vocabulary = z.array(
  z.tuple([
    z.string(),
    z
      .number()
      .nullable()
      .transform((score) => score ?? 0),
  ]),
);

/** The first pieces do not stand for text; unknown text has no penalty. */
const ofPieces = { reservedCount: 6, unknown: 0, unknownScore: 0 };
const piecesMax = 128;
const width = 512;
const hidden = 1_536;
const heads = 4;
/** The input widths of the layers. */
const layerWidths = [256, width];
const embeddedWidth = 256;
const vocabularySize = 8_002;
/** Seven bits instead of eight, which processors without VNNI add without saturation. Of 217 questions, one found its passage one rank later. */
const weightMax = 127;

type Weights = (end: string) => Float32Array;

/**
 * TensorFlow's Universal Sentence Encoder lite, a transformer of two layers, run by onnxruntime with 8-bit weights. Its vectors are those
 * of the published model up to rounding (a cosine above 0.995).
 */
export class SentenceModel {
  private readonly pieces: SentencePieces;
  private readonly session: InferenceSession;
  private readonly positions: Float32Array;

  private constructor(pieces: SentencePieces, session: InferenceSession, positions: Float32Array) {
    this.pieces = pieces;
    this.session = session;
    this.positions = positions;
  }

  /** Loads a folder with `model.json`, its weights, and `vocab.json`. */
  static async load(directory: string): Promise<SentenceModel> {
    const weights = weightsIn(directory);
    // One thread, because many questions share the cores.
    const options = { intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: 'sequential' } as const;
    const session = await InferenceSession.create(graphOf(weights), options);
    const vocabulary = Vocabulary.parse(JSON.parse(readFileSync(path.join(directory, 'vocab.json'), 'utf8')));
    return new SentenceModel(
      new SentencePieces(vocabulary, ofPieces),
      session,
      positionsOf(weights('TimingSignal/ExpandDims_1')),
    );
  }

  /**
   * Embeds one text at a time, since quantization depends on the largest value in a run, so in a batch a text's vector would depend on the
   * others. Text without letters has a zero vector.
   */
  async embed(text: string): Promise<Float32Array> {
    const pieces = this.pieces.encode(text).slice(0, piecesMax);
    const count = pieces.length;
    if (count === 0) return new Float32Array(width);
    const [answer = ''] = this.session.outputNames;
    const { [answer]: vector } = await this.session.run({
      pieces: new Tensor('int64', BigInt64Array.from(pieces, BigInt), [1, count]),
      positions: new Tensor('float32', this.positions.subarray(0, count * embeddedWidth), [count, embeddedWidth]),
      share: new Tensor('float32', new Float32Array(count).fill(1 / count), [1, 1, count]),
    });
    return vector?.data instanceof Float32Array ? vector.data : new Float32Array(width);
  }
}

/** The weights by the ends of their names, which are unique. */
function weightsIn(directory: string): Weights {
  const { weightsManifest } = ModelFile.parse(JSON.parse(readFileSync(path.join(directory, 'model.json'), 'utf8')));
  const byName = new Map<string, Float32Array>();
  for (const { paths, weights } of weightsManifest) {
    const bytes = Buffer.concat(paths.map((part) => readFileSync(path.join(directory, part))));
    let at = 0;
    for (const { name, shape, dtype } of weights) {
      const count = shape.reduce((product, size) => product * size, 1);
      const length = dtype === 'bool' ? count : count * 4;
      if (dtype === 'float32') byName.set(name, new Float32Array(new Uint8Array(bytes.subarray(at, at + length)).buffer));
      at += length;
    }
  }
  return (end) => {
    const [found, another] = [...byName].filter(([name]) => name.endsWith(end));
    if (!found || another) throw new TypeError(`the weights of the sentence model have no single ${end}`);
    return found[1];
  };
}

/** Sinusoidal position encodings. */
function positionsOf(frequencies: Float32Array): Float32Array {
  const positions = new Float32Array(piecesMax * embeddedWidth);
  for (let place = 0; place < piecesMax; place += 1) {
    frequencies.forEach((frequency, wave) => {
      positions[place * embeddedWidth + wave] = Math.sin(place * frequency);
      positions[place * embeddedWidth + frequencies.length + wave] = Math.cos(place * frequency);
    });
  }
  return positions;
}

function graphOf(weights: Weights): Buffer {
  const graph = new OnnxGraph();
  const pieces = graph.input('pieces', 'int64', [1, 'count']);
  const positions = graph.input('positions', 'float32', ['count', embeddedWidth]);
  const share = graph.input('share', 'float32', [1, 1, 'count']);
  // The model adds the embedding of a piece twice, before and with the positions.
  const meanings = weights('Embeddings_en').map((value) => 2 * value);
  const embedded = graph.one('Gather', [graph.constant('meanings', [vocabularySize, embeddedWidth], meanings), pieces]);
  let state = graph.one('Add', [embedded, positions]);
  layerWidths.forEach((size, layer) => (state = new SentenceLayer(graph, weights, layer, size).apply(state)));
  const mean = graph.one('MatMul', [share, state]);
  const last = { weights: weights('tanh_layer_0/weights'), bias: weights('tanh_layer_0/bias'), size: [width, width] } as const;
  const answer = graph.one('Tanh', [dense(graph, 'last', mean, last)]);
  return graph.model(answer, [1, 1, width]);
}

/** A transformer layer: attention, then the feed-forward part. */
class SentenceLayer {
  private readonly graph: OnnxGraph;
  private readonly weights: Weights;
  private readonly size: number;
  private readonly prefix: string;

  constructor(graph: OnnxGraph, weights: Weights, layer: number, size: number) {
    this.graph = graph;
    this.weights = weights;
    this.size = size;
    this.prefix = `Layer_${layer}/TransformerLayer/`;
  }

  apply(state: string): string {
    const { graph } = this;
    const kept = this.size === width ? state : this.dense('dense', state, this.joined('dense/kernel'), [this.size, width]);
    const attended = graph.one('Add', [this.attention(this.normal('', state, this.size)), kept]);
    const first = this.weights(`${this.prefix}FFN/conv1/Tensordot/Reshape_1`);
    const second = this.weights(`${this.prefix}FFN/conv2/Tensordot/Reshape_1`);
    const wide = graph.one('Relu', [this.dense('FFN/conv1', this.normal('FFN/', attended, width), first, [width, hidden])]);
    return graph.one('Add', [this.dense('FFN/conv2', wide, second, [hidden, width]), attended]);
  }

  private attention(state: string): string {
    const { graph, size, prefix } = this;
    const all = this.dense('MultiheadAttention/qkv_transform_single', state, this.scaledKernel(), [size, 3 * size]);
    const parts = graph.constant(`${prefix}parts`, [3], BigInt64Array.from([size, size, size], BigInt));
    const [query = '', key = '', value = ''] = graph.several('Split', 3, [all, parts], { axis: 2 });
    const shape = graph.constant(`${prefix}heads`, [4], BigInt64Array.from([0, 0, heads, size / heads], BigInt));
    const headsOf = (each: string, perm: readonly number[]): string =>
      graph.one('Transpose', [graph.one('Reshape', [each, shape])], { perm });
    const likeness = graph.one('MatMul', [headsOf(query, [0, 2, 1, 3]), headsOf(key, [0, 2, 3, 1])]);
    const shares = graph.one('Softmax', [likeness], { axis: -1 });
    const taken = graph.one('MatMul', [shares, headsOf(value, [0, 2, 1, 3])]);
    const whole = graph.constant(`${prefix}whole`, [3], BigInt64Array.from([0, 0, size], BigInt));
    const joined = graph.one('Reshape', [graph.one('Transpose', [taken], { perm: [0, 2, 1, 3] }), whole]);
    const kernel = this.weights(`${prefix}MultiheadAttention/output_transform_single/kernel/part_0`);
    return this.dense('MultiheadAttention/output_transform_single', joined, kernel, [size, width]);
  }

  /** The query weights divided by the square root of the head width, so that scores need not be scaled. */
  private scaledKernel(): Float32Array {
    const columns = 3 * this.size;
    const scale = (this.size / heads) ** -0.5;
    const kernel = this.weights(`${this.prefix}MultiheadAttention/qkv_transform_single/kernel/part_0`);
    return kernel.map((value, at) => (at % columns < this.size ? value * scale : value));
  }

  private normal(part: string, state: string, size: number): string {
    const { graph, prefix } = this;
    const name = `${part}layer_prepostprocess/layer_norm/layer_norm_`;
    const scale = graph.constant(`${prefix}${name}scale`, [size], this.joined(`${name}scale`));
    const bias = graph.constant(`${prefix}${name}bias`, [size], this.joined(`${name}bias`));
    return graph.one('LayerNormalization', [state, scale, bias], { axis: -1, epsilon: { float: 1e-6 } });
  }

  private dense(name: string, state: string, weights: Float32Array, size: readonly [number, number]): string {
    const bias = this.joined(`${name}/bias`);
    const isQuery = name.endsWith('qkv_transform_single');
    const scale = (this.size / heads) ** -0.5;
    const scaled = isQuery ? bias.map((value, at) => (at < this.size ? value * scale : value)) : bias;
    return dense(this.graph, this.prefix + name, state, { weights, bias: scaled, size });
  }

  private joined(name: string): Float32Array {
    return this.weights(`${this.prefix}${name}/ConcatPartitions/concat`);
  }
}

interface Dense {
  readonly weights: Float32Array;
  readonly bias: Float32Array;
  readonly size: readonly [rows: number, columns: number];
}

/** A matrix product with 8-bit weights, a scale per column, and a bias. */
function dense(graph: OnnxGraph, name: string, state: string, { weights, bias, size: [rows, columns] }: Dense): string {
  // Plain loops for speed, since there are five million weights and the first question waits for them.
  const scales = new Float32Array(columns);
  for (let at = 0; at < weights.length; at += 1)
    scales[at % columns] = Math.max(scales[at % columns] ?? 0, Math.abs(weights[at] ?? 0) / weightMax);
  const rounded = new Int8Array(weights.length);
  for (let at = 0; at < weights.length; at += 1) rounded[at] = Math.round((weights[at] ?? 0) / (scales[at % columns] || 1));
  const [small = '', scale = '', zero = ''] = graph.several('DynamicQuantizeLinear', 3, [state]);
  const product = graph.one('MatMulInteger', [small, graph.constant(`${name}/weights`, [rows, columns], rounded), zero]);
  const exact = graph.one('Mul', [scale, graph.constant(`${name}/scales`, [columns], scales)]);
  const result = graph.one('Mul', [graph.one('Cast', [product], { to: 1 }), exact]);
  return graph.one('Add', [result, graph.constant(`${name}/added`, [columns], bias)]);
}
