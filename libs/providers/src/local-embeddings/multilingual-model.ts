import { readFileSync } from 'node:fs';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { OnnxGraph } from '../onnx-graph.ts';
import { SentencePieces } from './sentence-pieces.ts';

const magic = 'E5S1';
const blockSize = 32;
/** A 16-bit scale and 32 four-bit weights. */
const blockBytes = 18;
/** Longer than a question or a sentence; the rest is cut off. */
const piecesMax = 256;
/** Letters of other scripts are not supported, so that two thirds of the vocabulary can be omitted. */
const otherScript = /(?![\p{Script=Latin}\p{Script=Devanagari}\p{Script=Common}\p{Script=Inherited}])\p{L}/u;

interface Shape {
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
  readonly hidden: number;
  readonly epsilon: number;
}

/** Returns a part of the file: 32-bit numbers, or rows of blocks of four-bit weights. */
type Part = (name: string) => Buffer;

/**
 * The sentence encoder multilingual-e5-small, a transformer of twelve layers for English, Hindi and Marathi, loaded from a file of
 * four-bit weights and run by onnxruntime.
 */
export class MultilingualModel {
  private readonly pieces: SentencePieces;
  private readonly meanings: PieceEmbeddings;
  private readonly session: InferenceSession;

  private constructor(pieces: SentencePieces, meanings: PieceEmbeddings, session: InferenceSession) {
    this.pieces = pieces;
    this.meanings = meanings;
    this.session = session;
  }

  static async load(file: string): Promise<MultilingualModel> {
    const { shape, vocabulary, marks, part } = read(readFileSync(file));
    // One thread, because many questions share the cores.
    const options = { intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: 'sequential' } as const;
    const session = await InferenceSession.create(graphOf(shape, part), options);
    const kept = vocabulary.map((entry, index) => ({ entry, index })).filter(({ entry: [piece] }) => !otherScript.test(piece));
    const least = kept.reduce((lowest, { entry: [, score] }) => Math.min(lowest, score), 0);
    const ofPieces = { reservedCount: marks.unknown + 1, unknown: marks.unknown, unknownScore: least - unknownPenalty };
    return new MultilingualModel(
      new SentencePieces(
        kept.map(({ entry }) => entry),
        ofPieces,
      ),
      new PieceEmbeddings(part, { width: shape.width, kept: kept.map(({ index }) => index), marks }),
      session,
    );
  }

  /** The vector of a text. Questions and passages have different prefixes, as in the model's training. */
  async embed(text: string, as: 'question' | 'passage'): Promise<Float32Array> {
    const pieces = this.pieces.encode(`${prefixes[as]}: ${text.trim().replace(/\s+/gu, ' ')}`).slice(0, piecesMax);
    const input = this.meanings.of(pieces);
    const [answer = ''] = this.session.outputNames;
    const { width } = this.meanings;
    const { [answer]: vector } = await this.session.run({
      meanings: new Tensor('float32', input, [1, input.length / width, width]),
    });
    return vector?.data instanceof Float32Array ? vector.data : new Float32Array(width);
  }
}

const unknownPenalty = 10;
const prefixes = { question: 'query', passage: 'passage' } as const;

interface Marks {
  readonly begin: number;
  readonly end: number;
  readonly unknown: number;
}

/** The embeddings of pieces and positions: rows of four-bit weights, expanded on demand. */
class PieceEmbeddings {
  readonly width: number;
  private readonly marks: Marks;
  private readonly rows: Buffer;
  private readonly places: Float32Array;
  private readonly kind: Float32Array;
  private readonly rowBytes: number;

  constructor(part: Part, { width, kept, marks }: { width: number; kept: readonly number[]; marks: Marks }) {
    this.width = width;
    this.marks = marks;
    const all = part('emb.word');
    this.rowBytes = (width / blockSize) * blockBytes;
    this.rows = Buffer.concat(kept.map((row) => all.subarray(row * this.rowBytes, (row + 1) * this.rowBytes)));
    this.places = floats(part('emb.pos'));
    this.kind = floats(part('emb.type'));
  }

  of(pieces: readonly number[]): Float32Array {
    const framed = [this.marks.begin, ...pieces, this.marks.end];
    const meanings = new Float32Array(framed.length * this.width);
    framed.forEach((piece, place) => {
      const row = widened(this.rows.subarray(piece * this.rowBytes, (piece + 1) * this.rowBytes));
      for (let at = 0; at < this.width; at += 1)
        meanings[place * this.width + at] = (row[at] ?? 0) + (this.places[place * this.width + at] ?? 0) + (this.kind[at] ?? 0);
    });
    return meanings;
  }
}

/** Reads the header of the file: its sizes, its vocabulary, and the offsets of its parts. */
function read(file: Buffer) {
  if (file.toString('latin1', 0, magic.length) !== magic) throw new TypeError('no file of weights for multilingual-e5-small');
  let at = 8;
  const int = (): number => file.readInt32LE((at += 4) - 4);
  const long = (): number => Number(file.readBigUInt64LE((at += 8) - 8));
  const [width, layers, heads, hidden] = [int(), int(), int(), int()];
  at += 12;
  const epsilon = file.readFloatLE((at += 4) - 4);
  at += 4;
  const count = int();
  const [begin, end, , unknown] = [int(), int(), int(), int()];
  const lettersLength = long();
  const offsets = file.subarray(at, (at += 4 * (count + 1)));
  const scores = file.subarray(at, (at += 4 * count));
  const letters = file.subarray(at, (at += lettersLength));
  const vocabulary = Array.from({ length: count }, (_, index): [string, number] => [
    letters.toString('utf8', offsets.readUInt32LE(4 * index), offsets.readUInt32LE(4 * index + 4)),
    scores.readFloatLE(4 * index),
  ]);
  // The replacements of the model's normalizer, which are nearly NFKC.
  at += 4;
  const rewritingLength = int();
  at += rewritingLength;
  const parts = new Map<string, Buffer>();
  for (let left = int(); left > 0; left -= 1) {
    const nameLength = file.readUInt16LE(at);
    const name = file.toString('latin1', at + 2, at + 2 + nameLength);
    at += nameLength + 7;
    const from = long();
    parts.set(name, file.subarray(from, from + long()));
  }
  const part: Part = (name) => {
    const found = parts.get(name);
    if (!found) throw new TypeError(`the weights of multilingual-e5-small have no ${name}`);
    return found;
  };
  return { shape: { width, layers, heads, hidden, epsilon }, vocabulary, marks: { begin, end, unknown }, part };
}

function floats(bytes: Buffer): Float32Array {
  return new Float32Array(Uint8Array.from(bytes).buffer);
}

/** Decodes a 16-bit float. */
function scaleOf(bits: number): number {
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  const size = exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return bits & 0x8000 ? -size : size;
}

/** Expands four-bit weights. A byte contains one of the first and one of the second half of its block. */
function widened(blocks: Buffer): Float32Array {
  const wide = new Float32Array((blocks.length / blockBytes) * blockSize);
  for (let block = 0; block * blockBytes < blocks.length; block += 1) {
    const scale = scaleOf(blocks.readUInt16LE(block * blockBytes));
    for (let at = 0; at < 16; at += 1) {
      const pair = blocks[block * blockBytes + 2 + at] ?? 0;
      wide[block * blockSize + at] = ((pair & 15) - 8) * scale;
      wide[block * blockSize + 16 + at] = ((pair >> 4) - 8) * scale;
    }
  }
  return wide;
}

function graphOf(shape: Shape, part: Part): Buffer {
  const graph = new OnnxGraph();
  const { width, layers } = shape;
  const meanings = graph.input('meanings', 'float32', [1, 'count', width]);
  const scale = graph.constant('emb.ln.w', [width], floats(part('emb.ln.w')));
  const bias = graph.constant('emb.ln.b', [width], floats(part('emb.ln.b')));
  let state = graph.one('LayerNormalization', [meanings, scale, bias], { axis: -1, epsilon: { float: shape.epsilon } });
  for (let layer = 0; layer < layers; layer += 1) state = new MultilingualLayer(graph, { shape, part }, `l${layer}`).apply(state);
  return graph.model(graph.one('ReduceMean', [state], { axes: [1], keepdims: 0 }), [1, width]);
}

/** A layer of the transformer: attention, then the feed-forward part. */
class MultilingualLayer {
  private readonly graph: OnnxGraph;
  private readonly shape: Shape;
  private readonly part: Part;
  private readonly name: string;

  constructor(graph: OnnxGraph, { shape, part }: { shape: Shape; part: Part }, name: string) {
    this.graph = graph;
    this.shape = shape;
    this.part = part;
    this.name = name;
  }

  apply(state: string): string {
    const { width, hidden, heads } = this.shape;
    const [query = '', key = '', value = ''] = ['q', 'k', 'v'].map((one) => this.dense(one, state, [width, width]));
    const taken = this.graph.one('com.microsoft.MultiHeadAttention', [query, key, value], { num_heads: heads });
    const attended = this.normal('aln', this.dense('ao', taken, [width, width]), state);
    const wide = this.graph.one('com.microsoft.Gelu', [this.dense('fi', attended, [width, hidden])]);
    return this.normal('oln', this.dense('fo', wide, [hidden, width]), attended);
  }

  private normal(part: string, state: string, beside: string): string {
    const { width, epsilon } = this.shape;
    const [scale = '', bias = ''] = ['w', 'b'].map((end) => this.numbers(`${part}.${end}`, width));
    return this.graph.one('com.microsoft.SkipLayerNormalization', [state, beside, scale, bias], {
      epsilon: { float: epsilon },
    });
  }

  /** A product with four-bit weights, plus a bias. */
  private dense(part: string, state: string, [rows, columns]: readonly [number, number]): string {
    const name = `${this.name}.${part}`;
    const blocks = this.part(`${name}.w`);
    const count = blocks.length / blockBytes;
    const [scales, weights] = [new Float32Array(count), new Uint8Array(count * 16)];
    for (let block = 0; block < count; block += 1) {
      scales[block] = scaleOf(blocks.readUInt16LE(block * blockBytes));
      // The operator expects adjacent weights in a byte; in the file, a byte has weights of both halves of a block.
      for (let at = 0; at < blockSize; at += 1) {
        const pair = blocks[block * blockBytes + 2 + (at % 16)] ?? 0;
        const weight = at < 16 ? pair & 15 : pair >> 4;
        weights[block * 16 + (at >> 1)] = (weights[block * 16 + (at >> 1)] ?? 0) | (weight << (4 * (at & 1)));
      }
    }
    const inputs = [
      state,
      this.graph.constant(`${name}.weights`, [columns, rows / blockSize, 16], weights),
      this.graph.constant(`${name}.scales`, [count], scales),
    ];
    const attributes = { K: rows, N: columns, bits: 4, block_size: blockSize, accuracy_level: 4 };
    const product = this.graph.one('com.microsoft.MatMulNBits', inputs, attributes);
    return this.graph.one('Add', [product, this.numbers(`${part}.b`, columns)]);
  }

  private numbers(name: string, size: number): string {
    const full = `${this.name}.${name}`;
    return this.graph.constant(full, [size], floats(this.part(full)));
  }
}
