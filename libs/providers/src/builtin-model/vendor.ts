import type { MeaningReader } from '.';
import { defineLanguageModelVendor, modelVariables } from '../vendor';

/** A model without settings, for trying out the platform. It uses the multilingual sentence model if that is installed. */
export const builtin = defineLanguageModelVendor({
  id: 1,
  name: 'builtin',
  isLocal: true,
  grade: 'demo',
  latency: 'instant',
  models: [{ id: 1, model: 'extractive', contextTokens: 8192 }],
  variables: modelVariables,
  settings: [],
  open: async ({ config }) => new (await import('.')).BuiltinModel(await readerIn(config.PARLEY_MODELS ?? '')),
});

/** One reader for all agents of a process, so that a knowledge base is read only once. */
let reader: Promise<MeaningReader | undefined> | undefined;

function readerIn(modelsFolder: string): Promise<MeaningReader | undefined> {
  return (reader ??= openReader(modelsFolder));
}

async function openReader(modelsFolder: string): Promise<MeaningReader | undefined> {
  const [{ LocalEmbeddings }, { MeaningReader }] = await Promise.all([import('../local-embeddings'), import('.')]);
  const embeddings = LocalEmbeddings.ofAllLanguages(modelsFolder);
  return embeddings && new MeaningReader(embeddings);
}
