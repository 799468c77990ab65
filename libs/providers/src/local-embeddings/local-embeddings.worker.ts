import { workerData } from 'node:worker_threads';
import { answerCalls, yieldIfAsked } from '../answer-calls.ts';
import { MultilingualModel } from './multilingual-model.ts';
import { SentenceModel } from './sentence-model.ts';

/** The operations of the worker: one vector per text, of any length. */
export interface EmbeddingCalls {
  embed(texts: readonly string[], as: EmbeddedKind): Promise<Float32Array[]>;
}

type EmbeddedKind = 'question' | 'passage';
interface Embedding {
  embed(text: string, as: EmbeddedKind): Promise<Float32Array>;
}

const dimensions = 512;
const place = String(workerData);
let loading: Promise<Embedding> | undefined;

async function vectorOf(text: string, as: EmbeddedKind): Promise<Float32Array> {
  const isMultilingual = place.endsWith('.bin');
  if (!isMultilingual && isDevanagari(text)) return ngramVector(text, dimensions);
  const model = await (loading ??= isMultilingual ? MultilingualModel.load(place) : SentenceModel.load(place));
  return model.embed(text, as);
}

const calls: EmbeddingCalls = {
  async embed(texts, as) {
    const vectors: Float32Array[] = [];
    for (const text of texts) vectors.push(await vectorOf(text, as));
    return vectors;
  },
};

/** Spelling variants that are treated alike: nukta, joiners, chandrabindu, long and short i and u. */
const sameSpelling: readonly (readonly [RegExp, string])[] = [
  [/[\u200c\u200d\u093c]/gu, ''],
  [/\u0901/gu, '\u0902'],
  [/[\u0950\u0964\u0965]/gu, ' '],
  [/\u0940/gu, '\u093f'],
  [/\u0942/gu, '\u0941'],
  [/\u0908/gu, '\u0907'],
  [/\u090a/gu, '\u0909'],
];

const positionsPerFeature = 8;
const wordWeight = 2;

yieldIfAsked('documents');
answerCalls({ ...calls });

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

/** Words and their groups of three and four letters, so that inflected forms are still similar. */
function* features(text: string): Generator<{ feature: string; weight: number }> {
  for (const word of text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []) {
    yield { feature: word, weight: wordWeight };
    const edged = `<${word}>`;
    for (const size of [3, 4]) {
      for (let at = 0; at + size <= edged.length; at += 1) yield { feature: edged.slice(at, at + size), weight: 1 };
    }
  }
}

/** A vector of spelling rather than meaning, for languages without a small open model. Not normalized. */
function ngramVector(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  const plain = sameSpelling.reduce((rest, [from, to]) => rest.replace(from, to), text.normalize('NFC').toLowerCase());
  for (const { feature, weight } of features(plain)) {
    let state = hashOf(feature);
    for (let position = 0; position < positionsPerFeature; position += 1) {
      state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
      const slot = (state >>> 8) % dimensions;
      vector[slot] = (vector[slot] ?? 0) + ((state & 1) === 0 ? weight : -weight);
    }
  }
  return vector;
}

/** Whether most letters are Devanagari, which the English model does not support. */
function isDevanagari(text: string): boolean {
  const devanagari = text.match(/[\u0900-\u097f]/gu)?.length ?? 0;
  const latin = text.match(/[a-z]/giu)?.length ?? 0;
  return devanagari > latin;
}
